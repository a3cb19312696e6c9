import { PassThrough } from 'node:stream';
import type { Server } from '@hapi/hapi';
import type { Network } from '../network.js';

/** A watcher that reads so slowly that this much piles up is let go. */
const MAX_BACKLOG_BYTES = 8 * 1024 * 1024;

/** Server-sent events of everything that happens, from the moment of the first byte on. */
export function streamRoute(server: Server, network: Network): void {
  const streams = new Set<PassThrough>();
  server.route({
    method: 'GET',
    path: '/stream',
    handler: (request, h) => {
      const stream = new PassThrough();
      const stop = network.events.listen((event) => {
        if (stream.writableLength > MAX_BACKLOG_BYTES) stream.destroy();
        else stream.write(`data: ${JSON.stringify(event)}\n\n`);
      });
      stream.once('close', () => {
        stop();
        streams.delete(stream);
      });
      request.raw.req.once('close', () => stream.destroy());
      streams.add(stream);
      // the first bytes make the headers leave: who has them misses nothing from then on
      stream.write(': watching\n\n');
      return h.response(stream).type('text/event-stream').header('cache-control', 'no-store');
    },
  });
  server.ext('onPreStop', () => {
    for (const stream of streams) stream.destroy();
  });
}
