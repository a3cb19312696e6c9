import { type Address, formatJid, type Person, parseJid, personOf } from '../../domain/address.js';
import type { IncomingMessage } from '../../link/link.js';
import type { Contact, SessionRecord } from '../../store/store.js';
import type { Contacts } from '../contacts.js';

/** Who a message is between, as far as anybody knows. */
export interface Parties {
  /** The conversation: a group, or the other person by the LID where it is known. */
  remote: Address;
  remoteJid: string;
  /** The other person, or the one who wrote in the group; undefined while nobody is known. */
  person: Contact | undefined;
}

/** Finds the person behind either address, learning what the message tells. */
export async function identifyParties(
  session: SessionRecord,
  message: IncomingMessage,
  contacts: Contacts,
): Promise<Parties> {
  const chat = parseJid(message.chat);
  if (!chat) throw new Error('an admitted message has a readable chat');
  if (chat.kind === 'group') {
    const author = personOf(message.participant, message.participantAlt);
    const person = await learn(session, author, message, contacts);
    return { remote: chat, remoteJid: formatJid(chat), person };
  }
  const person = await learn(session, personOf(message.chat, message.chatAlt), message, contacts);
  const remote: Address = person?.lid ? { kind: 'lid', user: person.lid } : chat;
  return { remote, remoteJid: formatJid(remote), person };
}

async function learn(
  session: SessionRecord,
  { lid, pn }: Person,
  message: IncomingMessage,
  contacts: Contacts,
): Promise<Contact | undefined> {
  if (!lid && !pn) return undefined;
  // an own message carries the own name, not the other party's
  const pushName = message.fromMe ? '' : message.pushName;
  return contacts.learn(session.clientId, {
    ...(lid && { lid }),
    ...(pn && { pn }),
    ...(pushName && { pushName }),
    source: 'message',
  });
}
