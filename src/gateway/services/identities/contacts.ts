import { setImmediate } from 'node:timers/promises';
import PQueue from 'p-queue';
import { type Address, formatJid, type Person, parseRecipient } from '../../../domain/address.js';
import { boundedCache } from '../../../domain/bounded-cache.js';
import type { Clock } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import type { Link } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { Contact, ContactStore } from '../../store/store.js';
import type { SessionEvent } from '../sessions/session.js';
import type { SessionPart } from '../sessions/session-parts.js';

/** Facts about a person, and their source. */
export interface Learnt {
  lid?: string;
  pn?: string;
  name?: string;
  pushName?: string;
  username?: string;
  source: string;
}

/** Cached contacts of all sessions. */
const CACHED_CONTACTS = 20_000;
/** Milliseconds for which the network is not asked again for a LID that it did not give. */
const ASKED_MS = 60 * 60_000;

/**
 * The people of each session: a person has a LID and a phone number, and either finds the other. Every change is written to
 * the store first; the cache only saves reads.
 */
export class Contacts implements SessionPart {
  readonly #store: ContactStore;
  readonly #clock: Clock;
  readonly #cache = boundedCache<Contact>(CACHED_CONTACTS);
  /** When the network was last asked for the LID of a number and did not give it: milliseconds since the epoch. */
  readonly #asked = boundedCache<number>(CACHED_CONTACTS);
  /** The network's form of numbers that it knows in another form: some countries write mobile numbers in two ways. */
  readonly #forms = boundedCache<string>(CACHED_CONTACTS);
  /** Counts changes, so that a read can see that it was overtaken. */
  #changes = 0;
  /** Awaited when a LID and a number are found to belong to one person. Must not reject. */
  onPair: (clientId: string, pair: { lid: string; pn: string }) => Promise<void> = async () => undefined;

