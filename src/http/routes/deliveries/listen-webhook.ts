import Joi from 'joi';
import { LIMITS } from '../../../domain/limits.js';
import { EXTRA_EVENT_TYPES } from '../../../events/catalogue.js';
import type { ListenWish } from '../../../services/services.js';
import { route } from '../../route.js';
import { clientId, headerSecret, httpUrl } from '../../schemas.js';

const URL_LENGTH = 2_048;
/** Longer than that of a webhook: it is made by a program, and tells one listener from another. */
const TOKEN_LENGTH = { min: 16, max: 1_024 };
const DEFAULT_SECONDS = 30;

export const listenWebhook = route({
  method: 'POST',
  path: '/listen-webhook',
  owner: 'session',
  description: "Take a session's events in place of its webhook for some seconds; call again to go on",
  body: Joi.object<ListenWish>({
    clientId,
    webhookUrl: httpUrl(URL_LENGTH).required().example('http://127.0.0.1:4000/webhook'),
    webhookToken: headerSecret(TOKEN_LENGTH).disallow('').required().example('a-token-made-for-this-one'),
    extraEvents: Joi.array()
      .items(Joi.valid(...EXTRA_EVENT_TYPES))
      .unique()
      .default([]),
    seconds: Joi.number().integer().min(LIMITS.listenMin).max(LIMITS.listenMax).default(DEFAULT_SECONDS),
    takeOver: Joi.boolean().default(false),
  }),
  async handler({ payload }, { services }) {
    return { ok: true, ...(await services.listening.listen(payload)) };
  },
});
