import {
  type BinaryNode,
  type CacheStore,
  extractDeviceJids,
  isLidUser,
  jidDecode,
  jidNormalizedUser,
  USyncQuery,
  USyncUser,
  type WASocket,
} from '@whiskeysockets/baileys';
import { parseJid } from '../../domain/address.js';
import type { Clock } from '../../domain/clock.js';
import { GatewayError } from '../../domain/errors.js';

/** People whose devices are remembered: those of many full groups (1,024), or each send to one would ask anew. */
const MAX_PEOPLE = 20_000;
/** Milliseconds after which a list is asked for again, should an announcement of a change have been missed. */
const MAX_AGE_MS = 12 * 60 * 60_000;
/** Milliseconds that the network has to answer. */
const ANSWER_MS = 12_000;

/**
 * Which devices a person has. The library asks anew every five minutes, throws a healthy session away each time, and
 * sends an empty message when nobody answers; asked for here, the lists last until the network announces a change, and
 * a send waits for an answer or fails.
 */
export class Devices {
  readonly #clock: Clock;
  readonly #lists = new Map();
  readonly #asking = new Map<string, Promise<void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The same lists as the library's cache, by user-part. */
  readonly cache: CacheStore = {
    get: (user) => {
      const kept = this.#lists.get(user);
      return kept && kept.until > this.#clock.now() ? kept.devices : undefined;
    },
    set: (user, devices) => {
      this.#lists.delete(user);
      this.#lists.set(user, { devices, until: this.#clock.now() + MAX_AGE_MS });
      if (this.#lists.size > MAX_PEOPLE) this.#lists.delete(this.#lists.keys().next().value);
    },
    del: (user) => this.#lists.delete(user),
    flushAll: () => this.#lists.clear(),
  };

  /** Forgets the people that a notification of changed devices names. */
  onNotification(node: BinaryNode): void {
    const children = Array.isArray(node.content) ? node.content : [];
    const nested = children.flatMap((child) => (Array.isArray(child.content) ? child.content : []));
    for (const { attrs } of [node, ...children, ...nested]) {
      for (const jid of [attrs.from, attrs.lid, attrs.jid]) {
        const user = jidDecode(jid)?.user;
        if (user) this.#lists.delete(user);
      }
    }
  }

  /**
   * Makes sure that the devices of a recipient and the own ones are known before a message is made for them.
   * @throws GatewayError `device_query_unanswered`, `recipient_unknown`
   */
  ensure(sock: WASocket, to: string): Promise<void> | undefined {
    const me = sock.authState.creds.me;
    const own = isLidUser(to) && me?.lid ? me.lid : me?.id;
    const missing = [own, to].filter((jid): jid is string => !!jid && !this.#knows(jid));
    if (missing.length === 0) return undefined;
    const asked = this.#asking.get(to);
    if (asked) return asked;
    const asking = this.#ask(sock, missing.map(jidNormalizedUser)).finally(() => this.#asking.delete(to));
    this.#asking.set(to, asking);
    return asking;
  }

  #knows(jid: string): boolean {
    return this.cache.get(jidDecode(jid)?.user ?? '') !== undefined;
  }

  async #ask(sock: WASocket, jids: readonly string[]): Promise<void> {
    const { creds } = sock.authState;
    const query = new USyncQuery().withContext('message').withDeviceProtocol().withLIDProtocol();
    for (const jid of jids) query.withUser(new USyncUser().withId(jid));
    const answer = await this.#inTime(sock.executeUSyncQuery(query));
    const pairs = answer.list.flatMap(({ id, lid }) =>
      typeof lid === 'string' && !isLidUser(id) ? [{ pn: id, lid }] : [],
    );
    await sock.signalRepository.lidMapping.storeLIDPNMappings(pairs);
    const found = extractDeviceJids(answer.list, creds.me?.id ?? '', creds.me?.lid ?? '', false);
    const stored: Record<string, string[]> = {};
    for (const jid of jids) {
      const user = parseJid(jid)?.user ?? '';
      const list = found.filter((device) => device.user === user);
      if (list.length === 0 && !this.#isOwn(sock, user)) throw unknownRecipient();
      this.cache.set(user, list);
      stored[user] = list.map(({ device }) => String(device ?? 0));
    }
    // the library finds the sessions to move by these when it learns a person's LID
    await sock.authState.keys.set({ 'device-list': stored });
  }

  async #inTime<T>(query: Promise<T | undefined>): Promise<T> {
    let cancel: () => void = () => undefined;
    const deadline = new Promise<undefined>((resolve) => {
      cancel = this.#clock.after(ANSWER_MS, () => resolve(undefined));
    });
    try {
      const answer = await Promise.race([query, deadline]);
      if (answer !== undefined) return answer;
    } catch (error) {
      throw unanswered(error);
    } finally {
      cancel();
    }
    throw unanswered();
  }

  #isOwn(sock: WASocket, user: string): boolean {
    const me = sock.authState.creds.me;
    return [me?.id, me?.lid].some((jid) => jidDecode(jid)?.user === user);
  }
}

function unanswered(cause?: unknown): GatewayError {
  return new GatewayError(
    'device_query_unanswered',
    'The network did not say which devices the recipient has, so nothing was sent. Try again.',
    { cause },
  );
}

function unknownRecipient(): GatewayError {
  return new GatewayError('recipient_unknown', 'The network knows no device of this recipient.');
}