  constructor(store: ContactStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Writes new facts and returns the whole contact. At least one of `lid` and `pn` must be given. */
  async learn(clientId: string, learnt: Learnt): Promise<Contact> {
    const known = await this.find(clientId, learnt);
    if (known && addsNothing(known, learnt)) return known;
    const contact = await this.#store.learn(clientId, { ...learnt, learntAt: this.#clock.now() });
    this.#changes += 1;
    this.#remember(clientId, contact);
    if (isNewPair(known, contact)) await this.onPair(clientId, contact);
    return contact;
  }

  /** Finds a contact by LID, or by number if no LID is given. If both are given, the LID decides. */
  async find(clientId: string, by: Person): Promise<Contact | undefined> {
    const { lid, pn } = by;
    if (!lid && !pn) return undefined;
    const cached = this.#cache.get(lid ? lidKey(clientId, lid) : pnKey(clientId, pn ?? ''));
    if (cached) return cached;
    const changes = this.#changes;
    const contact = await this.#store.find(clientId, by);
    // the number belongs to another person
    if (lid && contact?.lid && contact.lid !== lid) return undefined;
    // a change during the read is newer
    if (contact && changes === this.#changes) this.#remember(clientId, contact);
    return contact;
  }

  /**
   * The address to send to, for `to` in any of its forms: the person's LID if it is known. Looks an unknown address up at
   * the network once.
   * @param field the request's field, for the error
   * @throws GatewayError recipient_unknown, lookup_failed
   */
  async resolve(clientId: string, to: string, link: Pick<Link, 'lookUp'>, field = 'to'): Promise<Address> {
    const address = readAddress(to, field);
    if (address.kind === 'group') return address;
    const known = await this.at(clientId, address);
    const isNew = !known || (!known.lid && !this.wasAsked(clientId, known.pn));
    const contact = isNew ? await this.lookUp(clientId, address, link) : known;
    if (!contact) throw new GatewayError('recipient_unknown', `${field}: ${unknownAtNetwork(address)}`);
    return contact.lid ? { kind: 'lid', user: contact.lid } : { kind: 'pn', user: contact.pn };
  }

  /**
   * Asks the network for a person, and learns the answer.
   * @returns undefined when the network knows nobody with that address
   * @throws GatewayError lookup_failed, store_unavailable
   */
  async lookUp(
    clientId: string,
    { kind, user }: Address,
    link: Pick<Link, 'lookUp'>,
  ): Promise<Contact | undefined> {
    const person = await link.lookUp({ kind, user });
    if (!person) return undefined;
    const asked = kind === 'lid' ? { lid: user } : { pn: user };
    if (kind === 'pn' && person.pn && person.pn !== user) this.#forms.set(pnKey(clientId, user), person.pn);
    const contact = await this.learn(clientId, { ...asked, ...filled(person), source: 'lookup' });
    if (!contact.lid) this.#asked.set(pnKey(clientId, contact.pn), this.#clock.now());
    return contact;
  }

  /** The stored contact with the address of a person, also if the network knows its number in another form. */
  async at(clientId: string, { kind, user }: Address): Promise<Contact | undefined> {
    if (kind === 'lid') return this.find(clientId, { lid: user });
    const form = this.#forms.get(pnKey(clientId, user));
    return (
      (await this.find(clientId, { pn: user })) ?? (form ? this.find(clientId, { pn: form }) : undefined)
    );
  }

  /** Whether the network was asked for the number's LID lately and did not give it. */
  wasAsked(clientId: string, pn: string): boolean {
    const askedAt = this.#asked.get(pnKey(clientId, pn)) ?? Number.NEGATIVE_INFINITY;
    return this.#clock.now() - askedAt < ASKED_MS;
  }

  /** Drops the cached contacts of a session; the store deletes the stored ones with the session. */
  forget(clientId: string): void {
    this.#changes += 1;
    for (const cache of [this.#cache, this.#asked, this.#forms]) {
      for (const key of cache.keys()) if (key.startsWith(`${clientId} `)) cache.delete(key);
    }
  }

  /** Replaces what was cached for either address: a number can move from one person to another. */
  #remember(clientId: string, contact: Contact): void {
    for (const key of [lidKey(clientId, contact.lid), pnKey(clientId, contact.pn)]) {
      const former = this.#cache.get(key);
      if (!former) continue;
      this.#cache.delete(lidKey(clientId, former.lid));
      this.#cache.delete(pnKey(clientId, former.pn));
    }
    if (contact.lid) this.#cache.set(lidKey(clientId, contact.lid), contact);
    if (contact.pn) this.#cache.set(pnKey(clientId, contact.pn), contact);
  }
}

/** The forms in which callers give an address, for error messages. */
export const ADDRESS_FORMS =
  'a LID (digits), a phone number with + and country code, or a full jid (…@lid, …@s.whatsapp.net, …@g.us)';

/**
 * Reads an address in any form that callers write.
 * @param field the request's field, for the error
 * @throws GatewayError recipient_unknown
 */
export function readAddress(to: string, field: string): Address {
  const address = parseRecipient(to);
  if (address) return address;
  throw new GatewayError('recipient_unknown', `${field} must be ${ADDRESS_FORMS}`);
}

/**
 * Reads the address of a person in any form that callers write.
 * @param field the request's field, for the error
 * @throws GatewayError recipient_unknown
 */
export function readPersonAddress(to: string, field: string): { kind: 'lid' | 'pn'; user: string } {
  const { kind, user } = parseRecipient(to) ?? {};
  if (user !== undefined && (kind === 'lid' || kind === 'pn')) return { kind, user };
  const forms = 'a LID (digits), a phone number with + and country code, or the full jid of a person';
  throw new GatewayError('recipient_unknown', `${field} must be ${forms} (…@lid, …@s.whatsapp.net)`);
}

function unknownAtNetwork(address: Address): string {
  return address.kind === 'lid'
    ? `the network knows no LID ${address.user}; a phone number is written with +, like +${address.user.replace(/^0+/, '')}`
    : `${formatJid(address)} is not on the network`;
}

function isNewPair(before: Contact | undefined, { lid, pn }: Contact): boolean {
  return lid !== '' && pn !== '' && !(before?.lid === lid && before.pn === pn);
}

function addsNothing(known: Contact, learnt: Learnt): boolean {
  const fields = ['lid', 'pn', 'name', 'pushName', 'username'] as const;
  return fields.every((field) => !learnt[field] || learnt[field] === known[field]);
}

function filled(person: { lid: string; pn: string }): { lid?: string; pn?: string } {
  return { ...(person.lid && { lid: person.lid }), ...(person.pn && { pn: person.pn }) };
}

const lidKey = (clientId: string, lid: string) => `${clientId} lid ${lid}`;
const pnKey = (clientId: string, pn: string) => `${clientId} pn ${pn}`;

/**
 * Writes the facts about people that links report: in order, one at a time for each session. A link reports the members
 * of all groups at once, perhaps thousands; without a queue, a synchronous store would block the event loop.
 */
export class ContactUpdates implements SessionPart {
  readonly #contacts: Pick<Contacts, 'learn'>;
  readonly #log: Logger;
  readonly #queues = new Map<string, PQueue>();
  /** Sessions that leave this node. */
  readonly #finishing = new Set<string>();
  #isStopping = false;

  constructor({ contacts, log }: { contacts: Pick<Contacts, 'learn'>; log: Logger }) {
    this.#contacts = contacts;
    this.#log = log;
  }

  hear(heard: SessionEvent): void {
    if (heard.type !== 'link' || heard.event.type !== 'contact') return;
    const { type, ...learnt } = heard.event;
    this.note(heard.session.clientId, learnt);
  }

  note(clientId: string, learnt: Learnt): void {
    let queue = this.#queues.get(clientId);
    if (!queue) {
      queue = new PQueue({ concurrency: 1 });
      this.#queues.set(clientId, queue);
      queue.once('idle', () => this.#queues.delete(clientId));
    }
    void queue.add(() => this.#learn(clientId, learnt));
  }

  /** Drops the queued facts. Writes nothing more for the session once this has resolved. */
  async end(clientId: string): Promise<void> {
    const queue = this.#queues.get(clientId);
    queue?.clear();
    await queue?.onIdle();
  }

  /** Writes the queued facts, except members of groups: the network reports them to the session's next owner too. */
  async finish(clientId: string): Promise<void> {
    this.#finishing.add(clientId);
    await this.#queues.get(clientId)?.onIdle();
    this.#finishing.delete(clientId);
  }

  /** Writes the queued facts, except members of groups: the network reports them again after the next start. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#queues.values()].map((queue) => queue.onIdle()));
  }

  /** Never rejects. */
  async #learn(clientId: string, learnt: Learnt): Promise<void> {
    const isEnding = this.#isStopping || this.#finishing.has(clientId);
    if (isEnding && learnt.source === 'group') return;
    await setImmediate();
    await this.#contacts
      .learn(clientId, learnt)
      .catch((err: unknown) => this.#log.warn({ err, clientId }, 'contact not kept'));
  }
}
