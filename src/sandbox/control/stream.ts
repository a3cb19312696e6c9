import { PassThrough } from 'node:stream';
import type { Server } from '@hapi/hapi';
import type { NetworkEvent } from '../../contract/sandbox/index.js';
import { streams as api } from '../../contract/sandbox/stream.js';
import { type ControlParts, route } from './route.js';

/** A slow reader with a larger backlog is disconnected. */
const MAX_BACKLOG_BYTES = 8 * 1024 * 1024;

/** Server-sent events of the network, complete from the first byte on. */
export function streamRoute(server: Server, parts: ControlParts): void {
  const streams = new Set<PassThrough>();
  const add = route(api.stream, (request, { network }, h) => {
    const stream = new PassThrough();
    const write = (event: NetworkEvent) => {
      if (stream.writableLength > MAX_BACKLOG_BYTES) stream.destroy();
      else stream.write(`data: ${JSON.stringify(event)}\n\n`);
    };
    const hubs = request.query.stanzas ? [network.events, network.stanzas] : [network.events];
    const stops = hubs.map((hub) => hub.listen(write));
    stream.once('close', () => {
      for (const stop of stops) stop();
      streams.delete(stream);
    });
    request.raw.req.once('close', () => stream.destroy());
    streams.add(stream);
    // the first bytes flush the headers: a client that has them misses no later event
    stream.write(': watching\n\n');
    return h.response(stream).type('text/event-stream').header('cache-control', 'no-store');
  });
  add(server, parts);
  server.ext('onPreStop', () => {
    for (const stream of streams) stream.destroy();
  });
}
