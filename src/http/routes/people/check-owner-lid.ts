import Joi from 'joi';
import { parsePhone } from '../../../domain/address.js';
import { LIMITS } from '../../../domain/limits.js';
import { route } from '../../route.js';
import { clientId } from '../../schemas.js';

interface CheckOwnerLidBody {
  clientId: string;
  number: string;
}

export const checkOwnerLid = route({
  method: 'POST',
  path: '/check-owner-lid',
  owner: 'session',
  description: "The session's own addresses, and whether a number is on the network",
  body: Joi.object<CheckOwnerLidBody>({
    clientId,
    number: Joi.string()
      .allow('')
      .max(LIMITS.addressLength)
      .custom((value: string, helpers) => (parsePhone(value) ? value : helpers.error('string.phone')))
      .messages({ 'string.phone': '{#label} must be a phone number with its country code' })
      .description('In any usual writing, with or without +')
      .default('')
      .example('+15550000002'),
  }),
  handler: ({ payload }, { services }) => services.people.ownerLid(payload.clientId, payload.number),
});
