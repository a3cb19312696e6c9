import { type Button, buttonsSend, type InteractivePayload } from '../../contract/sends/buttons.js';
import { buttonsIn } from './buttons.js';
import { mentioning } from './context-info.js';
import type { Content, Kind, KindSend } from './kind.js';
import type { proto } from './protocol-types.js';

/** Phones show buttons only in messages with this version of the sender's device list. */
const DEVICE_LIST_VERSION = 2;
export const NATIVE_FLOW_VERSION = 1;

const send: KindSend<InteractivePayload> = {
  ...buttonsSend,
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

function withPlus(phone: string): string {
  return phone.startsWith('+') ? phone : `+${phone}`;
}
