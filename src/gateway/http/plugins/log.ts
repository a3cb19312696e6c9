import Boom from '@hapi/boom';
import type { Plugin, Request } from '@hapi/hapi';
import type { Logger } from '../../log.js';
import { clientIdForLog, pathForLog } from '../caller.js';
import type {} from './owner.js';

/** Paths that probes call every few seconds; logged at debug level only. */
export const QUIET_PATHS: ReadonlySet<string> = new Set(['/health/live', '/health/ready', '/metrics']);

/** Logs one line for each request, without query (callers may put secrets there), body and headers. */
export const log: Plugin<{ log: Logger }> = {
  name: 'log',
  register(server, options) {
    server.events.on('response', (request) => {
      const level = QUIET_PATHS.has(request.path) ? 'debug' : 'info';
      if (!options.log.isLevelEnabled(level)) return;
      options.log[level](
        {
          method: request.method.toUpperCase(),
          path: pathForLog(request),
          status: statusOf(request),
          ms: Date.now() - request.info.received,
          clientId: clientIdForLog(request),
          ...(request.plugins.sentTo !== undefined && { node: request.plugins.sentTo }),
        },
        'request',
      );
    });
  },
};

/** The status of the answer; 499 when the client disconnected before. */
export function statusOf({ response }: Request): number {
  return Boom.isBoom(response) ? response.output.statusCode : response.statusCode;
}
