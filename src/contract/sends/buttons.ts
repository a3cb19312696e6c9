import Joi, { type Schema } from 'joi';
import { LIMITS } from '../../domain/limits.js';
import { characters, envelopeFields, phoneField, shownText, textField } from '../fields.js';
import type { SendPayload, SendRequest } from './send-request.js';

/** A button as the API takes it. */
export type Button =
  | { type: 'quick_reply'; displayText: string; id: string }
  | { type: 'cta_url'; displayText: string; url: string }
  | { type: 'cta_call'; displayText: string; phoneNumber: string }
  | { type: 'cta_copy'; displayText: string; id: string; copyCode: string };

export interface InteractivePayload extends SendPayload {
  bodyText: string;
  footerText?: string;
  buttons: Button[];
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

/** What a tap on each type does. */
const TAPS: Readonly<Record<Button['type'], string>> = {
  quick_reply: 'A tap sends a reply; you get an `interactive_reply` event with the `id`',
  cta_url: 'A tap opens the address, http or https',
  cta_call: 'A tap calls the number: digits with the country code, `+` optional',
  cta_copy: 'A tap copies the code',
};
const TYPES = ['quick_reply', 'cta_url', 'cta_call', 'cta_copy'] as const;

/** One schema for each type, so that errors name the missing or surplus field. */
const buttonField = Joi.alternatives().conditional('.type', {
  switch: TYPES.map((type) => ({
    is: type,
    // biome-ignore lint/suspicious/noThenProperty: Joi's name for the schema of a case
    then: Joi.object({ type: Joi.string().valid(type).required(), ...FIELDS[type] }).description(TAPS[type]),
  })),
  otherwise: Joi.object({
    type: Joi.string()
      .valid(...TYPES)
      .required(),
  }).unknown(),
});

export const buttonsSend: SendRequest<InteractivePayload> = {
  path: '/send-interactive-message',
  description: 'Send a text with buttons',
  payload: Joi.object<InteractivePayload>({
    ...envelopeFields,
    bodyText: textField.required().description('The text').example('Are you coming?'),
    footerText: characters(LIMITS.footerLength)
      .allow('')
      .description('Small print below the text')
      .example('Please answer by Friday'),
    buttons: Joi.array()
      .items(buttonField)
      .min(1)
      .max(LIMITS.buttonsMax)
      .required()
      .description('The buttons. Each takes exactly the fields of its `type`; `displayText` is the label')
      .example([
        { type: 'quick_reply', displayText: 'Yes', id: 'yes' },
        { type: 'cta_url', displayText: 'The menu', url: 'https://example.com/menu' },
        { type: 'cta_call', displayText: 'Call us', phoneNumber: '+15550000001' },
        { type: 'cta_copy', displayText: 'Copy the code', id: 'code', copyCode: 'LUNCH-10' },
      ]),
  }),
};

function isWebAddress(text: string): boolean {
  // the URL parser alone would take "http:example.com" and addresses with spaces around them
  return /^https?:\/\/[^\s/]\S*$/i.test(text) && URL.canParse(text);
}
