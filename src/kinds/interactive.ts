import type { proto } from '@whiskeysockets/baileys';
import Joi from 'joi';
import { LIMITS } from '../domain/limits.js';
import { type Button, buttonField, composeButton } from './button.js';
import { mentioning } from './context-info.js';
import { envelopeFields, textField } from './envelope.js';
import type { Content, Kind, KindSend, SendPayload } from './kind.js';

interface InteractivePayload extends SendPayload {
  bodyText: string;
  footerText?: string;
  buttons: Button[];
}

/** Phones show buttons of a message that says that its sender knows of the account's other devices. */
const DEVICE_LIST_VERSION = 2;
const NATIVE_FLOW_VERSION = 1;

const send: KindSend<InteractivePayload> = {
  path: '/send-interactive-message',
  description: 'Send a text with buttons',
  payload: Joi.object<InteractivePayload>({
    ...envelopeFields,
    bodyText: textField.required().example('Are you coming?'),
    footerText: Joi.string().allow('').max(LIMITS.footerLength).example('Please answer by Friday'),
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
    const interactiveMessage: proto.Message.IInteractiveMessage = {
      body: { text: bodyText },
      ...(footerText && { footer: { text: footerText } }),
      nativeFlowMessage: { buttons: buttons.map(composeButton), messageVersion: NATIVE_FLOW_VERSION },
      ...mentioning(mentionedJids),
    };
    const messageContextInfo = { deviceListMetadata: {}, deviceListMetadataVersion: DEVICE_LIST_VERSION };
    return { raw: { viewOnceMessage: { message: { messageContextInfo, interactiveMessage } } } };
  },
};

/**
 * A text with buttons, in any of the forms that businesses use or used. There is no event type of its own for it: it
 * reads as a text, its title, body and footer one below the other.
 */
export const interactive: Kind = {
  name: 'interactive',
  send,
  storedType: 'interactive',
  read(content) {
    const body = textsOf(content)
      .filter((part) => part?.trim())
      .join('\n');
    return body ? { type: 'text', body } : undefined;
  },
};

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
