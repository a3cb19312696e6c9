import type { Contact, GroupParticipant } from '@whiskeysockets/baileys';
import { parseJid, personOf } from '../../domain/address.js';
import type { IncomingMessage, LinkEvent } from '../link.js';

/** People whose last known names are remembered, so that each is told once. */
const MAX_PEOPLE = 2_000;

type Learnt = Extract<LinkEvent, { type: 'contact' }>;

/** Tells what becomes known of people, once for each change. */
export class Contacts {
  readonly #emit: (event: LinkEvent) => void;
  readonly #told = new Map<string, string>();

  constructor(emit: (event: LinkEvent) => void) {
    this.#emit = emit;
  }

  /** Who wrote a message, under which addresses and name. */
  fromMessage(message: IncomingMessage): void {
    if (message.participant) {
      const person = personOf(message.participant, message.participantAlt);
      this.#tell({ type: 'contact', ...person, ...namesOf(message), source: 'message' });
    } else {
      const person = personOf(message.chat, message.chatAlt);
      this.#tell({ type: 'contact', ...person, ...namesOf(message), source: 'message' });
    }
  }

  /** Names out of the linked phone's address book. */
  fromPhone(contacts: readonly Partial<Contact>[]): void {
    for (const { id, lid, phoneNumber, name } of contacts) {
      if (name)
        this.#tell({ type: 'contact', ...personOf(id, lid, phoneNumber), name, source: 'address-book' });
    }
  }

  /** The members of a group, each with both addresses where the network tells them. */
  fromGroup(members: readonly GroupParticipant[]): void {
    for (const { id, lid, phoneNumber } of members) {
      this.#tell({ type: 'contact', ...personOf(id, lid, phoneNumber), source: 'group' });
    }
  }

  /** Two addresses that turned out to be one person. */
  fromPair({ lid, pn }: { lid: string; pn: string }, source: string): void {
    this.#tell({ type: 'contact', lid: userOf(lid), pn: userOf(pn), source });
  }

  #tell(contact: Learnt): void {
    const { lid, pn, name, pushName, username } = contact;
    const person = lid ?? pn;
    // an address alone is nothing new
    if (!person || !((lid && pn) || name || pushName || username)) return;
    const told = JSON.stringify([lid, pn, name, pushName, username]);
    if (this.#told.get(person) === told) return;
    this.#told.delete(person);
    this.#told.set(person, told);
    if (this.#told.size > MAX_PEOPLE) this.#told.delete([...this.#told.keys()][0] ?? '');
    this.#emit(contact);
  }
}

/** A message of our own carries our own name, not the other person's. */
function namesOf({ fromMe, pushName, username }: IncomingMessage): { pushName?: string; username?: string } {
  return { ...(pushName && !fromMe && { pushName }), ...(username && { username }) };
}

/** The user-part of a jid, or of what is one already. */
function userOf(address: string): string {
  return parseJid(address)?.user ?? address;
}
