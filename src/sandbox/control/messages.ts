import type { Server } from '@hapi/hapi';
import Joi from 'joi';
import { type ChatUpdate, DEVICE_COPIES, type WriteRequest } from '../api.js';
import type { Parts } from '../clients/parts.js';
import { type NumberParams, numberField, numberParams, partnerField } from '../fields.js';
import { WRITERS } from '../phone/content/index.js';
import type { Phone } from '../phone/phone.js';

const MAX_IDS = 1_000;
/** For files in base64; larger files go through `POST /files`. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;
const MAX_FORWARDS = 1_000;
const MAX_EPHEMERAL_S = 365 * 24 * 60 * 60;
const idField = Joi.string().max(128);

const contentFields = WRITERS.flatMap(({ key, schema, options = {} }) => [
  [key, schema],
  ...Object.entries(options).map(([option, optionSchema]) => [
    option,
    optionSchema.when(key, { is: Joi.exist(), otherwise: Joi.forbidden() }),
  ]),
]);

const adTextField = Joi.string().max(2_048);
const adField = Joi.object({
  ...Object.fromEntries(
    [
      'sourceUrl',
      'sourceId',
      'title',
      'body',
      'mediaUrl',
      'thumbnailUrl',
      'ctwaClid',
      'ref',
      'sourceApp',
    ].map((name) => [name, adTextField]),
  ),
  sourceType: Joi.string().valid('ad', 'post'),
  mediaType: Joi.string().valid('image', 'video'),
});

const writePayload = Joi.object({
  to: partnerField.required(),
  quotedMessageId: idField,
  mentions: Joi.array().items(numberField).max(MAX_IDS),
  forwarded: Joi.boolean(),
  forwardingScore: Joi.number().integer().min(1).max(MAX_FORWARDS),
  ephemeral: Joi.number().integer().min(1).max(MAX_EPHEMERAL_S),
  ad: adField,
  deviceCopy: Joi.string().valid(...DEVICE_COPIES),
  ...Object.fromEntries(contentFields),
})
  .xor(...WRITERS.map(({ key }) => key))
  .without('ad', ['vote', 'reaction', 'edit', 'encryptedEdit', 'revoke', 'raw'])
  .required();

const readPayload = Joi.object({
  messageIds: Joi.array().items(idField).min(1).max(MAX_IDS).required(),
  played: Joi.boolean(),
}).required();

/** The lists of a phone, by the last word of the path. */
const VIEWS: Record<string, (phone: Phone) => object> = {
  messages: ({ held }) => ({ messages: held.views() }),
  changes: ({ changes }) => ({ changes: changes.views() }),
  chatstates: ({ chatstates }) => ({ chatstates }),
};

/** Messages: writing, reading, deleting and listing them. */
export function messageRoutes(server: Server, { network, phones }: Parts): void {
  // what reached a phone before the request counts
  const phoneOf = async ({ number }: NumberParams) => {
    const phone = phones.of(network.directory.require(number));
    await phone.settled();
    return phone;
  };
  writeRoute(server, phoneOf);
  readRoute(server, phoneOf);
  repeatRoute(server, phoneOf);
  forgetRoute(server, phoneOf, '');
  forgetRoute(server, phoneOf, '/file');
  for (const [name, view] of Object.entries(VIEWS)) {
    server.route<{ Params: NumberParams }>({
      method: 'GET',
      path: `/phones/{number}/${name}`,
      options: { validate: { params: numberParams } },
      handler: async ({ params }) => view(await phoneOf(params)),
    });
  }
}

type PhoneOf = (params: NumberParams) => Promise<Phone>;

function writeRoute(server: Server, phoneOf: PhoneOf): void {
  server.route<{ Params: NumberParams; Payload: WriteRequest }>({
    method: 'POST',
    path: '/phones/{number}/messages',
    options: {
      payload: { maxBytes: MAX_BODY_BYTES },
      validate: { params: numberParams, payload: writePayload },
    },
    handler: async ({ params, payload }, h) => {
      const phone = await phoneOf(params);
      const messageId = await phone.write(payload);
      return h.response({ messageId }).code(201);
    },
  });
}

function readRoute(server: Server, phoneOf: PhoneOf): void {
  server.route<{ Params: NumberParams; Payload: { messageIds: string[]; played?: boolean } }>({
    method: 'POST',
    path: '/phones/{number}/read',
    options: { validate: { params: numberParams, payload: readPayload } },
    handler: async ({ params, payload: { messageIds, played } }) => {
      const phone = await phoneOf(params);
      phone.read(messageIds, played ? 'played' : 'read');
      return { read: messageIds.length };
    },
  });
}

/** Encrypts a message once more under its id, for the linked devices that got it. */
function repeatRoute(server: Server, phoneOf: PhoneOf): void {
  server.route<{ Params: NumberParams & { messageId: string } }>({
    method: 'POST',
    path: '/phones/{number}/messages/{messageId}/repeat',
    options: { validate: { params: numberParams.keys({ messageId: idField.required() }) } },
    handler: async ({ params }, h) => {
      const phone = await phoneOf(params);
      await phone.repeat(params.messageId);
      return h.response().code(204);
    },
  });
}

/** The whole message, or only its file. */
function forgetRoute(server: Server, phoneOf: PhoneOf, part: '' | '/file'): void {
  server.route<{ Params: NumberParams & { messageId: string } }>({
    method: 'DELETE',
    path: `/phones/{number}/messages/{messageId}${part}`,
    options: { validate: { params: numberParams.keys({ messageId: idField.required() }) } },
    handler: async ({ params }, h) => {
      const phone = await phoneOf(params);
      phone.forget(params.messageId, part === '/file' ? 'file' : undefined);
      return h.response().code(204);
    },
  });
}

const updatePayload = Joi.object({
  unread: Joi.boolean(),
  archived: Joi.boolean(),
  pinned: Joi.boolean(),
  muted: Joi.boolean(),
})
  .min(1)
  .required();

/** The settings of chats, shared by a phone and its linked devices. */
export function chatRoutes(server: Server, { network, phones }: Parts): void {
  server.route<{ Params: NumberParams }>({
    method: 'GET',
    path: '/phones/{number}/chats',
    options: { validate: { params: numberParams } },
    handler: ({ params }) => phones.of(network.directory.require(params.number)).settings.chats(),
  });
  server.route<{ Params: NumberParams & { partner: string }; Payload: ChatUpdate }>({
    method: 'PATCH',
    path: '/phones/{number}/chats/{partner}',
    options: {
      validate: { params: numberParams.keys({ partner: partnerField.required() }), payload: updatePayload },
    },
    handler: ({ params, payload }) =>
      phones.of(network.directory.require(params.number)).settings.change(params.partner, payload),
  });
}
