import type { Account, Companion } from '../state/account.js';
import { type Chat, jidIn, jidOf } from '../state/directory.js';
import { Group } from '../state/group.js';
import type { Network } from '../state/network.js';
import { type Stanza, stanza } from '../wire/stanza.js';
import { hasBlocked } from './blocks.js';
import { allows } from './privacy.js';

/** A device says that it is online or not, or asks about a person or a group. */
export function routePresence(network: Network, companion: Companion, presence: Stanza): void {
  const { connection, account } = companion;
  if (!connection) return;
  const { type, to } = presence.attrs;
  const said = network.presence.of(connection);
  if (type === 'subscribe') {
    const chat = network.directory.groups.byJid(to) ?? network.directory.byJid(to);
    if (!chat) return;
    said.subscriptions.add(chat);
    report(network, account);
    if (!(chat instanceof Group) && network.presence.tells(companion, chat))
      tellPresence(network, chat, companion);
  } else if (type === 'available' || type === 'unavailable') {
    said.online = type === 'available';
    network.presence.noteSeen(account, network.now());
    announcePresence(network, account);
  }
}

/** The person takes the phone up, or puts it away. */
export function setPhonePresence(network: Network, account: Account, online: boolean): void {
  network.presence.setPhone(account, online, network.now());
  announcePresence(network, account);
}

/** Reports the presence to those who watch the sandbox. */
function report(network: Network, account: Account): void {
  network.events.emit(() => ({
    type: 'presence',
    number: account.number,
    presence: network.presence.view(account),
  }));
}

function announcePresence(network: Network, account: Account): void {
  report(network, account);
  for (const other of network.directory.accounts) {
    if (other === account) continue;
    for (const companion of other.companions.values())
      if (network.presence.tells(companion, account)) tellPresence(network, account, companion);
  }
}

/** Tells a device whether a person is online. `last` is a time or `deny`; without either there is none (whatsmeow `presence.go`). */
function tellPresence(network: Network, person: Account, { account, connection }: Companion): void {
  if (hasBlocked(person, account)) return;
  const { presence } = network;
  const from = person.privateJid(network.addressing);
  const lastSeen = presence.lastSeen(person);
  const maySee = allows(person, 'last', account);
  const isOnline = presence.isOnline(person) && maySee;
  const last = !maySee ? 'deny' : lastSeen > 0 ? String(lastSeen) : undefined;
  connection?.send(
    isOnline
      ? stanza('presence', { from, type: 'available' })
      : stanza('presence', { from, type: 'unavailable', last }),
  );
}

/** Tells the devices that may know it that a person types; a group names the member. */
export function tellChatstate(
  network: Network,
  author: Account,
  partner: Account,
  chat: Chat,
  state: Stanza,
): void {
  const jid = jidIn(chat, author, network.addressing);
  const attrs =
    chat instanceof Group ? { from: jidOf(chat, network.addressing), participant: jid } : { from: jid };
  const subscribed = chat instanceof Group ? chat : author;
  for (const companion of partner.companions.values())
    if (network.presence.tells(companion, subscribed))
      companion.connection?.send(stanza('chatstate', attrs, [state]));
}
