import type { proto } from '@whiskeysockets/baileys';
import type { Account } from '../account.js';
import type { ChangeView } from '../api.js';
import { jidOf } from '../chat.js';
import { isGroupJid } from '../groups/groups.js';
import type { Network } from '../network.js';
import { Refusal } from '../refusal.js';
import type { Writing } from './content/content.js';
import type { HeldMessage } from './held-messages.js';

/** The chat that a message is in, by the group's jid or the number of the phone's partner. */
export function chatOf({ fromMe, from, to }: Pick<ChangeView, 'fromMe' | 'from' | 'to'>): string {
  return fromMe || isGroupJid(to) ? to : from;
}

/**
 * The earlier message that a content is about.
 * @throws Refusal 404 when the phone does not hold it, 400 when it is in another chat or was revoked.
 */
export function requireTarget({ phone, partner }: Writing, messageId: string): HeldMessage {
  const target = phone.held.get(messageId);
  if (!target) throw new Refusal(404, `the phone holds no message ${messageId}`);
  if (chatOf(target) !== partner.chatId)
    throw new Refusal(400, `the message ${messageId} is not in the chat that "to" names`);
  if (target.revoked) throw new Refusal(400, `the message ${messageId} was deleted`);
  return target;
}

/** How the phone names a message to others: its chat as the phone sees it. */
export function keyOf(network: Network, target: HeldMessage): proto.IMessageKey {
  const { registry, addressing } = network;
  return {
    remoteJid: jidOf(network.requireChat(chatOf(target)), addressing),
    fromMe: target.fromMe,
    id: target.messageId,
    ...(isGroupJid(target.to) && { participant: registry.byNumber(target.from)?.jid(addressing) ?? null }),
  };
}

/** Whether somebody may delete a message for everybody: its author, and in groups the admins. */
export function mayRevoke(network: Network, account: Account, target: HeldMessage): boolean {
  return target.from === account.number || (network.groups.byJid(target.to)?.isAdmin(account) ?? false);
}
