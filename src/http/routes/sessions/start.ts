import Joi from 'joi';
import { EXTRA_EVENT_TYPES, type ExtraEventType } from '../../../events/catalogue.js';
import { route } from '../../route.js';
import { headerSecret, receiverUrl, requiredClient } from '../../schemas.js';

const TOKEN_LENGTH = { min: 1, max: 1_024 };

/** Where events go, as both `/start` and `/set-webhook` take it. */
export const webhookFields = {
  webhookToken: headerSecret(TOKEN_LENGTH),
  pollLookupUrl: receiverUrl,
  extraEvents: Joi.array()
    .items(Joi.valid(...EXTRA_EVENT_TYPES))
    .unique(),
};

interface StartBody {
  webhookUrl?: string;
  webhookToken?: string;
  pollLookupUrl?: string;
  extraEvents?: ExtraEventType[];
}

export const start = route({
  method: 'POST',
  path: '/start',
  owner: 'session',
  creates: true,
  description: 'Create a session, or wake it; returns before it is connected',
  query: requiredClient,
  body: Joi.object<StartBody>({ webhookUrl: receiverUrl, ...webhookFields }),
  async handler({ query, payload }, { services, facts }) {
    const view = await services.sessions.start(query.clientId, payload);
    const { clientId, status, webhookUrl, pollLookupUrl } = view;
    return { clientId, status, podName: facts.podName, webhookUrl, pollLookupUrl };
  },
});
