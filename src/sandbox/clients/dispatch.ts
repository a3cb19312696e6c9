import { routeCall } from '../people/calls.js';
import { routePresence } from '../people/presence.js';
import { routeChatstate } from '../routing/chatstates.js';
import { routeMessage } from '../routing/messages.js';
import { routeReceipt } from '../routing/receipts.js';
import type { Companion } from '../state/account.js';
import type { Network } from '../state/network.js';
import { child, type Stanza } from '../wire/stanza.js';
import { answerIq } from './iq/index.js';
import type { Client } from './iq/iq.js';

/** The stanzas of a linked device beside queries. Others are ignored, as on the real network. */
const ROUTES: Record<string, (network: Network, companion: Companion, received: Stanza) => void> = {
  message: routeMessage,
  receipt: (network, companion, receipt) =>
    routeReceipt(network, { account: companion.account, companion }, receipt),
  ack: routeAck,
  chatstate: routeChatstate,
  presence: routePresence,
  call: routeCall,
  ib: routeInfo,
};

/** Handles one stanza of a client; throws only on malformed ones. */
export function dispatch(client: Client, received: Stanza): void {
  const { network, connection } = client;
  if (received.tag === 'iq') answerIq(client, received);
  else if (received.tag === 'ack' && !connection.companion) client.pairing.takeAck(received);
  else if (connection.companion) ROUTES[received.tag]?.(network, connection.companion, received);
}

/** A device asks for more of the offline queue. */
function routeInfo(_network: Network, { mailbox }: Companion, info: Stanza): void {
  const { count } = child(info, 'offline_batch')?.attrs ?? {};
  if (count !== undefined) mailbox.request(Number(count) || 0);
}

/** A device acknowledges a stanza; an `error` says that it could not use a message. */
function routeAck(network: Network, companion: Companion, ack: Stanza): void {
  const { class: tag, id, to, participant, type, error } = ack.attrs;
  if (!id || !tag) return;
  if (tag === 'message' && error) {
    network.stats.countRefusal(error);
    companion.mailbox.settleFailed(id, error);
  } else if (tag === 'message') companion.mailbox.settleAcked(id);
  else
    companion.mailbox.settle(tag, {
      id,
      ...(to && { from: to }),
      ...(participant && { participant }),
      ...(type && { type }),
    });
}
