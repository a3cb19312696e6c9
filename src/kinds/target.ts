import type { proto } from '@whiskeysockets/baileys';
import type { ComposeContext, Content, MessageKey } from './kind.js';
import { MESSAGE_EDIT, REVOKE } from './protocol-types.js';
import { unwrap } from './unwrap.js';

/** The earlier message that a content names. */
export interface NamedTarget {
  messageId: string;
  /** By the words of whoever wrote the content: a reaction's and a vote's key was turned to the linked number's view. */
  fromMe: boolean;
  /** Jid of who wrote the earlier message, where the content names it. */
  participant?: string;
}

/** The earlier message that a reaction, an edit, a revoke or a vote is about; undefined for any other content. */
export function targetOf(content: Content): NamedTarget | undefined {
  const { reactionMessage, pollUpdateMessage, protocolMessage } = unwrap(content);
  const change = isChange(protocolMessage) ? protocolMessage : undefined;
  const key = reactionMessage?.key ?? pollUpdateMessage?.pollCreationMessageKey ?? change?.key;
  if (!key?.id) return undefined;
  const { id, fromMe, participant } = key;
  return { messageId: id, fromMe: fromMe === true, ...(participant && { participant }) };
}

/** The key of the message that a payload names. @throws Error when the caller did not look it up. */
export function requireTarget({ target }: ComposeContext): MessageKey {
  if (target) return target;
  throw new Error('a kind that names an earlier message is composed with its key');
}

function isChange(message: proto.Message.IProtocolMessage | null | undefined): boolean {
  const type = message?.type ?? REVOKE;
  return type === REVOKE || type === MESSAGE_EDIT;
}
