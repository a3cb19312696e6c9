import Joi from 'joi';

/** E.164 with `+`. */
export const numberField = Joi.string()
  .pattern(/^\+[1-9][0-9]{4,14}$/, 'E.164 number')
  .messages({ 'string.pattern.name': '{{#label}} must be an E.164 number such as +15550000001' });

export const groupField = Joi.string()
  .pattern(/^[0-9-]{5,32}@g\.us$/, 'group jid')
  .messages({
    'string.pattern.name': '{{#label}} must be the jid of a group, such as 120363000000000001@g.us',
  });

/** The other side of a chat: a person's number or a group's jid. */
export const partnerField = Joi.alternatives(numberField, groupField).messages({
  'alternatives.match': '{{#label}} must be an E.164 number such as +15550000001, or the jid of a group',
});

const MAX_PICTURE_CHARS = 8 * 1024 * 1024;
/** Body limit of the routes that take pictures. */
export const MAX_PICTURE_BODY_BYTES = 9 * 1024 * 1024;

/** An image in base64; null removes the picture. */
export const pictureField = Joi.string().base64().max(MAX_PICTURE_CHARS).allow(null);

export const numberParams = Joi.object({ number: numberField.required() });

export const deviceParams = numberParams.keys({ id: Joi.number().integer().min(1).required() });

export interface NumberParams {
  number: string;
}

export interface DeviceParams extends NumberParams {
  id: number;
}
