import Joi from 'joi';
import { CLIENT_ID } from '../domain/ids.js';
import { LIMITS } from '../domain/limits.js';

const clientId = Joi.string()
  .pattern(CLIENT_ID, 'letters and digits only')
  .messages({ 'string.pattern.name': 'clientId must be 1 to 64 letters and digits, no symbols' });

/** The address and envelope fields that all send routes share; spread them into a kind's payload schema. */
export const envelopeFields = {
  clientId: clientId.required(),
  to: Joi.string().max(128).required().example('+15550000002'),
  quotedMessageId: Joi.string().max(128).example('3EB0A9253D5F6C2B1E7A90'),
  mentions: Joi.array()
    .items(Joi.string().pattern(/^\+?[0-9]{5,20}$/, 'LID or phone digits'))
    .max(1024)
    .example(['90000000000002']),
  metaData: Joi.object().unknown(true).example({ fromAI: true }),
} as const;

/** A text that a person reads: not blank, and within the network's bound. */
export const textField = Joi.string().max(LIMITS.textLength);
