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
import { parseJid } from '../../../domain/address.js';
import type { Clock } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import {
  type DeviceNews,
  deviceNewsIn,
  jidOf,
  type ListedDevice,
  ownDevicesIn,
  participantHash,
} from './device-news.js';
import { devicesWithoutKeys } from './key-bundles.js';
import { partsOf } from './reasons.js';

/** Number of people whose devices are cached: enough for the members of many full groups (1,024 each), so that sends to them need no query. */
const MAX_PEOPLE = 20_000;
/**
 * Milliseconds until a list expires, in case a notification of a change was missed. No list outlives its connection:
 * over the next one, the first send to a person looks the devices up again.
 */
const MAX_AGE_MS = 12 * 60 * 60_000;
/** Milliseconds until a device without keys, and a person without devices, are tried again. */
const KEYLESS_AGE_MS = 10 * 60_000;
/** The library's codes for a query without an answer and for a lost connection. */
const NO_ANSWER: ReadonlySet<number | undefined> = new Set([408, 428]);
/** Milliseconds to wait for the network's answer. */
const ANSWER_MS = 12_000;

/**
 * The devices of people. The library queries them every five minutes, discards a healthy session each time, and sends an
 * empty message when no answer comes. Queried here, the lists last until the network announces a change or the connection
 * ends, and a send waits for an answer or fails.
 */
export class Devices {
  readonly #clock: Clock;
  /** Devices for which a message can be encrypted, by user-part. */
  readonly #lists = new Map();
  /** All devices of the same people, including those without keys, but without this device itself. */
  readonly #listed = new Map<string, readonly ListedDevice[]>();
  /** User-parts of people who were looked up without a check of their devices' keys. */
  readonly #unchecked = new Set<string>();
  /** Queries that are not answered yet, by user-part. */
  readonly #asking = new Map<string, Promise<void>>();
  /** Checks of keys in flight, by user-part. Only one may run, because each opens sessions, which would replace those of another check. */
  readonly #checking = new Map<string, Promise<void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The lists as the library's cache, by user-part. */
  readonly cache: CacheStore = {
    get: (user) => {
      const kept = this.#lists.get(user);
      return kept && kept.until > this.#clock.now() ? kept.devices : undefined;
    },
    set: (user, devices) => {
      this.#keep(user, devices, MAX_AGE_MS);
      if (Array.isArray(devices)) this.#listed.set(user, devices);
    },
    del: (user) => this.#drop(user),
    flushAll: () => this.#lists.clear(),
  };

  #keep(user: string, devices: unknown, ageMs: number): void {
    this.#drop(user);
    this.#lists.set(user, { devices, until: this.#clock.now() + ageMs });
    if (this.#lists.size > MAX_PEOPLE) this.#drop(this.#lists.keys().next().value);
  }

