import { type Address, formatJid, type Person, parseJid, personOf } from '../../domain/address.js';
import { formatRoomId } from '../../domain/room.js';
import type { IncomingMessage } from '../../link/link.js';
import type { Contact, SessionRecord } from '../../store/store.js';
import type { Authorship } from '../authorship.js';
import type { Contacts } from '../contacts.js';
import type { LidSearch } from '../people/lid-search.js';

/** Who a message is between, as far as anybody knows. */
export interface Parties {
  /** The conversation: a group, or the other person by the LID where it is known. */
  remote: Address;
  remoteJid: string;
  /** The other person, or the one who wrote in the group; undefined while nobody is known. */
  person: Contact | undefined;
  /** Who wrote the message. */
  author: Authorship;
}

/**
 * Finds the person behind either address, learning what the message tells.
 * @param search looks further for somebody who is known by number only; left out where nobody is to be asked
 */
export async function identifyParties(
  session: SessionRecord,
  message: IncomingMessage,
  contacts: Contacts,
  search?: Pick<LidSearch, 'complete'>,
): Promise<Parties> {
  const chat = parseJid(message.chat);
  if (!chat) throw new Error('an admitted message has a readable chat');
  if (chat.kind === 'group') {
    const author = personOf(message.participant, message.participantAlt);
    const person = await learn(session, author, message, contacts);
    return { remote: chat, remoteJid: formatJid(chat), person, author: authorOf(session, message, person) };
  }
  const learnt = await learn(session, personOf(message.chat, message.chatAlt), message, contacts);
  const person = learnt && search ? await search.complete(session.clientId, learnt) : learnt;
  const remote: Address = person?.lid ? { kind: 'lid', user: person.lid } : chat;
  return { remote, remoteJid: formatJid(remote), person, author: authorOf(session, message, person) };
}

/** The room's id of a conversation. */
export function roomIdOf({ clientId, lid }: SessionRecord, { user }: Address): string {
  return formatRoomId({ clientId, myLid: lid, other: user });
}

function authorOf(
  session: SessionRecord,
  { fromMe }: IncomingMessage,
  person: Contact | undefined,
): Authorship {
  const { lid, pn } = fromMe ? session : { lid: person?.lid, pn: person?.pn };
  return { fromMe, ...(lid && { lid }), ...(pn && { pn }) };
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
    ...(message.username && { username: message.username }),
    source: 'message',
  });
}
