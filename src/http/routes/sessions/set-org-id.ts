import Joi from 'joi';
import { route } from '../../route.js';
import { clientId } from '../../schemas.js';

const ORG_ID_LENGTH = 128;

interface SetOrgIdBody {
  clientId: string;
  orgId: string;
}

export const setOrgId = route({
  method: 'POST',
  path: '/set-org-id',
  owner: 'session',
  description: 'Set the workspace whose history is kept; an empty orgId ends it',
  body: Joi.object<SetOrgIdBody>({
    clientId,
    orgId: Joi.string().allow('').max(ORG_ID_LENGTH).required().example('workspace1'),
  }),
  async handler({ payload }, { services }) {
    const { clientId, orgId } = await services.sessions.setOrgId(payload.clientId, payload.orgId);
    return { ok: true, clientId, orgId };
  },
});
