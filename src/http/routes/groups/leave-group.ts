import Joi from 'joi';
import { route } from '../../route.js';
import { type GroupBody, groupFields } from './fields.js';

export const leaveGroup = route({
  method: 'POST',
  path: '/leave-group',
  owner: 'session',
  description: 'Leave a group',
  body: Joi.object<GroupBody>(groupFields),
  async handler({ payload }, { services }) {
    await services.groups.leave(payload.clientId, payload.groupJid);
    return { ok: true };
  },
});
