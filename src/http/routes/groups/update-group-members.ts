import Joi from 'joi';
import { route } from '../../route.js';
import { type GroupBody, groupFields, participants } from './fields.js';

const ACTIONS = ['add', 'remove', 'promote', 'demote'] as const;

interface UpdateGroupMembersBody extends GroupBody {
  action: (typeof ACTIONS)[number];
  participants: string[];
}

export const updateGroupMembers = route({
  method: 'POST',
  path: '/update-group-members',
  owner: 'session',
  description: 'Add, remove, promote or demote members; needs admin rights',
  body: Joi.object<UpdateGroupMembersBody>({
    ...groupFields,
    action: Joi.string()
      .valid(...ACTIONS)
      .required(),
    participants,
  }),
  async handler({ payload }, { services }) {
    const { clientId, groupJid, action } = payload;
    const members = await services.groups.changeMembers(clientId, groupJid, action, payload.participants);
    return { members };
  },
});
