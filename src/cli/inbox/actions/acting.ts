import type { KeyedLock } from '../../../domain/keyed-lock.js';
import { CliError } from '../../cli-error.js';
import type { SendAnswer } from '../../wire.js';
import { type InboxContext, say } from '../context.js';
import type { MessageItem } from '../model.js';
import type { OnceSender } from '../once-sender.js';
import type { Outgoing } from '../outgoing.js';

/** What actions work with. */
export interface Acting extends InboxContext {
  once: OnceSender;
  outgoing: Outgoing;
  /** Texts of a room go out in the order in which they were written. */
  order: KeyedLock;
  /** Where messages go now. @throws CliError `usage` when no conversation is open */
  chat(): OpenChat;
  /** Resolves when the open conversation was read again: one message of it, or anything. */
  refreshConversation(messageId?: string): Promise<void>;
  refreshRooms(): Promise<void>;
  refreshSessions(): Promise<void>;
  openRoom(chatRoomId: string): void;
}

/** The open conversation as an address. */
export interface OpenChat {
  clientId: string;
  chatRoomId: string;
  to: string;
}

/** A message of the open conversation. @throws CliError `not_found` */
export function shownMessage({ box }: InboxContext, messageId: string): MessageItem {
  const messages = box.state.conversation?.messages ?? [];
  const message = messages.find((candidate) => candidate.messageId === messageId);
  if (message) return message;
  throw new CliError('not_found', 'that message is no longer shown', { suggestions: ['choose another one'] });
}

/** Passes on what a daemon says of a message that was sent all the same. */
export function warn(context: InboxContext, { warning }: Pick<SendAnswer, 'warning'>): void {
  if (warning) say(context, { level: 'warning', text: warning, suggestions: [] });
}
