import type { Server } from '@hapi/hapi';
import Joi from 'joi';
import type { ChatUpdate } from '../api.js';
import type { Network } from '../network.js';
import { type NumberParams, numberParams, partnerField } from './fields.js';

const updatePayload = Joi.object({
  unread: Joi.boolean(),
  archived: Joi.boolean(),
  pinned: Joi.boolean(),
  muted: Joi.boolean(),
})
  .min(1)
  .required();

/** The settings of chats, which a phone shares with its linked devices. */
export function chatRoutes(server: Server, network: Network): void {
  server.route<{ Params: NumberParams }>({
    method: 'GET',
    path: '/phones/{number}/chats',
    options: { validate: { params: numberParams } },
    handler: ({ params }) => network.settings.of(network.registry.require(params.number)).chats(),
  });
  server.route<{ Params: NumberParams & { partner: string }; Payload: ChatUpdate }>({
    method: 'PATCH',
    path: '/phones/{number}/chats/{partner}',
    options: {
      validate: { params: numberParams.keys({ partner: partnerField.required() }), payload: updatePayload },
    },
    handler: ({ params, payload }) =>
      network.settings.of(network.registry.require(params.number)).change(params.partner, payload),
  });
}
