import Joi from 'joi';
import { route } from '../../route.js';
import { type GroupBody, groupFields } from './fields.js';

export const getGroupParticipants = route({
  method: 'POST',
  path: '/get-group-participants',
  owner: 'session',
  description: 'A group and its members',
  body: Joi.object<GroupBody>(groupFields),
  handler: async ({ payload }, { services }) => ({
    group: await services.groups.get(payload.clientId, payload.groupJid),
  }),
});
