import type { Request } from '@hapi/hapi';

/** Aborts when the caller goes before it has its answer. */
export function goneSignal(request: Pick<Request, 'active' | 'events' | 'raw'>): AbortSignal {
  const { events, raw } = request;
  const gone = new AbortController();
  if (!request.active()) gone.abort();
  // hapi reports it only while the request is read or waits to be read
  events.once('disconnect', () => gone.abort());
  raw.res.once('close', () => {
    if (!raw.res.writableEnded) gone.abort();
  });
  return gone.signal;
}
