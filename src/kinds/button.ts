import Joi, { type Schema } from 'joi';
import { LIMITS } from '../domain/limits.js';
import { phoneField, shownText } from './envelope.js';

/** A button as the API takes it. */
export type Button =
  | { type: 'quick_reply'; displayText: string; id: string }
  | { type: 'cta_url'; displayText: string; url: string }
  | { type: 'cta_call'; displayText: string; phoneNumber: string }
  | { type: 'cta_copy'; displayText: string; id: string; copyCode: string };

/** A button as phones take it: its parts are JSON within the message. */
export interface NativeButton {
  name: string;
  buttonParamsJson: string;
}

const displayText = shownText(LIMITS.buttonLabelLength).required();
const id = Joi.string().max(LIMITS.buttonIdLength).required();

/** The fields of each type, beside `type`. */
const FIELDS: Readonly<Record<Button['type'], Record<string, Schema>>> = {
  quick_reply: { displayText, id },
  cta_url: {
    displayText,
    url: Joi.string()
      .max(LIMITS.buttonUrlLength)
      .custom((value: string, helpers) => (isWebAddress(value) ? value : helpers.error('string.webAddress')))
      .messages({ 'string.webAddress': '{#label} must be an absolute http(s) URL' })
      .required(),
  },
  cta_call: { displayText, phoneNumber: phoneField.required() },
  cta_copy: { displayText, id, copyCode: Joi.string().max(LIMITS.buttonIdLength).required() },
};

const TYPES = Object.keys(FIELDS);

/** Each type has fields of its own, so that what is missing or too much is named. */
export const buttonField = Joi.alternatives().conditional('.type', {
  switch: Object.entries(FIELDS).map(([type, fields]) => ({
    is: type,
    // biome-ignore lint/suspicious/noThenProperty: so Joi calls what follows from a condition
    then: Joi.object({ type: Joi.string().valid(type).required(), ...fields }),
  })),
  otherwise: Joi.object({
    type: Joi.string()
      .valid(...TYPES)
      .required(),
  }).unknown(),
});

/** The button as phones take it. */
export function composeButton(button: Button): NativeButton {
  const params = { display_text: button.displayText, ...paramsOf(button) };
  return { name: button.type, buttonParamsJson: JSON.stringify(params) };
}

function paramsOf(button: Button): Record<string, string> {
  switch (button.type) {
    case 'quick_reply':
      return { id: button.id };
    case 'cta_url':
      return { url: button.url, merchant_url: button.url };
    case 'cta_call':
      return { phone_number: withPlus(button.phoneNumber) };
    case 'cta_copy':
      return { id: button.id, copy_code: button.copyCode };
  }
}

function isWebAddress(text: string): boolean {
  // the URL parser alone would take "http:example.com" and addresses with spaces around them
  return /^https?:\/\/[^\s/]\S*$/i.test(text) && URL.canParse(text);
}

function withPlus(phone: string): string {
  return phone.startsWith('+') ? phone : `+${phone}`;
}
