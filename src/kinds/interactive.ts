import Joi, { type Schema } from 'joi';
import { LIMITS } from '../domain/limits.js';
import { buttonsIn } from './buttons.js';
import { mentioning } from './context-info.js';
import { characters, envelopeFields, phoneField, shownText, textField } from './fields.js';
import type { Content, Kind, KindSend, SendPayload } from './kind.js';
import type { proto } from './protocol-types.js';

/** A button as the API takes it. */
type Button =
  | { type: 'quick_reply'; displayText: string; id: string }
  | { type: 'cta_url'; displayText: string; url: string }
  | { type: 'cta_call'; displayText: string; phoneNumber: string }
  | { type: 'cta_copy'; displayText: string; id: string; copyCode: string };

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

/** One schema for each type, so that errors name the missing or surplus field. */
const buttonField = Joi.alternatives().conditional('.type', {
  switch: Object.entries(FIELDS).map(([type, fields]) => ({
    is: type,
    // biome-ignore lint/suspicious/noThenProperty: Joi's name for the schema of a case
    then: Joi.object({ type: Joi.string().valid(type).required(), ...fields }),
  })),
  otherwise: Joi.object({
    type: Joi.string()
      .valid(...TYPES)
      .required(),
  }).unknown(),
});

interface InteractivePayload extends SendPayload {
  bodyText: string;
  footerText?: string;
  buttons: Button[];
}

/** Phones show buttons only in messages with this version of the sender's device list. */
const DEVICE_LIST_VERSION = 2;
export const NATIVE_FLOW_VERSION = 1;

const send: KindSend<InteractivePayload> = {
  path: '/send-interactive-message',
  description: 'Send a text with buttons',
  payload: Joi.object<InteractivePayload>({
    ...envelopeFields,
    bodyText: textField.required().example('Are you coming?'),
    footerText: characters(LIMITS.footerLength).allow('').example('Please answer by Friday'),
    buttons: Joi.array()
      .items(buttonField)
      .min(1)
      .max(LIMITS.buttonsMax)
      .required()
      .example([
        { type: 'quick_reply', displayText: 'Yes', id: 'yes' },
        { type: 'cta_url', displayText: 'The menu', url: 'https://example.com/menu' },
        { type: 'cta_call', displayText: 'Call us', phoneNumber: '+15550000001' },
        { type: 'cta_copy', displayText: 'Copy the code', id: 'code', copyCode: 'LUNCH-10' },
      ]),
  }),
  compose({ bodyText, footerText, buttons }, { mentionedJids }) {
    return composeInteractive({
      body: { text: bodyText },
      ...(footerText && { footer: { text: footerText } }),
      nativeFlowMessage: { buttons: buttons.map(composeButton), messageVersion: NATIVE_FLOW_VERSION },
      ...mentioning(mentionedJids),
    });
  },
};

/**
 * A text with buttons, in any form that businesses use or used. The event has the type of a text, with title, body and
 * footer on separate lines and the object `buttons`.
 */
export const interactive: Kind = {
  name: 'interactive',
  send,
  storedType: 'interactive',
  read(content) {
    const body = linesOf(content);
    if (!body) return undefined;
    const buttons = buttonsIn(content);
    return { type: 'text', body, ...(buttons.length > 0 && { extra: { buttons } }) };
  },
};

/** Title, body and footer of an interactive message; empty for any other content. */
export function linesOf(content: Content): string {
  return textsOf(content)
    .filter((part) => part?.trim())
    .join('\n');
}

/** Wraps an interactive message in the only form in which phones show its buttons. */
export function composeInteractive(interactiveMessage: proto.Message.IInteractiveMessage): { raw: Content } {
  const messageContextInfo = { deviceListMetadata: {}, deviceListMetadataVersion: DEVICE_LIST_VERSION };
  return { raw: { viewOnceMessage: { message: { messageContextInfo, interactiveMessage } } } };
}

function textsOf(content: Content): (string | null | undefined)[] {
  const { interactiveMessage, buttonsMessage, listMessage, templateMessage } = content;
  if (interactiveMessage) return textsOfFlow(interactiveMessage);
  if (buttonsMessage) return [buttonsMessage.text, buttonsMessage.contentText, buttonsMessage.footerText];
  if (listMessage) return [listMessage.title, listMessage.description, listMessage.footerText];
  if (!templateMessage) return [];
  if (templateMessage.interactiveMessageTemplate)
    return textsOfFlow(templateMessage.interactiveMessageTemplate);
  const filled = templateMessage.hydratedTemplate ?? templateMessage.hydratedFourRowTemplate;
  return [filled?.hydratedTitleText, filled?.hydratedContentText, filled?.hydratedFooterText];
}

function textsOfFlow(flow: proto.Message.IInteractiveMessage): (string | null | undefined)[] {
  const cards = flow.carouselMessage?.cards ?? [];
  const ofCards = cards.flatMap(({ header, body, footer }) => [header?.title, body?.text, footer?.text]);
  return [flow.header?.title, flow.header?.subtitle, flow.body?.text, ...ofCards, flow.footer?.text];
}

/** The button in the form of the protocol, with its fields as JSON. */
function composeButton(button: Button): { name: string; buttonParamsJson: string } {
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
