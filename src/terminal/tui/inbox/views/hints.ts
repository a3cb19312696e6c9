import { isEditable } from '../../../cli/inbox/message-item.js';
import type { Hint } from '../../pane.js';
import { type Action, type ChosenKeys, keyOf, keyText } from '../keys/bindings.js';
import { currentSession, highlighted, type Overlay, type Shown } from '../view-state.js';

const BACK: Hint = ['Esc', 'back'];

const OVERLAY_HINTS: Readonly<Partial<Record<Overlay['type'], readonly Hint[]>>> = {
  confirm: [
    ['y', 'yes'],
    ['any other key', 'no'],
  ],
  emoji: [['Enter', 'react'], ['← →', 'choose'], ['Backspace', 'remove yours'], BACK],
  search: [['Enter', 'search'], BACK],
  form: [['Enter', 'next'], ['Tab', 'next field'], BACK],
  switcher: [['Enter', 'open'], ['↑ ↓', 'choose'], BACK],
  found: [['Enter', 'search, then open'], ['↑ ↓', 'choose'], BACK],
};

/** The keys that work now, the most important first. */
export function hintsOf(shown: Shown, chosen: ChosenKeys): readonly Hint[] {
  const { overlay, pane } = shown.view;
  if (overlay) return OVERLAY_HINTS[overlay.type] ?? [BACK];
  const key = (action: Action, does: string): Hint => [keyText(keyOf(action, chosen)), does];
  const last = [key('help', 'keys'), key('quit', 'quit')];
  const find = [key('nextUnread', 'next unread'), key('switcher', 'go to'), key('searchAll', 'search all')];
  if (pane === 'composer')
    return [['Enter', 'sends'], ['Alt+Enter', 'new line'], BACK, ['/file PATH', 'send a file']];
  if (pane === 'conversation') return [...conversationHints(shown, key), ...last];
  if (pane === 'sessions') return [['Enter', 'choose'], key('pair', 'pair a number'), BACK, ...last, ...find];
  const isOff = currentSession(shown)?.orgId === '';
  if (isOff) return [key('workspace', 'switch history on'), key('sessions', 'sessions'), ...last];
  return [
    ['Enter', 'open'],
    key('filter', 'filter'),
    key('newChat', 'new chat'),
    ...last,
    ...find,
    key('sessions', 'sessions'),
    key('pair', 'pair'),
  ];
}

function conversationHints(shown: Shown, key: (action: Action, does: string) => Hint): Hint[] {
  const message = highlighted(shown);
  const { lookedFor } = shown.view;
  const isSearch = lookedFor && lookedFor.chatRoomId === shown.inbox.conversation?.chatRoomId;
  const hasFile = message?.attachment && message.attachment.url !== '';
  return [
    key('write', 'write'),
    ...(isSearch ? [key('older', 'older'), key('newer', 'newer')] : []),
    ...(hasFile ? [key('openFile', 'open file'), key('saveFile', 'save file')] : []),
    ...(message && !message.deleted ? [key('reply', 'reply'), key('react', 'react')] : []),
    ...(message && isEditable(message) ? [key('edit', 'edit')] : []),
    ...(message?.fromMe && !message.deleted ? [key('delete', 'delete')] : []),
    ['Esc', 'close'],
    key('search', 'search'),
  ];
}
