import { type Address, formatJid, type Person, parseJid, personOf } from '../../../domain/address.js';
import { formatRoomId } from '../../../domain/room.js';
import { quotedNumberIn } from '../../kinds/context-info.js';
import type { IncomingMessage, MessageContent } from '../../link/link.js';
import type { Contact, MessageTrace, SessionRecord } from '../../store/store.js';
import type { Contacts } from './contacts.js';
import type { LidSearch } from './lid-search.js';

/** The author of a message; user-parts where known. */
export interface Authorship extends Person {
  /** True if the linked number wrote the message. */
  fromMe: boolean;
}

/** False when the two are known to be different people. */
export function mayBeSame(one: Authorship, other: Authorship): boolean {
  if (one.fromMe || other.fromMe) return one.fromMe === other.fromMe;
  if (one.lid && other.lid) return one.lid === other.lid;
  if (one.pn && other.pn) return one.pn === other.pn;
  return true;
}

/** The known jids of a person, LID first. */
export function jidsOf({ lid, pn }: Person): string[] {
  return [...(lid ? [lidJid(lid)] : []), ...(pn ? [pnJid(pn)] : [])];
}

/** The author of a traced message. */
export function authorOfTrace({ fromMe, authorLid, authorPn }: MessageTrace): Authorship {
  const lid = parseJid(authorLid)?.user;
  const pn = parseJid(authorPn)?.user;
  return { fromMe, ...(lid && { lid }), ...(pn && { pn }) };
}

export function lidJid(user: string): string {
  return formatJid({ kind: 'lid', user });
}

export function pnJid(user: string): string {
  return formatJid({ kind: 'pn', user });
}

/** The conversation and the people of a message, as far as they are known. */
export interface Parties {
  /** The conversation: a group, or the other person, by LID where it is known. */
  remote: Address;
  remoteJid: string;
  /** The other person, or the author in a group; undefined when unknown. */
  person: Contact | undefined;
  /** The author of the message. */
  author: Authorship;
}

/**
 * Finds the people of a message, and learns the addresses and names that it carries.
 * @param search asks the network if only the number is known; left out for past messages
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

/**
 * The LID of the author of a quoted message, if the message names them by number: events name people by LID. Mentions keep
 * their form, because the text holds them too.
 * @returns user-part of the LID; empty when the message names a LID, or none is known
 */
export async function lidOfQuoted(
  { clientId, lid, pn }: SessionRecord,
  content: MessageContent,
  contacts: Pick<Contacts, 'find'>,
): Promise<string> {
  const number = quotedNumberIn(content);
  if (number === undefined) return '';
  return number === pn ? lid : ((await contacts.find(clientId, { pn: number }))?.lid ?? '');
}
