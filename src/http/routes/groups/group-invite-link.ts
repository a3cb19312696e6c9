import Joi from 'joi';
import { route } from '../../route.js';
import { type GroupBody, groupFields } from './fields.js';

interface GroupInviteLinkBody extends GroupBody {
  reset: boolean;
}

export const groupInviteLink = route({
  method: 'POST',
  path: '/group-invite-link',
  owner: 'session',
  description: 'The link that lets people join; `reset` revokes the current one and issues a new one',
  body: Joi.object<GroupInviteLinkBody>({ ...groupFields, reset: Joi.boolean().default(false) }),
  async handler({ payload }, { services }) {
    const { clientId, groupJid, reset } = payload;
    return { link: await services.groups.inviteLink(clientId, groupJid, reset) };
  },
});
