import Joi from 'joi';
import { route } from '../../route.js';
import { clientId } from '../../schemas.js';

interface SetEnableGroupAiBody {
  clientId: string;
  enabled: boolean;
}

export const setEnableGroupAi = route({
  method: 'POST',
  path: '/set-enable-group-ai',
  owner: 'session',
  description: 'Deliver group messages as events, or not',
  body: Joi.object<SetEnableGroupAiBody>({ clientId, enabled: Joi.boolean().required() }),
  async handler({ payload }, { services }) {
    const view = await services.sessions.setEnableGroupAi(payload.clientId, payload.enabled);
    return { ok: true, clientId: view.clientId, enabled: view.enableGroupAi };
  },
});
