import type { Server } from '@hapi/hapi';
import Joi from 'joi';
import type { ChannelPost } from '../api.js';
import type { Parts } from '../clients/parts.js';
import { type NumberParams, numberParams } from '../fields.js';
import { postInChannel } from '../phone/posts.js';

const MAX_TEXT = 4_096;
const MAX_CHANNEL_DIGITS = 20;
const textField = Joi.string().min(1).max(MAX_TEXT).required();

/** Statuses of people, and the posts of channels. */
export function postRoutes(server: Server, { network, phones }: Parts): void {
  server.route<{ Params: NumberParams; Payload: { text: string } }>({
    method: 'POST',
    path: '/phones/{number}/statuses',
    options: { validate: { params: numberParams, payload: Joi.object({ text: textField }).required() } },
    handler: async ({ params, payload }, h) => {
      const messageId = await phones.of(network.directory.require(params.number)).postStatus(payload.text);
      return h.response({ messageId }).code(201);
    },
  });
  server.route<{ Params: NumberParams; Payload: ChannelPost }>({
    method: 'POST',
    path: '/phones/{number}/channel-posts',
    options: {
      validate: {
        params: numberParams,
        payload: Joi.object({
          text: textField,
          channel: Joi.string()
            .pattern(/^[0-9]+$/, 'digits')
            .max(MAX_CHANNEL_DIGITS),
        }).required(),
      },
    },
    handler: ({ params, payload }, h) => {
      const messageId = postInChannel(network, network.directory.require(params.number), payload);
      return h.response({ messageId }).code(201);
    },
  });
}
