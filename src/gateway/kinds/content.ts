import { unwrap } from '../../domain/wrappers.js';
import type { ComposeContext, Content, MessageKey } from './kind.js';
import type { proto } from './protocol-types.js';
import { MESSAGE_EDIT, REVOKE } from './protocol-types.js';

/** The earlier message that a content names. */
interface NamedTarget {
  messageId: string;
  /** True if the target's author is the content's author; in a reaction or a vote: if it is the linked number. */
  fromMe: boolean;
  /** Jid of the target's author, where the content names it. */
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

/** Contents that devices exchange without a person: keys, app state, history, settings. */
const HOUSEKEEPING: ReadonlySet<string> = new Set([
  'protocolMessage',
  'senderKeyDistributionMessage',
  'fastRatchetKeySenderKeyDistributionMessage',
  'messageContextInfo',
  'deviceSentMessage',
  'messageHistoryBundle',
  'messageHistoryNotice',
]);

/** True when no person wrote or caused the content. */
export function isSilent(content: Content): boolean {
  const inner = unwrap(content);
  const keys = Object.entries(inner).flatMap(([key, value]) => (value == null ? [] : [key]));
  if (keys.some((key) => !HOUSEKEEPING.has(key))) return false;
  const protocolType = inner.protocolMessage?.type;
  return protocolType !== REVOKE && protocolType !== MESSAGE_EDIT && !targetOf(inner);
}
