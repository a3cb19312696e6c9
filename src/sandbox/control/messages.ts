import type { Server } from '@hapi/hapi';
import Joi from 'joi';
import type { WriteRequest } from '../api.js';
import type { Network } from '../network.js';
import { WRITERS } from '../phone/content/index.js';
import type { Phone } from '../phone/phone.js';
import { type NumberParams, numberField, numberParams, partnerField } from './fields.js';

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
  to: partnerField.required(),
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
  played: Joi.boolean(),
}).required();

/** What a phone shows, by the last word of its path. */
const VIEWS: Record<string, (phone: Phone) => object> = {
  messages: ({ held }) => ({ messages: held.views() }),
  changes: ({ changes }) => ({ changes: changes.views() }),
  chatstates: ({ chatstates }) => ({ chatstates }),
};

/** What a person writes, holds, reads and deletes. */
export function messageRoutes(server: Server, network: Network): void {
  const phoneOf = ({ number }: NumberParams) => network.phone(network.registry.require(number));
  writeRoute(server, phoneOf);
  readRoute(server, phoneOf);
  forgetRoute(server, phoneOf, '');
  forgetRoute(server, phoneOf, '/file');
  for (const [name, view] of Object.entries(VIEWS)) {
    server.route<{ Params: NumberParams }>({
      method: 'GET',
      path: `/phones/{number}/${name}`,
      options: { validate: { params: numberParams } },
      handler: ({ params }) => view(phoneOf(params)),
    });
  }
}

type PhoneOf = (params: NumberParams) => Phone;

function writeRoute(server: Server, phoneOf: PhoneOf): void {
  server.route<{ Params: NumberParams; Payload: WriteRequest }>({
    method: 'POST',
    path: '/phones/{number}/messages',
    options: {
      payload: { maxBytes: MAX_BODY_BYTES },
      validate: { params: numberParams, payload: writePayload },
    },
    handler: async ({ params, payload }, h) => {
      const messageId = await phoneOf(params).write(payload);
      return h.response({ messageId }).code(201);
    },
  });
}

function readRoute(server: Server, phoneOf: PhoneOf): void {
  server.route<{ Params: NumberParams; Payload: { messageIds: string[]; played?: boolean } }>({
    method: 'POST',
    path: '/phones/{number}/read',
    options: { validate: { params: numberParams, payload: readPayload } },
    handler: ({ params, payload: { messageIds, played } }) => {
      phoneOf(params).read(messageIds, played ? 'played' : 'read');
      return { read: messageIds.length };
    },
  });
}

/** The whole message, or only its file. */
function forgetRoute(server: Server, phoneOf: PhoneOf, part: '' | '/file'): void {
  server.route<{ Params: NumberParams & { messageId: string } }>({
    method: 'DELETE',
    path: `/phones/{number}/messages/{messageId}${part}`,
    options: { validate: { params: numberParams.keys({ messageId: idField.required() }) } },
    handler: ({ params }, h) => {
      phoneOf(params).forget(params.messageId, part === '/file' ? 'file' : undefined);
      return h.response().code(204);
    },
  });
}
