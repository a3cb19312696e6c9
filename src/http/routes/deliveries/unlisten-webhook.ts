import Joi from 'joi';
import { route } from '../../route.js';
import { clientId, headerSecret } from '../../schemas.js';

const TOKEN_LENGTH = { min: 1, max: 1_024 };

interface UnlistenWebhookBody {
  clientId: string;
  webhookToken?: string;
}

export const unlistenWebhook = route({
  method: 'POST',
  path: '/unlisten-webhook',
  owner: 'session',
  description:
    "Give a session's events back to its webhook: from the listener of that token, or from whoever listens",
  body: Joi.object<UnlistenWebhookBody>({
    clientId,
    webhookToken: headerSecret(TOKEN_LENGTH).disallow(''),
  }),
  handler({ payload }, { services }) {
    const ended = services.listening.end(payload.clientId, payload.webhookToken);
    const { clientId, webhookUrl } = services.sessions.get(payload.clientId);
    return { ok: true, clientId, ended, webhookUrl };
  },
});
