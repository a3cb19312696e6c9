import type { Account, AddressingMode } from './account.js';
import { Group } from './groups/group.js';

/** The other side of a chat: somebody, or a group. Both say what the chat is called and by which jid it goes. */
export type Chat = Account | Group;

/** The jid by which a chat goes on the wire. */
export function jidOf(chat: Chat, mode: AddressingMode): string {
  return chat instanceof Group ? chat.jid() : chat.privateJid(mode);
}

/** How a person's device is named in a chat: a LID may be hidden from who writes with the person, but not in groups. */
export function jidIn(chat: Chat, person: Account, mode: AddressingMode, device = 0): string {
  return chat instanceof Group ? person.jid(mode, device) : person.privateJid(mode, device);
}
