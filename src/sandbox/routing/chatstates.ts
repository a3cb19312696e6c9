import type { ChatstateView, TypingRequest } from '../../contract/sandbox/index.js';
import { hasBlocked } from '../people/blocks.js';
import { tellChatstate } from '../people/presence.js';
import type { Account, Companion } from '../state/account.js';
import type { Chat } from '../state/directory.js';
import { Group } from '../state/group.js';
import type { Network } from '../state/network.js';
import { child, type Stanza, stanza } from '../wire/stanza.js';

/**
 * Routes the typing state of a device to the others in the chat: to their phones, and to their devices that are online and
 * have subscribed. Absent devices never get it.
 */
export function routeChatstate(network: Network, { account }: Companion, chatstate: Stanza): void {
  const element = child(chatstate);
  const state = stateOf(element);
  const { to } = chatstate.attrs;
  const chat = network.directory.groups.byJid(to) ?? network.directory.byJid(to);
  if (element && state && chat) spread(network, account, chat, state, element);
}

/** The person types on the phone. @throws Refusal or GroupRefusal 404 */
export function typeOnPhone(network: Network, author: Account, { to, state }: TypingRequest): void {
  const element =
    state === 'paused'
      ? stanza('paused')
      : stanza('composing', { media: state === 'recording' ? 'audio' : undefined });
  spread(network, author, network.directory.requireChat(to), state, element);
}

function spread(
  network: Network,
  author: Account,
  chat: Chat,
  state: ChatstateView['state'],
  element: Stanza,
): void {
  const isGroup = chat instanceof Group;
  if (isGroup && !chat.has(author)) return;
  const at = network.clock.now();
  for (const partner of isGroup ? network.directory.membersOf(chat) : [chat]) {
    if (partner === author || (!isGroup && hasBlocked(partner, author))) continue;
    partner.phone.noteChatstate({ from: author.number, ...(isGroup && { chat: chat.chatId }), state, at });
    tellChatstate(network, author, partner, chat, element);
  }
}

function stateOf(element: Stanza | undefined): ChatstateView['state'] | undefined {
  if (element?.tag === 'paused') return 'paused';
  if (element?.tag !== 'composing') return undefined;
  return element.attrs.media === 'audio' ? 'recording' : 'composing';
}
