import { LID_SERVER } from '../../domain/address.js';
import type { Account, Companion } from '../state/account.js';
import type { Group } from '../state/group.js';
import type { Network } from '../state/network.js';
import { NOT_PLAYED, notPlayed } from '../wire/refusals.js';
import { child, type Stanza, stanza } from '../wire/stanza.js';
import { participantHash } from './devices.js';

/**
 * Acknowledges a message of a linked device. A positive acknowledgement of a whole message has the hash of all devices of
 * the chat, by which the author sees whether it missed one (whatsmeow `send.go`).
 * @param chat the partner or the group; undefined for a copy that answers a retry, and for a channel
 * @param server_id the number of a post in its channel
 */
export function acknowledge(
  network: Network,
  { account, connection }: Companion,
  message: Stanza,
  {
    chat,
    error,
    server_id,
  }: { chat?: Account | Group | undefined; error?: string | undefined; server_id?: string | undefined },
): void {
  const { id, to } = message.attrs;
  const isPrivate = chat && 'companions' in chat;
  const refresh_lid = !error && isPrivate && network.faults.take('refresh-lid', account) ? 'true' : undefined;
  const phash = error || !chat ? undefined : hashFor(network, account, message, chat);
  const attrs = {
    class: 'message',
    id,
    from: to,
    t: String(network.now()),
    error,
    phash,
    refresh_lid,
    server_id,
  };
  connection?.send(stanza('ack', attrs, error === String(NOT_PLAYED.code) ? [notPlayed()] : undefined));
}

function hashFor(
  network: Network,
  author: Account,
  message: Stanza,
  chat: Account | Group,
): string | undefined {
  if ('companions' in chat) {
    // an answer to a retry, and a message for the own phone, name one device
    if (!child(message, 'participants')) return undefined;
    const mode = message.attrs.to?.endsWith(`@${LID_SERVER}`) ? 'lid' : 'pn';
    return participantHash([...new Set([chat, author])], mode);
  }
  if (message.attrs.participant !== undefined) return undefined;
  return participantHash(network.directory.membersOf(chat), network.addressing);
}
