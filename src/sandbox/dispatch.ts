import type { Companion } from './companion.js';
import type { Connection } from './connection.js';
import { answerIq } from './iq/index.js';
import type { Network } from './network.js';
import { routeAck } from './routing/acks.js';
import { routeChatstate } from './routing/chatstates.js';
import { routeMessage } from './routing/messages.js';
import { routeReceipt } from './routing/receipts.js';
import { child, type Stanza, stanza } from './wire/stanza.js';

type Route = (network: Network, companion: Companion, stanza: Stanza) => void;

/** What a linked device may send beside queries. Anything else is ignored, as the network does. */
const ROUTES: Record<string, Route> = {
  message: routeMessage,
  receipt: (network, companion, receipt) =>
    routeReceipt(network, { account: companion.account, companion }, receipt),
  ack: (_network, companion, ack) => routeAck(companion, ack),
  chatstate: routeChatstate,
  call: (_network, companion, call) => {
    const { id = '', to } = call.attrs;
    companion.connection?.send(stanza('ack', { class: 'call', id, from: to }));
  },
  ib: (_network, companion, ib) => {
    if (child(ib)?.tag === 'offline_batch') companion.mailbox.deliverWaiting();
  },
};

/** Works off one stanza of a client; throws only on malformed ones. */
export function dispatch(network: Network, connection: Connection, received: Stanza): void {
  if (received.tag === 'iq') {
    answerIq(network, connection, received);
    return;
  }
  if (connection.companion) ROUTES[received.tag]?.(network, connection.companion, received);
}
