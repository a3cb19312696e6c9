import Joi from 'joi';

/** E.164 with `+`. */
export const numberField = Joi.string()
  .pattern(/^\+[1-9][0-9]{4,14}$/, 'E.164 number')
  .messages({ 'string.pattern.name': '{{#label}} must be an E.164 number such as +15550000001' });

/** Routes of one phone. */
export const numberParams = Joi.object({ number: numberField.required() });

export interface NumberParams {
  number: string;
}