  /** Keeps a list whose devices may have no keys. */
  #keepUnchecked(user: string, list: readonly ListedDevice[], ageMs = MAX_AGE_MS): void {
    this.#keep(user, list, ageMs);
    this.#listed.set(user, list);
    this.#unchecked.add(user);
  }

  #drop(user: string): void {
    this.#lists.delete(user);
    this.#listed.delete(user);
    this.#unchecked.delete(user);
  }

  async #keyless(sock: WASocket, jids: readonly string[]): Promise<Set<string>> {
    try {
      return await devicesWithoutKeys(sock, jids);
    } catch (error) {
      if (NO_ANSWER.has(partsOf(error).code)) throw unanswered(error);
      // the store failed: the send will fail with the same error
      return new Set();
    }
  }

  /**
   * Takes a notification of the type `devices`: changes the lists that it names if the network's hash confirms the change, and forgets
   * them otherwise, so that the next send asks.
   */
  onNotification(node: BinaryNode): void {
    const news = deviceNewsIn(node);
    if (news) this.#apply(news);
    else this.forget([node.attrs.from, node.attrs.lid].flatMap((jid) => jid ?? []));
  }

  /** Takes a notification of the type `account_sync`. @param own the jids of this device, by number and by LID */
  onOwnNotification(node: BinaryNode, own: readonly (string | undefined)[]): void {
    const news = ownDevicesIn(node, own);
    if (news) this.#apply(news);
    else this.forget(own.flatMap((jid) => jid ?? []));
  }

  #apply(news: readonly DeviceNews[]): void {
    for (const { user, next, hash } of news) {
      const before = this.cache.get(user) === undefined ? undefined : this.#listed.get(user);
      const list = before && next(before);
      const isRight = list && (hash === undefined || participantHash(list.map(jidOf)) === hash);
      if (isRight) this.#keepUnchecked(user, list);
      else this.#drop(user);
    }
  }

  /**
   * Queries the devices of a recipient, and the own ones, unless they are known.
   * @throws GatewayError `device_query_unanswered`, `recipient_unknown`, `send_rejected` when no device has keys
   */
  async ensure(sock: WASocket, to: string): Promise<void> {
    const user = userOf(to);
    if (this.#listed.get(user)?.length === 0) this.#drop(user);
    await this.ensureAll(sock, ownAndOther(sock, to));
    if (isOwn(sock, user)) return;
    // no list: the person's devices changed meanwhile, and the library asks again
    const listed = this.#listed.get(user);
    if (listed?.length === 0) throw unknownRecipient();
    if (listed && !listed.some((device) => this.isUsable(jidOf(device)))) throw withoutKeys();
  }

  /**
   * Queries all unknown devices of these people in one query, and opens the missing sessions in a second one.
   * @throws GatewayError `device_query_unanswered`
   */
  async ensureAll(sock: WASocket, jids: readonly string[]): Promise<void> {
    await this.#list(sock, jids);
    const unchecked = jids.map(userOf).filter((user) => this.#unchecked.has(user));
    await onceForEach(this.#checking, unchecked, (users) => this.#check(sock, users));
  }

  /**
   * Whether a person exists: the network lists devices for everybody who does. Queries the own devices too, because
   * usually a send to the person follows.
   * @throws GatewayError `device_query_unanswered`
   */
  async exists(sock: WASocket, jid: string): Promise<boolean> {
    if (this.listed(jid)?.length === 0) this.#drop(userOf(jid));
    await this.#list(sock, ownAndOther(sock, jid));
    return this.listed(jid)?.length !== 0;
  }

  async #list(sock: WASocket, jids: readonly string[]): Promise<void> {
    const missing = new Map(
      jids.flatMap((jid) => {
        const user = userOf(jid);
        return this.cache.get(user) === undefined ? [[user, jidNormalizedUser(jid)] as const] : [];
      }),
    );
    await onceForEach(this.#asking, [...missing.keys()], (users) =>
      this.#ask(
        sock,
        users.flatMap((user) => missing.get(user) ?? []),
      ),
    );
  }

  /** Jids of all known devices of a person, without this device itself; undefined when they are not known. */
  listed(jid: string): string[] | undefined {
    return this.#listed.get(userOf(jid))?.map(jidOf);
  }

  /** Whether a message can be encrypted for a listed device. */
  isUsable(device: string): boolean {
    const usable: readonly ListedDevice[] = this.#lists.get(userOf(device))?.devices ?? [];
    return usable.some((one) => jidOf(one) === device);
  }

  /** Forgets the devices of people: the next send looks them up again. */
  forget(jids: readonly string[]): void {
    for (const jid of jids) this.#drop(userOf(jid));
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
      this.#keepUnchecked(user, list, list.length > 0 || isOwn(sock, user) ? MAX_AGE_MS : KEYLESS_AGE_MS);
      stored[user] = list.map(({ device }) => String(device ?? 0));
    }
    // when the library learns a person's LID it migrates the sessions of these devices
    await sock.authState.keys.set({ 'device-list': stored });
  }

  /** Leaves devices without keys out of the lists. */
  async #check(sock: WASocket, users: readonly string[]): Promise<void> {
    const lists = new Map(users.map((user) => [user, this.#listed.get(user) ?? []]));
    const keyless = await this.#keyless(sock, [...lists.values()].flat().map(jidOf));
    for (const [user, list] of lists) {
      // a list that changed meanwhile is checked at the next send
      if (this.#listed.get(user) !== list) continue;
      this.#unchecked.delete(user);
      const usable = list.filter((device) => !keyless.has(jidOf(device)));
      if (usable.length === list.length) continue;
      this.#keep(user, usable, KEYLESS_AGE_MS);
      this.#listed.set(user, list);
    }
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
}

/** Runs `work` once for all users that no call is working on, and waits for the others too. */
async function onceForEach(
  running: Map<string, Promise<void>>,
  users: readonly string[],
  work: (users: string[]) => Promise<void>,
): Promise<void> {
  const idle = users.filter((user) => !running.has(user));
  if (idle.length > 0) {
    const working = work(idle).finally(() => {
      for (const user of idle) running.delete(user);
    });
    for (const user of idle) running.set(user, working);
  }
  await Promise.all(users.map((user) => running.get(user)));
}

/** The addresses whose devices get a private message: the recipient's, and the own one of the same kind. */
export function ownAndOther(sock: WASocket, to: string): string[] {
  const me = sock.authState.creds.me;
  const own = isLidUser(to) && me?.lid ? me.lid : me?.id;
  return own ? [own, to] : [to];
}

function userOf(jid: string): string {
  return jidDecode(jid)?.user ?? '';
}

/** Whether a user-part is the own one. */
export function isOwn(sock: WASocket, user: string): boolean {
  const me = sock.authState.creds.me;
  return [me?.id, me?.lid].some((jid) => jidDecode(jid)?.user === user);
}

function unanswered(cause?: unknown): GatewayError {
  return new GatewayError(
    'device_query_unanswered',
    'The network did not say which devices the recipient has, so nothing was sent. Try again.',
    { cause },
  );
}

function withoutKeys(): GatewayError {
  return new GatewayError(
    'send_rejected',
    'The message could not be sent: the network has keys of none of the devices of the recipient.',
  );
}

function unknownRecipient(): GatewayError {
  return new GatewayError('recipient_unknown', 'The network knows no device of this recipient.');
}
