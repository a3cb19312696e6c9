import Joi from 'joi';
import { route } from '../../route.js';
import { clientId } from '../../schemas.js';

interface CheckOwnerLidBody {
  clientId: string;
  number: string;
}

/** In any usual writing, with or without `+`. */
const PHONE = /^\+?[1-9](?:[\s().\-/]*[0-9]){4,14}$/;

export const checkOwnerLid = route({
  method: 'POST',
  path: '/check-owner-lid',
  owner: 'session',
  description: "The session's own addresses, and whether a number is on the network",
  body: Joi.object<CheckOwnerLidBody>({
    clientId,
    number: Joi.string()
      .allow('')
      .pattern(PHONE)
      .messages({ 'string.pattern.base': '{#label} must be a phone number with its country code' })
      .default('')
      .example('+15550000002'),
  }),
  handler: ({ payload }, { services }) => services.people.ownerLid(payload.clientId, payload.number),
});
