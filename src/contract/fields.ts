import Joi from 'joi';
import { CLIENT_ID } from '../domain/ids.js';
import { LIMITS } from '../domain/limits.js';
import { isLongerThan } from '../domain/text.js';

const clientId = Joi.string()
  .pattern(CLIENT_ID, 'letters and digits only')
  .messages({ 'string.pattern.name': 'clientId must be 1 to 64 letters and digits, no symbols' })
  .example('acme');

/** Printed pages do not name a bound that is longer than any real value. */
export const AMPLE = { ample: true } as const;
/** Printed pages do not show the fields inside: callers pass the value on as they got it, or the page describes it elsewhere. */
export const OPAQUE = { opaque: true } as const;
/** Printed pages only name the fields inside. */
export const NAMES_ONLY = { namesOnly: true } as const;

/** Characters of a file's URL: long enough for signed ones. */
export const FILE_URL_LENGTH = 8_192;
/** Bytes of a form beside its file. */
export const FRAMING_BYTES = 1024 * 1024;

/** The id of an earlier message. */
export const messageIdField = Joi.string()
  .max(LIMITS.messageIdLength)
  .meta(AMPLE)
  .example('3EB0A9253D5F6C2B1E7A90');

/** Sender and recipient; spread them into a kind's payload schema. */
export const addressFields = {
  clientId: clientId.required(),
  to: Joi.string().max(LIMITS.addressLength).meta(AMPLE).required().example('+15550000002'),
} as const;

export const META_TEXT =
  'Comes back as `meta` in the event and is stored with the message; `{"fromAI": true}` also marks the stored message';

/** The fields that most send routes share; spread them into a kind's payload schema. */
export const envelopeFields = {
  ...addressFields,
  quotedMessageId: messageIdField.description(
    'The message that this message answers. The quote shows what the gateway has stored of that message; a message with an unknown id is sent too',
  ),
  mentions: Joi.array()
    .items(Joi.string().pattern(/^\+?[0-9]{5,20}$/, 'LID or phone digits'))
    .max(1024)
    .description(
      'User-parts: LID or phone digits. Write `@<user-part>` into the text too: the gateway replaces it with the user-part ' +
        'on the wire, so both agree, also for a phone number',
    )
    .example(['90000000000002']),
  metaData: Joi.object().unknown(true).description(META_TEXT).example({ fromAI: true }),
  whenAllowed: Joi.boolean()
    .example(true)
    .description(
      '`true`: if the policy refuses the message for a time, the message is [held](policies.md#keep-a-refused-message) ' +
        'and sent when the policy allows it. The answer is then 202 with `status: "held"`, `rule` and `allowedAt`. Not for uploaded files',
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
