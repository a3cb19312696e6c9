import type { proto } from '@whiskeysockets/baileys';
import type { ButtonView } from '../../api.js';
import { isRenderedFlow } from '../../routing/buttons.js';
import type { PhoneContent } from './content.js';

/** The network's names of a button's parts, and those of the gateway's API. */
const PARTS = new Map([
  ['display_text', 'displayText'],
  ['id', 'id'],
  ['url', 'url'],
  ['phone_number', 'phoneNumber'],
  ['copy_code', 'copyCode'],
] as const);

/** A message with native buttons. People cannot write these, businesses can. */
export const buttons: PhoneContent = {
  read({ interactiveMessage }, { extras }) {
    if (!interactiveMessage) return undefined;
    const { body, footer, nativeFlowMessage } = interactiveMessage;
    const bodyText = body?.text ?? '';
    return {
      type: 'buttons',
      text: bodyText,
      bodyText,
      footerText: footer?.text ?? '',
      buttons: (nativeFlowMessage?.buttons ?? []).map(readButton),
      rendered: isRenderedFlow(extras),
    };
  },
};

function readButton({
  name,
  buttonParamsJson,
}: proto.Message.InteractiveMessage.NativeFlowMessage.INativeFlowButton): ButtonView {
  const button: ButtonView = { type: name ?? '', displayText: '' };
  for (const [part, value] of Object.entries(parse(buttonParamsJson ?? ''))) {
    const field = fieldOf(part);
    if (field && typeof value === 'string') button[field] = value;
  }
  return button;
}

function fieldOf(part: string) {
  for (const [name, field] of PARTS) if (name === part) return field;
  return undefined;
}

function parse(json: string): object {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
