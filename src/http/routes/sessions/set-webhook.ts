import Joi from 'joi';
import type { ExtraEventType } from '../../../events/catalogue.js';
import { route } from '../../route.js';
import { clientId, receiverUrl } from '../../schemas.js';
import { webhookFields } from './start.js';

interface SetWebhookBody {
  clientId: string;
  webhookUrl: string;
  webhookToken?: string;
  pollLookupUrl?: string;
  extraEvents?: ExtraEventType[];
}

export const setWebhook = route({
  method: 'POST',
  path: '/set-webhook',
  owner: 'session',
  description: 'Change where events go; an empty webhookUrl stops delivery',
  body: Joi.object<SetWebhookBody>({ clientId, webhookUrl: receiverUrl.required(), ...webhookFields }),
  async handler({ payload: { clientId, ...settings } }, { services }) {
    const { webhookUrl, pollLookupUrl } = await services.sessions.setWebhook(clientId, settings);
    return { ok: true, clientId, webhookUrl, pollLookupUrl };
  },
});
