import type { Account } from '../account.js';
import type { ChatstateView } from '../api.js';
import { jidIn } from '../chat.js';
import type { Companion } from '../companion.js';
import { membersOf } from '../groups/announce.js';
import type { Network } from '../network.js';
import { child, type Stanza } from '../wire/stanza.js';

/** Typing is shown on the devices of the others in the chat that are there now; nobody keeps it. */
export function routeChatstate(network: Network, companion: Companion, chatstate: Stanza): void {
  const { to } = chatstate.attrs;
  const state = stateOf(child(chatstate));
  const author = companion.account;
  const group = network.groups.byJid(to);
  if (!state || (group && !group.has(author))) return;
  const jid = jidIn(group ?? author, author, network.addressing);
  const attrs: Record<string, string> = group ? { from: group.jid(), participant: jid } : { from: jid };
  const at = network.clock.now();
  for (const partner of partnersIn(network, to)) {
    if (partner === author) continue;
    const chat = group && { chat: group.chatId };
    network.phone(partner).noteChatstate({ from: author.number, ...chat, state, at });
    for (const device of partner.companions.values()) device.connection?.send({ ...chatstate, attrs });
  }
}

/** The people in a chat. */
function partnersIn(network: Network, jid: string | undefined): Account[] {
  const group = network.groups.byJid(jid);
  if (group) return membersOf(network, group);
  const partner = network.registry.byJid(jid);
  return partner ? [partner] : [];
}

function stateOf(element: Stanza | undefined): ChatstateView['state'] | undefined {
  if (element?.tag === 'paused') return 'paused';
  if (element?.tag !== 'composing') return undefined;
  return element.attrs.media === 'audio' ? 'recording' : 'composing';
}
