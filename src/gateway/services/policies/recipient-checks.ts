import { type Address, formatJid, parseJid } from '../../../domain/address.js';
import { boundedCache } from '../../../domain/bounded-cache.js';
import { type Clock, DAY_MS } from '../../../domain/clock.js';
import type { Link } from '../../link/link.js';
import type { Contacts } from '../identities/contacts.js';

const HOUR_MS = DAY_MS / 24;
/** Remembered answers, of all sessions together. */
const ANSWERS = 20_000;
/** Milliseconds for which a positive answer, and a negative one, is trusted. */
const THERE_MS = 7 * DAY_MS;
const ABSENT_MS = DAY_MS;

/** Asks the network whether people are on it, and remembers the answers. Positive answers survive a restart, as contacts in the store. */
export class RecipientChecks {
  readonly #contacts: Pick<Contacts, 'find' | 'lookUp'>;
  readonly #clock: Clock;
  readonly #answers = boundedCache<{ isThere: boolean; at: number }>(ANSWERS);
  readonly #asking = new Map<string, Promise<boolean>>();
  /** When the network was asked for each session in the last hour, oldest first: milliseconds since the epoch. */
  readonly #questions = new Map<string, number[]>();

  constructor({ contacts, clock }: { contacts: Pick<Contacts, 'find' | 'lookUp'>; clock: Clock }) {
    this.#contacts = contacts;
    this.#clock = clock;
  }

  /** Whether somebody is on the network; undefined if unknown. */
  async known(clientId: string, address: Address): Promise<boolean | undefined> {
    const { kind, user } = address;
    if (kind === 'group') return true;
    const remembered = this.#remembered(keyOf(clientId, address));
    if (remembered !== undefined) return remembered;
    const contact = await this.#contacts.find(clientId, { [kind]: user });
    const isRecent = contact && this.#clock.now() - contact.learntAt < THERE_MS;
    return isRecent && contact.source === 'lookup' ? true : undefined;
  }

  #remembered(key: string): boolean | undefined {
    const answer = this.#answers.get(key);
    const lasts = answer?.isThere ? THERE_MS : ABSENT_MS;
    return answer && this.#clock.now() - answer.at < lasts ? answer.isThere : undefined;
  }

  /** Whether a look-up is needed: the answer is neither known nor in flight. */
  async isUnknown(clientId: string, jid: string): Promise<boolean> {
    const address = parseJid(jid);
    if (!address || this.#asking.has(keyOf(clientId, address))) return false;
    return (await this.known(clientId, address)) === undefined;
  }

  /** Adds the times of earlier questions, oldest first: milliseconds since the epoch. */
  recall(clientId: string, askedAt: readonly number[]): void {
    this.#questions.set(clientId, [...askedAt, ...this.questions(clientId)]);
  }

  /** @throws GatewayError lookup_failed, store_unavailable */
  ask(clientId: string, address: Address, link: Pick<Link, 'lookUp'>): Promise<boolean> {
    const key = keyOf(clientId, address);
    const asking =
      this.#asking.get(key) ?? this.#ask(clientId, address, link).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  /** Counts a look-up that observe mode does not make, and assumes that the person is on the network. */
  noteUnasked(clientId: string, address: Address): void {
    const key = keyOf(clientId, address);
    // a second message to the same person must not count another look-up
    if (this.#remembered(key) === undefined)
      this.#answers.set(key, { isThere: true, at: this.#noteQuestion(clientId) });
  }

  /** Times of the questions in the last hour, oldest first: milliseconds since the epoch. */
  questions(clientId: string): readonly number[] {
    const since = this.#clock.now() - HOUR_MS;
    return (this.#questions.get(clientId) ?? []).filter((at) => at > since);
  }

  forget(clientId: string): void {
    this.#questions.delete(clientId);
    for (const key of this.#answers.keys()) if (key.startsWith(`${clientId} `)) this.#answers.delete(key);
  }

  #noteQuestion(clientId: string): number {
    const at = this.#clock.now();
    this.#questions.set(clientId, [...this.questions(clientId), at]);
    return at;
  }

  async #ask(clientId: string, address: Address, link: Pick<Link, 'lookUp'>): Promise<boolean> {
    const at = this.#noteQuestion(clientId);
    const person = await this.#contacts.lookUp(clientId, address, link);
    const answer = { isThere: person !== undefined, at };
    this.#answers.set(keyOf(clientId, address), answer);
    if (person?.lid) this.#answers.set(keyOf(clientId, { kind: 'lid', user: person.lid }), answer);
    return answer.isThere;
  }
}

function keyOf(clientId: string, address: Address): string {
  return `${clientId} ${formatJid(address)}`;
}
