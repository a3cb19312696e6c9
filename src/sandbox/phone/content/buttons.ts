import { proto } from '@whiskeysockets/baileys';
import type { ButtonReplyContent, ButtonView, WriteContent } from '../../../contract/sandbox/index.js';
import { parseObject } from '../../../domain/json.js';
import { child, type Stanza } from '../../wire/stanza.js';
import { quote, requireTarget } from '../targets.js';
import type { Composed, ContentView, PhoneContent } from './content.js';

/** The fields of a button on the wire and in the gateway's API. */
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
  for (const [part, value] of Object.entries(parseObject(buttonParamsJson ?? '') ?? {})) {
    const field = fieldOf(part);
    if (field && typeof value === 'string') button[field] = value;
  }
  return button;
}

function fieldOf(part: string) {
  for (const [name, field] of PARTS) if (name === part) return field;
  return undefined;
}

const RESPONSE_VERSION = 3;

/** An answer to a native flow. @param name of the flow's button */
function flowReply(name: string, id: string, text: string, contextInfo: proto.IContextInfo): Composed {
  return {
    message: {
      interactiveResponseMessage: {
        body: { text },
        nativeFlowResponseMessage: { name, paramsJson: JSON.stringify({ id }), version: RESPONSE_VERSION },
        contextInfo,
      },
    },
    shape: { type: 'media', enc: { mediatype: 'native_flow_response' } },
  };
}

type Tap = NonNullable<WriteContent['buttonReply']>;

/** Somebody taps a button. */
export const buttonReply: PhoneContent = {
  write: {
    key: 'buttonReply',
    compose({ buttonReply: tap }, writing) {
      if (!tap) return undefined;
      requireTarget(writing, tap.messageId);
      const contextInfo = { ...writing.contextInfo, ...quote(writing, tap.messageId) };
      return SHAPES[tap.as ?? 'interactive'](tap, contextInfo);
    },
  },
  read({ interactiveResponseMessage, buttonsResponseMessage, templateButtonReplyMessage }) {
    if (interactiveResponseMessage?.nativeFlowResponseMessage?.name === LIST_FLOW) return undefined;
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
  interactive: ({ id, displayText }, contextInfo) => flowReply('quick_reply', id, displayText, contextInfo),
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
  return String(parseObject(paramsJson)?.id ?? '');
}

function view(
  id: string | null | undefined,
  displayText: string | null | undefined,
  contextInfo: proto.IContextInfo | null | undefined,
): ContentView {
  const reply = { messageId: contextInfo?.stanzaId ?? '', id: id ?? '', displayText: displayText ?? '' };
  return { type: 'buttonReply', text: reply.displayText, buttonReply: reply };
}

/** The name with which phones answer a native list. */
const LIST_FLOW = 'menu_options';

/** Somebody chooses a row of a list. */
export const listReply: PhoneContent = {
  write: {
    key: 'listReply',
    compose({ listReply: choice }, writing) {
      if (!choice) return undefined;
      const { messageId, id, title, as } = choice;
      requireTarget(writing, messageId);
      const contextInfo = { ...writing.contextInfo, ...quote(writing, messageId) };
      if (as === 'interactive') return flowReply(LIST_FLOW, id, title, contextInfo);
      const listResponseMessage = {
        title,
        listType: proto.Message.ListResponseMessage.ListType.SINGLE_SELECT,
        singleSelectReply: { selectedRowId: id },
        contextInfo,
      };
      return {
        message: { listResponseMessage },
        shape: { type: 'media', enc: { mediatype: 'list_response' } },
      };
    },
  },
  read({ listResponseMessage, interactiveResponseMessage: flow }) {
    if (flow?.nativeFlowResponseMessage?.name === LIST_FLOW) {
      const id = idIn(flow.nativeFlowResponseMessage.paramsJson ?? '');
      return viewChoice(id, flow.body?.text, flow.contextInfo);
    }
    if (!listResponseMessage) return undefined;
    const { title, singleSelectReply, contextInfo } = listResponseMessage;
    return viewChoice(singleSelectReply?.selectedRowId, title, contextInfo);
  },
};

function viewChoice(
  id: string | null | undefined,
  title: string | null | undefined,
  contextInfo: proto.IContextInfo | null | undefined,
): ContentView {
  const listReply = { messageId: contextInfo?.stanzaId ?? '', id: id ?? '', title: title ?? '' };
  return { type: 'listReply', text: listReply.title, listReply };
}

const BUSINESS_ATTRS = ['actual_actors', 'host_storage', 'privacy_mode_ts'];
/** Whether phones show the buttons: only when `<biz>` has everything that the official clients add. */
export function isRenderedFlow(extras: readonly Stanza[]): boolean {
  const biz = extras.find(({ tag }) => tag === 'biz');
  const interactive = child(biz, 'interactive');
  const flow = child(interactive, 'native_flow');
  return Boolean(
    biz &&
      BUSINESS_ATTRS.every((name) => biz.attrs[name]) &&
      interactive?.attrs.type === 'native_flow' &&
      interactive.attrs.v === '1' &&
      flow?.attrs.v === '9' &&
      flow.attrs.name &&
      child(biz, 'quality_control'),
  );
}
