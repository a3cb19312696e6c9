import Joi from 'joi';
import { record } from '../schema.js';

/** E.164 with `+`. */
export const number = Joi.string()
  .pattern(/^\+[1-9][0-9]{4,14}$/, 'E.164 number')
  .messages({ 'string.pattern.name': '{{#label}} must be an E.164 number such as +15550000001' })
  .example('+15550000001');

export const groupJid = Joi.string()
  .pattern(/^[0-9-]{5,32}@g\.us$/, 'group jid')
  .messages({
    'string.pattern.name': '{{#label}} must be the jid of a group, such as 120363000000000001@g.us',
  })
  .example('120363000000000001@g.us');

/** The other side of a chat. */
export const partner = Joi.alternatives<string>(number, groupJid)
  .messages({
    'alternatives.match': '{{#label}} must be an E.164 number such as +15550000001, or the jid of a group',
  })
  .description("A number, or a group's jid")
  .example('+15550000002');

const MAX_PICTURE_CHARS = 8 * 1024 * 1024;
/** Body limit of the routes that take pictures. */
export const MAX_PICTURE_BODY_BYTES = 9 * 1024 * 1024;

export const picture = Joi.string<string | null>()
  .base64()
  .max(MAX_PICTURE_CHARS)
  .allow(null)
  .description('An image in base64; null removes the picture');

/** A text of a request; it must not be empty. */
export function shortText(maxLength: number): Joi.StringSchema {
  return Joi.string().max(maxLength);
}

/** A whole number of a request. */
export function whole(min: number, max?: number): Joi.NumberSchema {
  const schema = Joi.number().integer().min(min);
  return max === undefined ? schema : schema.max(max);
}

/** An object with any keys. */
export function mapOf<T>(value: Joi.AnySchema<T>): Joi.ObjectSchema<Record<string, T>> {
  return Joi.object<Record<string, T>, false, Record<string, T>>().pattern(Joi.string(), value);
}

export const MAX_EPHEMERAL_S = 365 * 24 * 60 * 60;

export const numberParams = record({ number });
export const deviceParams = record({ number, id: whole(1).example(1) });

/** Seconds since the epoch. */
export const seconds = Joi.number().integer().min(0).description('Seconds since the epoch');
