import type { Request } from '@hapi/hapi';

/** Aborts when the caller goes before it has its answer. */
export function goneSignal(request: Pick<Request, 'active' | 'raw'>): AbortSignal {
  const { req, res } = request.raw;
  const gone = new AbortController();
  if (!request.active()) gone.abort();
  // while the request is read; hapi's own event for it would make a list of listeners for each request
  req.once('aborted', () => gone.abort());
  res.once('close', () => {
    if (!res.writableEnded) gone.abort();
  });
  return gone.signal;
}
