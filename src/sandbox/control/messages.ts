import type { Server } from '@hapi/hapi';
import Joi from 'joi';
import type { WriteRequest } from '../api.js';
import type { Network } from '../network.js';
import { WRITERS } from '../phone/content/index.js';
import { type NumberParams, numberField, numberParams } from './fields.js';

const MAX_IDS = 1_000;
/** Files of some size come in base64; larger ones have their own way in. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;
const MAX_EPHEMERAL_S = 365 * 24 * 60 * 60;
const idField = Joi.string().max(128);

const contentFields = WRITERS.flatMap(({ key, schema, options = {} }) => [
  [key, schema],
  ...Object.entries(options).map(([option, optionSchema]) => [
    option,
    optionSchema.when(key, { is: Joi.exist(), otherwise: Joi.forbidden() }),
  ]),
]);

const writePayload = Joi.object({
  to: numberField.required(),
  quotedMessageId: idField,
  mentions: Joi.array().items(numberField).max(MAX_IDS),
  forwarded: Joi.boolean(),
  ephemeral: Joi.number().integer().min(1).max(MAX_EPHEMERAL_S),
  ...Object.fromEntries(contentFields),
})
  .xor(...WRITERS.map(({ key }) => key))
  .required();

const readPayload = Joi.object({
  messageIds: Joi.array().items(idField).min(1).max(MAX_IDS).required(),
}).required();

/** What a person writes, holds and reads. */
export function messageRoutes(server: Server, network: Network): void {
  server.route<{ Params: NumberParams; Payload: WriteRequest }>({
    method: 'POST',
    path: '/phones/{number}/messages',
    options: {
      payload: { maxBytes: MAX_BODY_BYTES },
      validate: { params: numberParams, payload: writePayload },
    },
    handler: async ({ params, payload }, h) => {
      const phone = network.phone(network.registry.require(params.number));
      return h.response({ messageId: await phone.write(payload) }).code(201);
    },
  });
  server.route<{ Params: NumberParams }>({
    method: 'GET',
    path: '/phones/{number}/messages',
    options: { validate: { params: numberParams } },
    handler: ({ params }) => ({
      messages: network.phone(network.registry.require(params.number)).held.views(),
    }),
  });
  for (const [suffix, only] of [['', undefined] as const, ['/file', 'file'] as const]) {
    server.route<{ Params: NumberParams & { messageId: string } }>({
      method: 'DELETE',
      path: `/phones/{number}/messages/{messageId}${suffix}`,
      options: { validate: { params: numberParams.keys({ messageId: idField.required() }) } },
      handler: ({ params }, h) => {
        network.phone(network.registry.require(params.number)).forget(params.messageId, only);
        return h.response().code(204);
      },
    });
  }
  server.route<{ Params: NumberParams }>({
    method: 'GET',
    path: '/phones/{number}/changes',
    options: { validate: { params: numberParams } },
    handler: ({ params }) => ({
      changes: network.phone(network.registry.require(params.number)).changes.views(),
    }),
  });
  server.route<{ Params: NumberParams; Payload: { messageIds: string[] } }>({
    method: 'POST',
    path: '/phones/{number}/read',
    options: { validate: { params: numberParams, payload: readPayload } },
    handler: ({ params, payload }) => {
      network.phone(network.registry.require(params.number)).read(payload.messageIds);
      return { read: payload.messageIds.length };
    },
  });
  server.route<{ Params: NumberParams }>({
    method: 'GET',
    path: '/phones/{number}/chatstates',
    options: { validate: { params: numberParams } },
    handler: ({ params }) => ({
      chatstates: network.phone(network.registry.require(params.number)).chatstates,
    }),
  });
}
