import Boom from '@hapi/boom';
import type { Plugin, Request } from '@hapi/hapi';
import type { Logger } from '../../log.js';
import { clientIdForLog, pathForLog } from '../caller.js';
import type {} from '../owner/forwarding.js';

/** Asked every few seconds by machines: a line for each would bury the rest. */
const QUIET_PATHS: ReadonlySet<string> = new Set(['/health/live', '/health/ready', '/metrics']);

/** One line for each request. No query (it may hold what a caller should have put elsewhere), no body, no headers. */
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

/** The status that was answered; 499 when the client went away before. */
export function statusOf({ response }: Request): number {
  return Boom.isBoom(response) ? response.output.statusCode : response.statusCode;
}
