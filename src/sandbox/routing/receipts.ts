import type { Account } from '../account.js';
import type { ReceiptState } from '../api.js';
import { jidIn, jidOf } from '../chat.js';
import type { Group } from '../groups/group.js';
import type { Network } from '../network.js';
import { type Device, deviceId } from '../registry.js';
import { bytesOf, child, childrenOf, type Stanza, stanza } from '../wire/stanza.js';
import { give } from './fan-out.js';
import { deviceRow } from './messages.js';

/** What receipts of a type tell the author; the others are for the network alone. */
const STATES = new Map<string | undefined, ReceiptState>([
  [undefined, 'delivered'],
  ['inactive', 'delivered'],
  ['read', 'read'],
  ['played', 'played'],
]);
/** Types that tell that the person has seen it. */
const SEEN = new Set<string | undefined>(['read', 'read-self', 'played', 'played-self']);
/** Types that tell that the device has the message itself. */
const SETTLING = new Set<string | undefined>([undefined, 'inactive', 'sender', 'peer_msg', 'hist_sync']);

/** A device, or a phone, tells what became of messages. */
export function routeReceipt(network: Network, from: Device, receipt: Stanza): void {
  const { type, to, participant, id = '' } = receipt.attrs;
  const ids = [id, ...childrenOf(child(receipt, 'list')).flatMap((item) => item.attrs.id ?? [])];
  settle(from, ids, type);
  from.companion?.connection?.send(stanza('ack', { class: 'receipt', id, from: to, participant, type }));
  if (SEEN.has(type)) network.phone(from.account).held.noteRead(ids);
  if (type === 'retry') {
    forwardRetry(network, from, receipt);
    return;
  }
  const group = network.groups.byJid(to);
  const author = network.registry.byJid(group ? participant : to);
  if (type === 'server-error') {
    if (author === from.account) askPhoneForFile(network, from, receipt);
    return;
  }
  const state = STATES.get(type);
  if (state && author && author !== from.account)
    tellAuthor(network, { author, reader: from.account, group }, ids, state);
}

function settle(from: Device, ids: string[], type: string | undefined): void {
  const mailbox = from.companion?.mailbox;
  if (!mailbox) return;
  for (const id of ids) {
    if (type === 'retry') mailbox.settleForRetry(id);
    else if (SETTLING.has(type)) mailbox.settle('message', { id });
  }
}

/** The author's phone notes it, and the author's linked devices get it, each step once. */
function tellAuthor(
  network: Network,
  { author, reader, group }: { author: Account; reader: Account; group: Group | undefined },
  ids: string[],
  state: ReceiptState,
): void {
  const news = network.phone(author).noteReceipts(ids, reader.number, state);
  const [first, ...others] = news;
  if (first === undefined) return;
  const attrs = {
    id: first,
    from: jidOf(group ?? reader, network.addressing),
    participant: group && reader.jid(network.addressing),
    t: String(network.now()),
    ...(state !== 'delivered' && { type: state }),
  };
  const list = others.map((id) => stanza('item', { id }));
  const letter = stanza('receipt', attrs, list.length > 0 ? [stanza('list', {}, list)] : undefined);
  for (const companion of author.companions.values()) companion.mailbox.push(letter);
}

/** A device could not get a file from the media host: its own phone may still have it. */
function askPhoneForFile(network: Network, from: Device, receipt: Stanza): void {
  const { id, type } = receipt.attrs;
  const attrs = { id, type, from: from.account.jid(network.addressing, deviceId(from)) };
  network.phone(from.account).accept(stanza('receipt', attrs, childrenOf(receipt).map(copyElement)));
}

/** A device could not decrypt: the very device that encrypted is asked to do it again. */
function forwardRetry(network: Network, from: Device, receipt: Stanza): void {
  const { id = '', to, participant, recipient } = receipt.attrs;
  const group = network.groups.byJid(to);
  const author = network.registry.device(group ? participant : to);
  if (!author) return;
  network.sentLog(author.account).allowAgain(id, deviceRow(from));
  const asking = jidIn(group ?? from.account, from.account, network.addressing, deviceId(from));
  const attrs = {
    id,
    ...(group ? { from: group.jid(), participant: asking } : { from: asking }),
    type: 'retry',
    t: String(network.now()),
    ...(author.account === from.account && recipient && { recipient }),
  };
  give(network, author, stanza('receipt', attrs, childrenOf(receipt).map(copyElement)));
}

/** Numbers in a retry are bytes, and must stay bytes. */
function copyElement(element: Stanza): Stanza {
  if (Array.isArray(element.content)) return { ...element, content: element.content.map(copyElement) };
  return element.content === undefined ? element : { ...element, content: bytesOf(element) };
}
