import { isLidUser, jidDecode, jidNormalizedUser, type WASocket } from '@whiskeysockets/baileys';
import type { LRUCache } from 'lru-cache';
import { parseJid } from '../../../domain/address.js';
import { boundedCache } from '../../../domain/bounded-cache.js';
import type { Clock } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import { participantHash } from './device-news.js';
import { type Devices, ownAndOther } from './devices.js';
import type { GroupCache } from './group-cache.js';
import type { Identities } from './identities.js';

/** Chats whose devices were looked up again because the network has another list of them. */
const MAX_CHATS = 1_000;
/**
 * Milliseconds before the lists of a chat are looked up again because of a difference. If a list still differs after a
 * look-up, the network counts devices in another way.
 */
const DOUBT_MS = 10 * 60_000;
const MEMORY = 'sender-key-memory';
/** As many as a full group has. */
const PEOPLE_PER_QUERY = 1_024;

/** The devices for which a message was encrypted, and the addresses of their owners. */
export interface Audience {
  people: readonly string[];
  /** Jids of devices, without this device itself. */
  devices: readonly string[];
}

/** Finds the devices that a message is for: before it leaves, and again when the network says that some were missed. */
export class Fanout {
  readonly #sock: WASocket;
  readonly #devices: Devices;
  readonly #groups: GroupCache;
  readonly #doubted: LRUCache<string, true>;
  readonly #refreshing = new Map<string, Promise<void>>();
  readonly #identities: Identities;

  constructor({
    sock,
    devices,
    groups,
    identities,
    clock,
  }: { sock: WASocket; devices: Devices; groups: GroupCache; identities: Identities; clock: Clock }) {
    this.#sock = sock;
    this.#devices = devices;
    this.#groups = groups;
    this.#identities = identities;
    this.#doubted = boundedCache(MAX_CHATS, { ttl: DOUBT_MS, perf: { now: () => clock.now() } });
  }

  /**
   * Looks up all unknown devices of a chat, so that the library does not: there, one device without keys would block the
   * whole send.
   * @throws GatewayError `device_query_unanswered`, `recipient_unknown`, `send_rejected`
   */
  async prepare(to: string): Promise<Audience> {
    if (parseJid(to)?.kind !== 'group') {
      await this.#devices.ensure(this.#sock, to);
      return this.#audience(ownAndOther(this.#sock, to));
    }
    const people = await this.#membersOf(to);
    await this.#devices.ensureAll(this.#sock, people);
    await this.#renewSenderKey(to, people);
    return this.#audience(people);
  }

