import type { ReceiptState } from '../../contract/sandbox/index.js';
import { routeViewReceipt } from '../channels/route.js';
import { type Account, type Device, deviceId, deviceRow } from '../state/account.js';
import { jidIn, jidOf } from '../state/directory.js';
import type { Group } from '../state/group.js';
import type { Network } from '../state/network.js';
import type { StatusFeed } from '../state/status-feed.js';
import { bytesOf, child, childrenOf, type Stanza, stanza } from '../wire/stanza.js';

/** The receipt types that are forwarded to the author, and their meaning. */
const STATES = new Map<string | undefined, ReceiptState>([
  [undefined, 'delivered'],
  ['inactive', 'delivered'],
  ['read', 'read'],
  ['played', 'played'],
]);
/** Types that say that the person has seen the message. */
const SEEN = new Set<string | undefined>(['read', 'read-self', 'played', 'played-self']);
/** Types that say that the device has the message. */
const SETTLING = new Set<string | undefined>([undefined, 'inactive', 'sender', 'peer_msg', 'hist_sync']);

/** Routes a receipt of a device or a phone. */
export function routeReceipt(network: Network, from: Device, receipt: Stanza): void {
  const { type, to, participant, id = '' } = receipt.attrs;
  const ids = [id, ...childrenOf(child(receipt, 'list')).flatMap((item) => item.attrs.id ?? [])];
  settle(from, ids, type);
  from.companion?.connection?.send(stanza('ack', { class: 'receipt', id, from: to, participant, type }));
  if (from.companion && routeViewReceipt(network, from.companion, receipt)) return;
  if (SEEN.has(type)) {
    from.account.phone.noteRead(ids);
    tellOwnDevices(network, from, receipt);
  }
  if (type === 'retry') {
    forwardRetry(network, from, receipt);
    return;
  }
  const shared = network.directory.shared(to);
  const author = network.directory.byJid(shared ? participant : to);
  if (type === 'server-error') {
    if (author === from.account) askPhoneForFile(network, from, receipt);
    return;
  }
  const state = STATES.get(type);
  if (state && author && author !== from.account)
    tellAuthor(network, { author, reader: from.account, shared }, ids, state);
}

function settle(from: Device, ids: string[], type: string | undefined): void {
  const mailbox = from.companion?.mailbox;
  if (!mailbox) return;
  for (const id of ids) {
    if (type === 'retry') mailbox.settleForRetry(id);
    else if (SETTLING.has(type)) mailbox.settle('message', { id });
  }
}

/** Notes the receipt on the author's phone, and forwards it to the author's linked devices, each state once. */
function tellAuthor(
  network: Network,
  { author, reader, shared }: { author: Account; reader: Account; shared: Group | StatusFeed | undefined },
  ids: string[],
  state: ReceiptState,
): void {
  if (network.faults.take('drop-receipts', author)) return;
  const news = author.phone.noteReceipts(ids, reader.number, state);
  const [first, ...others] = news;
  if (first === undefined) return;
  const attrs = {
    id: first,
    from: jidOf(shared ?? reader, network.addressing),
    participant: shared && reader.jid(network.addressing),
    t: String(network.now()),
    ...(state !== 'delivered' && { type: state }),
  };
  const list = others.map((id) => stanza('item', { id }));
  const message = stanza('receipt', attrs, list.length > 0 ? [stanza('list', {}, list)] : undefined);
  for (const companion of author.companions.values()) companion.mailbox.push(message);
}

/** Tells the other linked devices of an account that one of them, or the phone, has read messages (whatsmeow `parseReceipt`). */
function tellOwnDevices(network: Network, { account, companion }: Device, { attrs, content }: Stanza): void {
  const { id, to, participant, type } = attrs;
  const group = network.directory.groups.byJid(to);
  const author = network.directory.byJid(group ? participant : to);
  if (!author) return;
  const own = jidIn(group ?? author, account, network.addressing, companion?.id);
  const about = {
    ...(group ? { from: group.jid(), participant: own } : { from: own }),
    recipient: jidIn(group ?? author, author, network.addressing),
  };
  const news = stanza('receipt', { id, type, t: String(network.now()), ...about }, content);
  for (const other of account.companions.values()) if (other !== companion) other.mailbox.push(news);
}

/** A device could not download a file: asks its own phone, which may still have it. */
function askPhoneForFile(network: Network, from: Device, receipt: Stanza): void {
  const { id, type } = receipt.attrs;
  const attrs = { id, type, from: from.account.jid(network.addressing, deviceId(from)) };
  from.account.phone.accept(stanza('receipt', attrs, childrenOf(receipt).map(copyElement)));
}

/** A device could not decrypt: asks the device that encrypted to encrypt again. */
function forwardRetry(network: Network, from: Device, receipt: Stanza): void {
  const { id = '', to, participant, recipient } = receipt.attrs;
  if (from.companion) network.stats.countRetry(child(receipt, 'retry')?.attrs.error ?? 'none');
  const shared = network.directory.shared(to);
  const author = network.directory.device(shared ? participant : to);
  if (!author) return;
  network.sentLog(author.account).allowAgain(id, deviceRow(from));
  const { addressing } = network;
  const asking = jidIn(shared ?? from.account, from.account, addressing, deviceId(from));
  const attrs = {
    id,
    ...(shared ? { from: jidOf(shared, addressing), participant: asking } : { from: asking }),
    type: 'retry',
    t: String(network.now()),
    ...(author.account === from.account && recipient && { recipient }),
  };
  network.give(author, stanza('receipt', attrs, childrenOf(receipt).map(copyElement)));
}

/** Numbers in a retry are bytes, and must not become text. */
function copyElement(element: Stanza): Stanza {
  if (Array.isArray(element.content)) return { ...element, content: element.content.map(copyElement) };
  return element.content === undefined ? element : { ...element, content: bytesOf(element) };
}
