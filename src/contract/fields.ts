import Joi from 'joi';
import { CLIENT_ID } from '../domain/ids.js';
import { LIMITS } from '../domain/limits.js';
import { isLongerThan } from '../domain/text.js';

const clientId = Joi.string()
  .pattern(CLIENT_ID, 'letters and digits only')
  .messages({ 'string.pattern.name': 'clientId must be 1 to 64 letters and digits, no symbols' })
  .example('acme');

/** The id of an earlier message. */
export const messageIdField = Joi.string().max(LIMITS.messageIdLength).example('3EB0A9253D5F6C2B1E7A90');

/** Sender and recipient; spread them into a kind's payload schema. */
export const addressFields = {
  clientId: clientId.required(),
  to: Joi.string().max(LIMITS.addressLength).required().example('+15550000002'),
} as const;

/** The fields that most send routes share; spread them into a kind's payload schema. */
export const envelopeFields = {
  ...addressFields,
  quotedMessageId: messageIdField,
  mentions: Joi.array()
    .items(Joi.string().pattern(/^\+?[0-9]{5,20}$/, 'LID or phone digits'))
    .max(1024)
    .example(['90000000000002']),
  metaData: Joi.object().unknown(true).example({ fromAI: true }),
  whenAllowed: Joi.boolean()
    .example(true)
    .description(
      'Keep the message if the policy refuses it for a time, and send it when the policy allows it',
    ),
} as const;

/** A phone number in digits with country code, with or without a plus sign. */
export const phoneField = Joi.string()
  .pattern(/^\+?[1-9][0-9]{4,14}$/)
  .messages({ 'string.pattern.base': '{#label} must be 5 to 15 digits, the country code first' });

/**
 * A text of at most `limit` characters, as people count them.
 * @param units the network's own limit in UTF-16 code units, of which an emoji has up to 16; default: none
 */
export function characters(limit: number, units = Number.POSITIVE_INFINITY): Joi.StringSchema {
  return Joi.string()
    .custom((value: string, helpers) => {
      if (isLongerThan(value, limit)) return helpers.error('string.max', { limit });
      return value.length > units ? helpers.error('string.units', { units, found: value.length }) : value;
    })
    .messages({
      'string.units':
        '{#label} must not have more than {#units} UTF-16 code units, the bound of WhatsApp, and has {#found}: an emoji has up to 16',
    })
    .meta({ maxLength: limit });
}

/** A text for people: not blank, with a maximum length in characters. */
export function shownText(maxLength: number): Joi.StringSchema {
  return characters(maxLength)
    .pattern(/\S/)
    .messages({ 'string.pattern.base': '{#label} must not be blank' });
}

/** The text of a message, up to the network's limit. */
export const textField = shownText(LIMITS.textLength);
