import type { Request } from '@hapi/hapi';

/** A signal that aborts if the caller disconnects before the answer. */
export function goneSignal(request: Pick<Request, 'active' | 'raw'>): AbortSignal {
  const { req, res } = request.raw;
  const gone = new AbortController();
  if (!request.active()) gone.abort();
  // while the request is read; hapi's own event would allocate listeners for every request
  req.once('aborted', () => gone.abort());
  res.once('close', () => {
    if (!res.writableEnded) gone.abort();
  });
  return gone.signal;
}
