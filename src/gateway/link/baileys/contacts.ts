import {
  type BinaryNode,
  type Contact,
  type GroupParticipant,
  getBinaryNodeChild,
  type WASocket,
} from '@whiskeysockets/baileys';
import { formatJid, parseJid, personOf } from '../../../domain/address.js';
import type { IncomingMessage, LinkEvent } from '../link.js';

/** People whose last reported names are remembered. */
const MAX_PEOPLE = 2_000;

type ContactEvent = Extract<LinkEvent, { type: 'contact' }>;

/** Reports addresses and names of people, once for each change. */
export class Contacts {
  readonly #emit: (event: LinkEvent) => void;
  readonly #reported = new Map<string, string>();

  constructor(emit: (event: LinkEvent) => void) {
    this.#emit = emit;
  }

  /** Reports the author of a message. */
  fromMessage(message: IncomingMessage): void {
    if (message.participant) {
      const person = personOf(message.participant, message.participantAlt);
      this.#report({ type: 'contact', ...person, ...namesOf(message), source: 'message' });
    } else {
      const person = personOf(message.chat, message.chatAlt);
      this.#report({ type: 'contact', ...person, ...namesOf(message), source: 'message' });
    }
  }

  /** Reports names from the linked phone's address book. */
  fromPhone(contacts: readonly Partial<Contact>[]): void {
    for (const { id, lid, phoneNumber, name } of contacts) {
      if (name)
        this.#report({ type: 'contact', ...personOf(id, lid, phoneNumber), name, source: 'address-book' });
    }
  }

  /** Reports the members of a group, with both addresses where the network sends them. */
  fromGroup(members: readonly GroupParticipant[]): void {
    for (const { id, lid, phoneNumber } of members) {
      this.#report({ type: 'contact', ...personOf(id, lid, phoneNumber), source: 'group' });
    }
  }

  /** Reports that two addresses belong to one person. */
  fromPair({ lid, pn }: { lid: string; pn: string }, source: string): void {
    this.#report({ type: 'contact', lid: userOf(lid), pn: userOf(pn), source });
  }

  #report(contact: ContactEvent): void {
    const { lid, pn, name, pushName, username } = contact;
    const person = lid ?? pn;
    // an address alone is no news
    if (!person || !((lid && pn) || name || pushName || username)) return;
    const report = JSON.stringify([lid, pn, name, pushName, username]);
    if (this.#reported.get(person) === report) return;
    this.#reported.delete(person);
    this.#reported.set(person, report);
    if (this.#reported.size > MAX_PEOPLE) this.#reported.delete([...this.#reported.keys()][0] ?? '');
    this.#emit(contact);
  }
}

/** An own message carries the own name, not the other person's. */
function namesOf({ fromMe, pushName, username }: IncomingMessage): { pushName?: string; username?: string } {
  return { ...(pushName && !fromMe && { pushName }), ...(username && { username }) };
}

/** The user-part of a jid, or of a user-part. */
function userOf(address: string): string {
  return parseJid(address)?.user ?? address;
}

/** Both addresses of a person: jids without device. */
interface Pair {
  lid: string;
  pn: string;
}

/** The owner of the picture in a `<notification type="picture">`: a jid without device; undefined if the notification names none. */
export function pictureOwner(node: BinaryNode): string | undefined {
  const change = getBinaryNodeChild(node, 'set') ?? getBinaryNodeChild(node, 'delete');
  const owner = parseJid(change?.attrs.jid) ?? parseJid(node.attrs.from);
  return owner && formatJid(owner);
}

/** The new number of a person, from a `<notification type="contacts">`; undefined where there is none. */
export function changedNumber(node: BinaryNode): Pair | undefined {
  const { new: now, new_lid: nowLid, old_lid: formerLid } = getBinaryNodeChild(node, 'modify')?.attrs ?? {};
  const { lid, pn } = personOf(now, nowLid, formerLid);
  if (!lid || !pn) return undefined;
  return { lid: formatJid({ kind: 'lid', user: lid }), pn: formatJid({ kind: 'pn', user: pn }) };
}

/** Updates the library's mapping, which would otherwise bring the old number back. */
export async function noteNumber(sock: Pick<WASocket, 'signalRepository'>, pair: Pair): Promise<void> {
  await sock.signalRepository.lidMapping.storeLIDPNMappings([pair]);
}
