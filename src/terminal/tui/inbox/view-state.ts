import type {
  Hit,
  InboxModel,
  InboxState,
  MessageItem,
  Notice,
  OtherRoom,
  RoomItem,
  SessionItem,
} from '../../cli/inbox/model.js';
import type { PairItem } from '../../cli/pair.js';
import type { TerminalSize } from '../screen.js';
import type { TerminalAbilities } from '../terminal.js';
import { type Edit, EMPTY_EDIT } from '../text/edit.js';
import type { ChosenKeys } from './keys/bindings.js';
import { type Bottom, placeOf } from './scroll.js';

/** A pane that can have the focus. */
export type Pane = 'sessions' | 'rooms' | 'conversation' | 'composer';

/** The state of the screen, beside the model's: one immutable value. */
export interface ViewState {
  size: TerminalSize;
  pane: Pane;
  /** Ids of the highlighted items. Undefined: the first item; for messages, the newest. */
  session: string | undefined;
  room: string | undefined;
  message: string | undefined;
  /** Scroll position of the conversation; undefined shows the newest message. */
  bottom: Bottom | undefined;
  /** Unsent texts by room. */
  drafts: ReadonlyMap<string, Draft>;
  /** Filter of the room list. */
  roomWords: string;
  /** The last search in a conversation. */
  lookedFor:
    | {
        words: string;
        chatRoomId: string;
      }
    | undefined;
  overlay: Overlay | undefined;
  /** The screen's own notice; the model has another. */
  notice: Notice | undefined;
}

export interface Draft {
  edit: Edit;
  /** The message that this draft replies to or edits. */
  about: { type: 'reply' | 'edit'; messageId: string } | undefined;
  /** The text that an edit replaced; restored when the edit ends. */
  putAside: Edit;
}

export const EMPTY_DRAFT: Draft = { edit: EMPTY_EDIT, about: undefined, putAside: EMPTY_EDIT };

/** A temporary view that gets all keys. */
export type Overlay =
  | {
      type: 'help';
      scrolled: number;
    }
  /** All facts of one message. */
  | {
      type: 'detail';
      messageId: string;
      /** Lines scrolled off the top. */
      scrolled: number;
    }
  | {
      type: 'confirm';
      question: string;
      onYes(): void;
    }
  | {
      type: 'emoji';
      messageId: string;
      /** Index into `EMOJIS`. */
      index: number;
      /** A typed emoji, used instead. */
      edit: Edit;
    }
  | {
      type: 'search';
      where: 'rooms' | 'conversation';
      edit: Edit;
    }
  | {
      type: 'form';
      title: string;
      fields: readonly Field[];
      index: number;
      /** Called with the trimmed texts. @returns a problem to show, or undefined */
      onSubmit(texts: readonly string[]): string | undefined;
      /** The problem that is shown; may be empty. */
      problem: string;
    }
  /** Goes to a room or a session by name. */
  | {
      type: 'switcher';
      edit: Edit;
      index: number;
      /** Rooms of the other sessions, once they are loaded. */
      others: readonly OtherRoom[];
    }
  /** Searches the messages of all rooms. */
  | {
      type: 'found';
      edit: Edit;
      index: number;
      hits: readonly Hit[];
      state: 'typing' | 'searching' | 'done';
      /** Ends the running search. */
      stop: AbortController;
    }
  | {
      type: 'pairing';
      clientId: string;
      items: AsyncIterable<PairItem>;
      /** Stops the pairing. */
      stop(): void;
    };

export type OverlayOf<Type extends Overlay['type']> = Extract<Overlay, { type: Type }>;

export interface Field {
  label: string;
  hint: string;
  edit: Edit;
}

export const EMOJIS = ['👍', '❤️', '😂', '😮', '😢', '🙏', '🎉', '✅'] as const;

export function initialView(size: TerminalSize): ViewState {
  return {
    size,
    pane: 'rooms',
    session: undefined,
    room: undefined,
    message: undefined,
    bottom: undefined,
    drafts: new Map(),
    roomWords: '',
    lookedFor: undefined,
    overlay: undefined,
    notice: undefined,
  };
}

/** The model's state and the view's together. */
export interface Shown {
  inbox: InboxState;
  view: ViewState;
  /** The rooms in the list: all, or those that match the filter. */
  rooms: readonly RoomItem[];
}

export function shownOf(model: InboxModel, view: ViewState): Shown {
  const rooms = view.roomWords === '' ? model.state.rooms : model.findRooms(view.roomWords);
  return { inbox: model.state, view: withPane(view, model.state), rooms };
}

/** The conversation may disappear without a key press; then the rooms get the focus. */
function withPane(view: ViewState, { conversation }: InboxState): ViewState {
  const isList = view.pane === 'sessions' || view.pane === 'rooms';
  return isList || conversation ? view : { ...view, pane: 'rooms' };
}

export function currentSession({ inbox }: Shown): SessionItem | undefined {
  return inbox.sessions.find(({ clientId }) => clientId === inbox.clientId);
}

/** Index of the highlighted session, by default the current one. */
export function sessionPlace({ inbox, view }: Shown): number {
  const wanted = view.session ?? inbox.clientId;
  return Math.max(
    0,
    inbox.sessions.findIndex(({ clientId }) => clientId === wanted),
  );
}

/** Index of the highlighted room, by default the open one. */
export function roomPlace({ inbox, view, rooms }: Shown): number {
  const wanted = view.room ?? inbox.conversation?.chatRoomId;
  return Math.max(
    0,
    rooms.findIndex(({ chatRoomId }) => chatRoomId === wanted),
  );
}

/** The open room; undefined if the list does not have it. */
export function openRoom({ inbox }: Shown): RoomItem | undefined {
  return inbox.rooms.find(({ chatRoomId }) => chatRoomId === inbox.conversation?.chatRoomId);
}

/** The highlighted message, by default the newest. */
export function highlighted({ inbox, view }: Shown): MessageItem | undefined {
  const messages = inbox.conversation?.messages ?? [];
  return messages[placeOf(messages, view.message)] ?? messages.at(-1);
}

export function messageOf({ inbox }: Shown, messageId: string): MessageItem | undefined {
  const messages = inbox.conversation?.messages ?? [];
  return messages[placeOf(messages, messageId)];
}

/** The draft of the open room. */
export function draftOf(shown: Shown): Draft {
  return shown.view.drafts.get(draftKey(shown.inbox)) ?? EMPTY_DRAFT;
}

/** The session is in the key because rooms of two sessions may have the same id. */
export function draftKey({ clientId, conversation }: InboxState): string {
  return `${clientId ?? ''} ${conversation?.chatRoomId ?? ''}`;
}

/** The screen's own notice has priority: it is about the last key. */
export function noticeOf({ inbox, view }: Shown): Notice | undefined {
  return view.notice ?? inbox.notice;
}

/** Inputs of drawing beside the state. */
export interface Drawing {
  look: TerminalAbilities;
  /** For relative names of days. */
  now: Date;
  /** The daemon, for the header. */
  where?: string;
  /** Keys that the operator has chosen. */
  keys?: ChosenKeys;
}
