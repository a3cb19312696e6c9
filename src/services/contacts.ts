import { LRUCache } from 'lru-cache';
import { type Address, formatJid, parseRecipient } from '../domain/address.js';
import type { Clock } from '../domain/clock.js';
import { GatewayError } from '../domain/errors.js';
import type { Link } from '../link/link.js';
import type { Contact, ContactStore } from '../store/store.js';

/** What was learnt of a person, and where. */
export interface Learnt {
  lid?: string;
  pn?: string;
  name?: string;
  pushName?: string;
  username?: string;
  source: string;
}

/** Contacts kept at hand, over all sessions; the store has them all. */
const CACHED_CONTACTS = 20_000;
/** Milliseconds for which the network is not asked again for a person whose LID it did not tell. */
const ASKED_MS = 60 * 60_000;

/**
 * Who is who, for each session: one person has a LID and a phone number, and either finds the other. The cache only
 * saves reads; every change goes to the store first.
 */
export class Contacts {
  readonly #store: ContactStore;
  readonly #clock: Clock;
  readonly #cache = new LRUCache<string, Contact>({ max: CACHED_CONTACTS });
  /** Numbers whose LID was asked for in vain, and when: milliseconds since the epoch. */
  readonly #asked = new LRUCache<string, number>({ max: CACHED_CONTACTS });
  /** Numbers that the network knows in another form, and that form: some countries write mobile numbers in two. */
  readonly #forms = new LRUCache<string, string>({ max: CACHED_CONTACTS });
  /** Counts what was learnt. */
  #changes = 0;
  /** Waited for whenever two addresses turn out to be one person's. Must not reject. */
  onPair: (clientId: string, pair: { lid: string; pn: string }) => Promise<void> = async () => undefined;

  constructor(store: ContactStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Keeps what is new; answers the whole contact. At least one of `lid` and `pn` must be given. */
  async learn(clientId: string, learnt: Learnt): Promise<Contact> {
    const known = await this.find(clientId, learnt);
    if (known && addsNothing(known, learnt)) return known;
    const contact = await this.#store.learn(clientId, { ...learnt, learntAt: this.#clock.now() });
    this.#changes += 1;
    this.#remember(clientId, contact);
    if (isNewPair(known, contact)) await this.onPair(clientId, contact);
    return contact;
  }

  /** The person with that LID, and with that number as far as the LID does not tell otherwise. */
  async find(clientId: string, by: { lid?: string; pn?: string }): Promise<Contact | undefined> {
    const { lid, pn } = by;
    if (!lid && !pn) return undefined;
    const cached = this.#cache.get(lid ? lidKey(clientId, lid) : pnKey(clientId, pn ?? ''));
    if (cached) return cached;
    const changes = this.#changes;
    const contact = await this.#store.find(clientId, by);
    // the number is somebody else's, as far as is known
    if (lid && contact?.lid && contact.lid !== lid) return undefined;
    // what was learnt meanwhile is newer
    if (contact && changes === this.#changes) this.#remember(clientId, contact);
    return contact;
  }

  /**
   * The address to send to, for `to` in any of its forms; a person's LID when it is known. An address that was never
   * seen is looked up at the network, once.
   * @param field what the caller gave it as, for the error
   * @throws GatewayError recipient_unknown, lookup_failed
   */
  async resolve(clientId: string, to: string, link: Pick<Link, 'lookUp'>, field = 'to'): Promise<Address> {
    const address = parseRecipient(to);
    if (!address) throw new GatewayError('recipient_unknown', `${field} must be ${ADDRESS_FORMS}`);
    if (address.kind === 'group') return address;
    const known = await this.#known(clientId, address);
    const isNew = !known || (!known.lid && !this.wasAsked(clientId, known.pn));
    const contact = isNew ? await this.lookUp(clientId, address, link) : known;
    if (!contact) throw new GatewayError('recipient_unknown', `${field}: ${unknownAtNetwork(address)}`);
    return contact.lid ? { kind: 'lid', user: contact.lid } : { kind: 'pn', user: contact.pn };
  }

  /**
   * Asks the network for a person, and learns what it tells.
   * @returns undefined when the network knows nobody by that address
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

  /** The person with that address; of a number in the form that the network knows it by. */
  async #known(clientId: string, { kind, user }: Address): Promise<Contact | undefined> {
    if (kind === 'lid') return this.find(clientId, { lid: user });
    const form = this.#forms.get(pnKey(clientId, user));
    return (
      (await this.find(clientId, { pn: user })) ?? (form ? this.find(clientId, { pn: form }) : undefined)
    );
  }

  /** The network was asked for the number lately, and did not tell its LID. */
  wasAsked(clientId: string, pn: string): boolean {
    const askedAt = this.#asked.get(pnKey(clientId, pn)) ?? Number.NEGATIVE_INFINITY;
    return this.#clock.now() - askedAt < ASKED_MS;
  }

  /** Forgets a session's contacts here; the store's are deleted with the session. */
  forget(clientId: string): void {
    this.#changes += 1;
    for (const cache of [this.#cache, this.#asked, this.#forms]) {
      for (const key of cache.keys()) if (key.startsWith(`${clientId} `)) cache.delete(key);
    }
  }

  /** What stood under either address may be somebody else's by now: a number moves from one person to another. */
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

/** How callers name a person or a group. */
export const ADDRESS_FORMS =
  'a LID (digits), a phone number with + and country code, or a full jid (…@lid, …@s.whatsapp.net, …@g.us)';

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
