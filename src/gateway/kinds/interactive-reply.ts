import type { InteractiveExtra } from '../../contract/events/extras.js';
import { parseObject } from '../../domain/json.js';
import type { Content, Kind } from './kind.js';
import type { proto } from './protocol-types.js';

type Maybe<T> = T | null | undefined;

/** Names of replies to a native list; all others are replies to buttons. */
const NATIVE_LISTS: ReadonlySet<string> = new Set(['menu_options', 'single_select']);

/** A tap on a button, or a choice from a list, in any of the forms that phones use or used. */
export const interactiveReply: Kind = {
  name: 'interactive-reply',
  storedType: 'interactive_reply',
  read(content) {
    const interactive = replyIn(content);
    return (
      interactive && { type: 'interactive_reply', body: interactive.displayText, extra: { interactive } }
    );
  },
};

function replyIn(content: Content): InteractiveExtra | undefined {
  const { interactiveResponseMessage, buttonsResponseMessage, templateButtonReplyMessage } = content;
  if (interactiveResponseMessage) return readNative(interactiveResponseMessage);
  if (buttonsResponseMessage) {
    const { selectedButtonId, selectedDisplayText, contextInfo } = buttonsResponseMessage;
    return reply('button', selectedButtonId, selectedDisplayText, contextInfo);
  }
  if (templateButtonReplyMessage) {
    const { selectedId, selectedDisplayText, contextInfo } = templateButtonReplyMessage;
    return reply('button', selectedId, selectedDisplayText, contextInfo);
  }
  if (!content.listResponseMessage) return undefined;
  const { singleSelectReply, title, contextInfo } = content.listResponseMessage;
  return reply('list', singleSelectReply?.selectedRowId, title, contextInfo);
}

function readNative(message: proto.Message.IInteractiveResponseMessage): InteractiveExtra {
  const { body, nativeFlowResponseMessage: flow, contextInfo } = message;
  const kind = NATIVE_LISTS.has(flow?.name ?? '') ? 'list' : 'button';
  return reply(kind, idIn(flow?.paramsJson ?? ''), body?.text, contextInfo);
}

function reply(
  kind: InteractiveExtra['kind'],
  id: Maybe<string>,
  displayText: Maybe<string>,
  contextInfo: Maybe<proto.IContextInfo>,
): InteractiveExtra {
  return {
    kind,
    id: id ?? '',
    displayText: displayText || id || '',
    targetId: contextInfo?.stanzaId ?? '',
  };
}

/** The button's id in the JSON of the sender's phone; empty when it is missing. */
function idIn(paramsJson: string): string {
  const id = parseObject(paramsJson)?.id;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
}