  /**
   * Looks up the devices of the people of a status, and of the own account, which gets it too (whatsmeow
   * `getBroadcastListParticipants`, zapo `publishStatusMessage`).
   * @throws GatewayError `device_query_unanswered`, `audience_empty` when the network knows no device of anybody
   */
  async prepareStatus(people: readonly string[]): Promise<Audience> {
    const { me } = this.#sock.authState.creds;
    const own = me?.lid ?? me?.id;
    const all = [...new Set([...people, ...(own ? [jidNormalizedUser(own)] : [])])];
    for (let done = 0; done < all.length; done += PEOPLE_PER_QUERY)
      await this.#devices.ensureAll(this.#sock, all.slice(done, done + PEOPLE_PER_QUERY));
    if (people.some((jid) => this.#devices.listed(jid)?.length)) return this.#audience(all);
    throw new GatewayError(
      'audience_empty',
      'Nothing was sent: the network knows no device of the people who may see the status.',
    );
  }

  /**
   * Looks up the devices of a chat again if the hash in the network's acknowledgement differs from ours.
   * @returns the devices for which the message was not encrypted, but can be now
   */
  async missed(to: string, before: Audience, hash: string | undefined): Promise<string[]> {
    if (hash === undefined || this.#agrees(to, before, hash)) return [];
    const isGroup = parseJid(to)?.kind === 'group';
    const now = async () => this.#audience(isGroup ? await this.#membersOf(to) : before.people);
    let audience = await now();
    if (!this.#agrees(to, audience, hash)) {
      await this.#refresh(to, audience.people, isGroup);
      audience = await now();
      // the network agrees with the new list, so the next difference is a new one
      if (this.#agrees(to, audience, hash)) this.#doubted.delete(to);
    }
    const had = new Set(before.devices);
    return audience.devices.filter((jid) => !had.has(jid) && this.#devices.isUsable(jid));
  }

  /** Looks up again, once for all messages to the chat that are in flight. */
  #refresh(to: string, people: readonly string[], isGroup: boolean): Promise<void> {
    const running = this.#refreshing.get(to);
    if (running) return running;
    if (this.#doubted.has(to)) return Promise.resolve();
    this.#doubted.set(to, true);
    const refreshing = this.#lookUpAgain(to, people, isGroup).finally(() => this.#refreshing.delete(to));
    this.#refreshing.set(to, refreshing);
    return refreshing;
  }

  async #lookUpAgain(to: string, people: readonly string[], isGroup: boolean): Promise<void> {
    if (isGroup) this.#groups.forget(to);
    this.#devices.forget(people);
    await this.#devices.ensureAll(this.#sock, isGroup ? await this.#membersOf(to) : people);
  }

  #agrees(to: string, { devices }: Audience, hash: string): boolean {
    return this.#hashes(to, devices).includes(hash);
  }

  #audience(people: readonly string[]): Audience {
    return { people, devices: [...new Set(people.flatMap((jid) => this.#devices.listed(jid) ?? []))] };
  }

  /** The members of a group; none if the network does not describe it, for which the library reports the reason. */
  async #membersOf(group: string): Promise<string[]> {
    const metadata = await this.#groups.get(group).catch(() => undefined);
    return metadata?.participants.map(({ id }) => id) ?? [];
  }

  /** The possible hashes of a list together with this device, which is named by LID or by number. */
  #hashes(to: string, devices: readonly string[]): string[] {
    const { me } = this.#sock.authState.creds;
    const own = isLidUser(to) ? [me?.lid] : parseJid(to)?.kind === 'group' ? [me?.lid, me?.id] : [me?.id];
    return own.flatMap((jid) => (jid ? participantHash([...new Set([...devices, jid])]) : []));
  }

  /**
   * Forgets the own sender key of a group if a device that has left the group knows it: the next message brings a new key
   * to all others (whatsmeow and WhatsApp Web do the same when a member leaves).
   */
  async #renewSenderKey(group: string, people: readonly string[]): Promise<void> {
    const { keys, creds } = this.#sock.authState;
    const { [group]: given = {} } = await keys.get(MEMORY, [group]);
    const members = new Set(people.map(userOf));
    const isFormer = (jid: string) =>
      !members.has(userOf(jid)) || this.#devices.listed(jid)?.includes(jid) === false;
    if (people.length === 0) return;
    if (!Object.keys(given).some(isFormer)) return this.#giveAgain(group, given);
    const own = [creds.me?.id, creds.me?.lid].flatMap((jid) => (jid ? this.#senderKeyId(group, jid) : []));
    await keys.set({
      'sender-key': Object.fromEntries(own.map((id) => [id, null])),
      [MEMORY]: { [group]: null },
    });
  }

  /** Lets the next message bring the sender key to the phones that have lost it. @param given the devices that were given it */
  async #giveAgain(group: string, given: Readonly<Record<string, boolean>>): Promise<void> {
    const { authState, signalRepository } = this.#sock;
    const lost = new Set<string>();
    for (const jid of this.#identities.takeRenewed(group)) {
      lost.add(userOf(jid));
      // a group names its members by LID or by number
      if (isLidUser(jid)) lost.add(userOf((await signalRepository.lidMapping.getPNForLID(jid)) ?? ''));
    }
    const has = Object.entries(given).filter(([jid]) => {
      const { user = '', device = 0 } = jidDecode(jid) ?? {};
      return device !== 0 || !lost.has(user);
    });
    if (has.length < Object.keys(given).length)
      await authState.keys.set({ [MEMORY]: { [group]: Object.fromEntries(has) } });
  }

  /** The library's id of a sender key: `<group>::<user>::<device>`. */
  #senderKeyId(group: string, jid: string): string {
    const address = this.#sock.signalRepository.jidToSignalProtocolAddress(jid);
    const end = address.lastIndexOf('.');
    return `${group}::${address.slice(0, end)}::${address.slice(end + 1)}`;
  }
}

function userOf(jid: string): string {
  return jidDecode(jidNormalizedUser(jid))?.user ?? '';
}
