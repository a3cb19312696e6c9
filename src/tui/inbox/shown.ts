import type {
  InboxModel,
  InboxState,
  MessageItem,
  Notice,
  RoomItem,
  SessionItem,
} from '../../cli/inbox/model.js';
import { type Draft, EMPTY_DRAFT, type ViewState } from './view-state.js';

/** What is on the screen: the model's state and the view's, looked at together. */
export interface Shown {
  inbox: InboxState;
  view: ViewState;
  /** The rooms in the list: all, or those that were looked for. */
  rooms: readonly RoomItem[];
}

export function shownOf(model: InboxModel, view: ViewState): Shown {
  const rooms = view.roomWords === '' ? model.state.rooms : model.findRooms(view.roomWords);
  return { inbox: model.state, view: withPane(view, model.state), rooms };
}

/** A conversation may be closed by other things than a key; then the keys go to the rooms. */
function withPane(view: ViewState, { conversation }: InboxState): ViewState {
  const isList = view.pane === 'sessions' || view.pane === 'rooms';
  return isList || conversation ? view : { ...view, pane: 'rooms' };
}

export function currentSession({ inbox }: Shown): SessionItem | undefined {
  return inbox.sessions.find(({ clientId }) => clientId === inbox.clientId);
}

/** The place of the highlighted session: the current one until another is gone to. */
export function sessionPlace({ inbox, view }: Shown): number {
  const wanted = view.session ?? inbox.clientId;
  return Math.max(
    0,
    inbox.sessions.findIndex(({ clientId }) => clientId === wanted),
  );
}

/** The place of the highlighted room: the open one until another is gone to. */
export function roomPlace({ inbox, view, rooms }: Shown): number {
  const wanted = view.room ?? inbox.conversation?.chatRoomId;
  return Math.max(
    0,
    rooms.findIndex(({ chatRoomId }) => chatRoomId === wanted),
  );
}

/** The room whose conversation is open. It may be missing from the list. */
export function openRoom({ inbox }: Shown): RoomItem | undefined {
  return inbox.rooms.find(({ chatRoomId }) => chatRoomId === inbox.conversation?.chatRoomId);
}

/** The highlighted message: the newest until another is gone to. */
export function highlighted({ inbox, view }: Shown): MessageItem | undefined {
  const messages = inbox.conversation?.messages ?? [];
  return messages.find(({ messageId }) => messageId === view.message) ?? messages.at(-1);
}

export function messageOf({ inbox }: Shown, messageId: string): MessageItem | undefined {
  return inbox.conversation?.messages.find((message) => message.messageId === messageId);
}

/** The draft of the open conversation. */
export function draftOf(shown: Shown): Draft {
  return shown.view.drafts.get(draftKey(shown.inbox)) ?? EMPTY_DRAFT;
}

/** Rooms of two sessions may have the same id. */
export function draftKey({ clientId, conversation }: InboxState): string {
  return `${clientId ?? ''} ${conversation?.chatRoomId ?? ''}`;
}

/** The screen's own notice comes first: it is about the last key. */
export function noticeOf({ inbox, view }: Shown): Notice | undefined {
  return view.notice ?? inbox.notice;
}
