import Joi from 'joi';
import { LIMITS } from '../../../domain/limits.js';
import { route } from '../../route.js';
import { clientId } from '../../schemas.js';
import { participants } from './fields.js';

interface CreateGroupBody {
  clientId: string;
  subject: string;
  participants: string[];
}

export const createGroup = route({
  method: 'POST',
  path: '/create-group',
  owner: 'session',
  description: 'Create a group; the linked number becomes its owner',
  body: Joi.object<CreateGroupBody>({
    clientId,
    subject: Joi.string()
      .max(LIMITS.groupSubjectLength)
      .pattern(/\S/)
      .messages({ 'string.pattern.base': '{#label} must not be blank' })
      .required()
      .example('Weekend plans'),
    participants,
  }),
  handler: async ({ payload }, { services }) => ({
    group: await services.groups.create(payload.clientId, payload.subject, payload.participants),
  }),
});
