import type { ChatstateView } from '../api.js';
import type { Companion } from '../companion.js';
import type { Network } from '../network.js';
import { child, type Stanza } from '../wire/stanza.js';

/** Typing is shown on the partner's devices that are there now; nobody keeps it. */
export function routeChatstate(network: Network, companion: Companion, chatstate: Stanza): void {
  const partner = network.registry.byJid(chatstate.attrs.to);
  const state = stateOf(child(chatstate));
  if (!partner || !state) return;
  const author = companion.account;
  network.phone(partner).noteChatstate({ from: author.number, state, at: network.clock.now() });
  const attrs = { from: author.jid(network.addressing) };
  for (const device of partner.companions.values()) {
    device.connection?.send({ ...chatstate, attrs });
  }
}

function stateOf(element: Stanza | undefined): ChatstateView['state'] | undefined {
  if (element?.tag === 'paused') return 'paused';
  if (element?.tag !== 'composing') return undefined;
  return element.attrs.media === 'audio' ? 'recording' : 'composing';
}
