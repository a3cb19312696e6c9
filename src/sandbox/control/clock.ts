import type { Server } from '@hapi/hapi';
import Joi from 'joi';
import type { Parts } from '../clients/parts.js';
import { advanceField, advanceTime, viewTime } from '../state/time.js';

/** The network's time. */
export function clockRoutes(server: Server, { network }: Parts): void {
  server.route({ method: 'GET', path: '/clock', handler: () => viewTime(network) });
  server.route<{ Payload: { advance: number } }>({
    method: 'POST',
    path: '/clock',
    options: { validate: { payload: Joi.object({ advance: advanceField.required() }).required() } },
    handler: async ({ payload }) => {
      await advanceTime(network, payload.advance);
      return viewTime(network);
    },
  });
}
