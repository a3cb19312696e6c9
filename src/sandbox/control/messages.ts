import type { Server } from '@hapi/hapi';
import Joi from 'joi';
import type { WriteRequest } from '../api.js';
import type { Network } from '../network.js';
import { CONTENTS } from '../phone/content/index.js';
import { type NumberParams, numberField, numberParams } from './fields.js';

const MAX_IDS = 1_000;
const idField = Joi.string().max(128);
const contentKeys = CONTENTS.map(({ key }) => key);

const writePayload = Joi.object({
  to: numberField.required(),
  quotedMessageId: idField,
  mentions: Joi.array().items(numberField).max(MAX_IDS),
  forwarded: Joi.boolean(),
  ...Object.fromEntries(CONTENTS.map(({ key, schema }) => [key, schema])),
})
  .xor(...contentKeys)
  .required();

const readPayload = Joi.object({
  messageIds: Joi.array().items(idField).min(1).max(MAX_IDS).required(),
}).required();

/** What a person writes, holds and reads. */
export function messageRoutes(server: Server, network: Network): void {
  server.route<{ Params: NumberParams; Payload: WriteRequest }>({
    method: 'POST',
    path: '/phones/{number}/messages',
    options: { validate: { params: numberParams, payload: writePayload } },
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
