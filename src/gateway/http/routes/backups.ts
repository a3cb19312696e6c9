import type { Readable } from 'node:stream';
import { backups } from '../../../contract/backups.js';
import { GatewayError } from '../../../domain/errors.js';
import { LIMITS } from '../../../domain/limits.js';
import { pulledStream } from '../pulled-stream.js';
import { type Route, route } from '../route.js';

const getBackup: Route = (server, parts) => {
  const streams = new Set<Readable>();
  // abort at the stop, because the server waits for answers in flight; a cut-off backup cannot be mistaken for a complete one
  server.ext('onPreStop', () => {
    for (const stream of streams) stream.destroy(new GatewayError('stopping', 'the daemon is stopping'));
  });
  const add = route(backups.getBackup, async (_request, { services, now }, h) => {
    const stream = await pulledStream(services.backups.backUp(), LIMITS.backupStallMs);
    streams.add(stream);
    stream.once('close', () => streams.delete(stream));
    const day = new Date(now()).toISOString().slice(0, 10);
    return h
      .response(stream)
      .type('application/octet-stream')
      .header('content-disposition', `attachment; filename="switchboard-${day}.backup"`);
  });
  add(server, parts);
};

export const backupRoutes: readonly Route[] = [getBackup];
