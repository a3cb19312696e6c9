import { type Address, formatJid } from '../../domain/address.js';
import { GatewayError } from '../../domain/errors.js';
import type { ComposeContext, Target } from '../../kinds/kind.js';
import type { Session } from '../sessions/session.js';
import { type EarlierMessage, type EarlierMessages, referenceToNamed } from './earlier-messages.js';

const MINUTE_MS = 60_000;

/**
 * The message that a send is about. What is known of it counts; of an unknown one the caller's word does, and
 * the network decides.
 * @param now milliseconds since the epoch
 * @throws GatewayError invalid_request when it is in another chat, target_not_own, target_not_editable, edit_window_over,
 * target_author_unknown
 */
export async function targetContext(
  { messageId, fromMe, withinMs }: Target,
  session: Session,
  chat: Address,
  earlier: EarlierMessages,
  now: number,
): Promise<Pick<ComposeContext, 'target' | 'targetContent'>> {
  const known = await earlier.findIn(session, chat, messageId, 'messageId');
  if (known && withinMs !== undefined) requireEditable(known, withinMs, now);
  const named = referenceToNamed(session, chat, { messageId, fromMe }, known, 'messageId');
  const target = {
    remoteJid: formatJid(chat),
    id: messageId,
    fromMe: named.fromMe,
    ...(named.participant && { participant: named.participant }),
  };
  return { target, ...(known?.content && { targetContent: known.content }) };
}

function requireEditable(
  { messageId, fromMe, sentAt, isDeleted }: EarlierMessage,
  withinMs: number,
  now: number,
): void {
  if (!fromMe) {
    throw new GatewayError(
      'target_not_own',
      `messageId: ${messageId} was written by somebody else; only own messages can be edited`,
    );
  }
  if (isDeleted) {
    throw new GatewayError(
      'target_not_editable',
      `messageId: ${messageId} was deleted; send a new message instead`,
    );
  }
  if (now - sentAt <= withinMs) return;
  const age = Math.floor((now - sentAt) / MINUTE_MS);
  throw new GatewayError(
    'edit_window_over',
    `messageId: ${messageId} was sent ${age} minutes ago, and the network takes edits for ` +
      `${withinMs / MINUTE_MS} minutes only; send a new message instead`,
  );
}
