import type { Notice } from '../../cli/inbox/model.js';
import type { PairItem } from '../../cli/pair.js';
import type { TerminalSize } from '../hooks/use-terminal-size.js';
import { type Edit, EMPTY_EDIT } from '../text/edit.js';
import type { Bottom } from './scroll.js';

/** Where the keys go. */
export type Pane = 'sessions' | 'rooms' | 'conversation' | 'composer';

/** What the operator has on the screen, besides what the model knows: one immutable value. */
export interface ViewState {
  size: TerminalSize;
  pane: Pane;
  /** The highlighted ones; undefined is the first, of the messages the newest. */
  session: string | undefined;
  room: string | undefined;
  message: string | undefined;
  /** How far the conversation is scrolled; undefined shows the newest. */
  bottom: Bottom | undefined;
  /** What is written and not sent, by room. */
  drafts: ReadonlyMap<string, Draft>;
  /** Words that the room list is narrowed to. */
  roomWords: string;
  /** What was looked for last in a conversation. */
  lookedFor: LookedFor | undefined;
  overlay: Overlay | undefined;
  /** What the screen itself has to say; the model has its own. */
  notice: Notice | undefined;
}

/** Words that were looked for; in other conversations they mean nothing. */
export interface LookedFor {
  words: string;
  chatRoomId: string;
}

export interface Draft {
  edit: Edit;
  /** The message that it answers or changes. */
  about: { type: 'reply' | 'edit'; messageId: string } | undefined;
  /** What was written before an earlier message was taken up to change it. */
  putAside: Edit;
}

export const EMPTY_DRAFT: Draft = { edit: EMPTY_EDIT, about: undefined, putAside: EMPTY_EDIT };

/** Something that takes the keys for itself for a while. */
export type Overlay = Help | Detail | Confirmation | EmojiChoice | Search | Form | PairingView;

export interface Help {
  type: 'help';
  scrolled: number;
}

/** A message whole. */
export interface Detail {
  type: 'detail';
  messageId: string;
  /** Lines above the screen. */
  scrolled: number;
}

export interface Confirmation {
  type: 'confirm';
  question: string;
  onYes(): void;
}

export interface EmojiChoice {
  type: 'emoji';
  messageId: string;
  /** Among `EMOJIS`. */
  index: number;
  /** An emoji that is typed instead. */
  edit: Edit;
}

export interface Search {
  type: 'search';
  where: 'rooms' | 'conversation';
  edit: Edit;
}

export interface Form {
  type: 'form';
  title: string;
  fields: readonly Field[];
  index: number;
  /** Called with the fields' texts, trimmed. A text that it returns says what is wrong with them. */
  onSubmit(texts: readonly string[]): string | undefined;
  /** What is wrong with the fields. */
  problem: string;
}

export interface Field {
  label: string;
  hint: string;
  edit: Edit;
}

export interface PairingView {
  type: 'pairing';
  clientId: string;
  items: AsyncIterable<PairItem>;
  /** Ends the waiting. */
  stop(): void;
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
