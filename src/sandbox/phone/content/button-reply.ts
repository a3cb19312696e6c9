import { proto } from '@whiskeysockets/baileys';
import Joi from 'joi';
import type { ButtonReplyContent, WriteContent } from '../../api.js';
import { quote } from '../context-info.js';
import { requireTarget } from '../targets.js';
import type { Composed, ContentView, PhoneContent } from './content.js';

const MAX_CHARS = 1_000;
const RESPONSE_VERSION = 3;

type Tap = NonNullable<WriteContent['buttonReply']>;

/** Somebody taps a button. */
export const buttonReply: PhoneContent = {
  write: {
    key: 'buttonReply',
    schema: Joi.object({
      messageId: Joi.string().required(),
      id: Joi.string().max(MAX_CHARS).required(),
      displayText: Joi.string().max(MAX_CHARS).required(),
      as: Joi.string().valid('interactive', 'buttons', 'template'),
    }),
    compose({ buttonReply: tap }, writing) {
      if (!tap) return undefined;
      requireTarget(writing, tap.messageId);
      const contextInfo = { ...writing.contextInfo, ...quote(writing.network, writing.phone, tap.messageId) };
      return SHAPES[tap.as ?? 'interactive'](tap, contextInfo);
    },
  },
  read({ interactiveResponseMessage, buttonsResponseMessage, templateButtonReplyMessage }) {
    if (interactiveResponseMessage) return readInteractive(interactiveResponseMessage);
    if (buttonsResponseMessage) {
      const { selectedButtonId, selectedDisplayText, contextInfo } = buttonsResponseMessage;
      return view(selectedButtonId, selectedDisplayText, contextInfo);
    }
    if (templateButtonReplyMessage) {
      const { selectedId, selectedDisplayText, contextInfo } = templateButtonReplyMessage;
      return view(selectedId, selectedDisplayText, contextInfo);
    }
    return undefined;
  },
};

const SHAPES: Record<
  NonNullable<Tap['as']>,
  (tap: ButtonReplyContent, contextInfo: proto.IContextInfo) => Composed
> = {
  interactive: ({ id, displayText }, contextInfo) => ({
    message: {
      interactiveResponseMessage: {
        body: { text: displayText },
        nativeFlowResponseMessage: {
          name: 'quick_reply',
          paramsJson: JSON.stringify({ id }),
          version: RESPONSE_VERSION,
        },
        contextInfo,
      },
    },
    shape: { type: 'media', enc: { mediatype: 'native_flow_response' } },
  }),
  buttons: ({ id, displayText }, contextInfo) => ({
    message: {
      buttonsResponseMessage: {
        selectedButtonId: id,
        selectedDisplayText: displayText,
        type: proto.Message.ButtonsResponseMessage.Type.DISPLAY_TEXT,
        contextInfo,
      },
    },
    shape: { type: 'media', enc: { mediatype: 'buttons_response' } },
  }),
  template: ({ id, displayText }, contextInfo) => ({
    message: {
      templateButtonReplyMessage: {
        selectedId: id,
        selectedDisplayText: displayText,
        selectedIndex: 0,
        contextInfo,
      },
    },
    shape: { type: 'text' },
  }),
};

function readInteractive({
  body,
  nativeFlowResponseMessage,
  contextInfo,
}: proto.Message.IInteractiveResponseMessage): ContentView {
  return view(idIn(nativeFlowResponseMessage?.paramsJson ?? ''), body?.text, contextInfo);
}

function idIn(paramsJson: string): string {
  try {
    return String(JSON.parse(paramsJson).id ?? '');
  } catch {
    return '';
  }
}

function view(
  id: string | null | undefined,
  displayText: string | null | undefined,
  contextInfo: proto.IContextInfo | null | undefined,
): ContentView {
  const reply = { messageId: contextInfo?.stanzaId ?? '', id: id ?? '', displayText: displayText ?? '' };
  return { type: 'buttonReply', text: reply.displayText, buttonReply: reply };
}
