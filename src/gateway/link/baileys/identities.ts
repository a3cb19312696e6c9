import {
  type BinaryNode,
  getBinaryNodeChild,
  jidDecode,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
  type WASocket,
} from '@whiskeysockets/baileys';
import { formatJid } from '../../../domain/address.js';
import { boundedCache } from '../../../domain/bounded-cache.js';
import type { Clock, MonotonicClock } from '../../../domain/clock.js';
import { isObject } from '../../../domain/json.js';
import type { LinkEvent } from '../events.js';
import { isOwn } from './devices.js';

/** Identities that are remembered: those of the people whose sessions are being read and written now. */
const MAX_KNOWN = 500;
/** Milliseconds in which the library ignores further news of one person. */
const LIBRARY_DEBOUNCE_MS = 6_000;
/** The value of a session's closing time while the session is open. */
const OPEN = -1;
/** A Signal address of a phone: the user-part, `_1` for a LID, and the number of the device, which is 0. */
const PHONE = /^([0-9]+)(_1)?\.0$/;

/**
 * Notices when the phone of a person has another identity key, in whatever way that becomes known: by news of the network, a
 * retry receipt, or a message. A session names the identity of its other end, and the library reads a session before it writes it.
 */
export class Identities {
  readonly #emit: (event: LinkEvent) => void;
  readonly #clock: Clock;
  /** Identity in base64, by Signal address. */
  readonly #known = boundedCache<string>(MAX_KNOWN);
  /** Addresses with an identity that was replaced: a message that was encrypted before the change may arrive after it. */
  readonly #replaced = boundedCache<true>(MAX_KNOWN);
  /** By the jid of a person whose phone has lost all sender keys: the groups that have looked after that. */
  readonly #renewed = boundedCache<Set<string>>(MAX_KNOWN);

  /** @param emit is given `identity-changed` once for each change, after the new key was stored */
  constructor(emit: (event: LinkEvent) => void, clock: Clock) {
    this.#emit = emit;
    this.#clock = clock;
  }

  /** Jids of people whose phones have lost the sender key of a group; each is named once for each group and change. */
  takeRenewed(group: string): string[] {
    const renewed = [...this.#renewed].filter(([, groups]) => !groups.has(group));
    for (const [, groups] of renewed) groups.add(group);
    return renewed.map(([jid]) => jid);
  }

  /** The store, watched. */
  watch(store: SignalKeyStore): SignalKeyStore {
    return {
      ...store,
      get: async <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) => {
        const found = await store.get(type, ids);
        for (const [id, value] of Object.entries(found)) this.#noteStored(type, id, value);
        return found;
      },
      set: async (data) => {
        const changed = this.#changesIn(data);
        await store.set(changed.size > 0 ? withIdentities(data, changed) : data);
        for (const address of changed.keys()) this.#report(jidOf(address));
      },
    };
  }

  #report(jid: string): void {
    this.#renewed.set(jid, new Set());
    this.#emit({ type: 'identity-changed', jid, at: this.#clock.now() });
  }

  #noteStored(type: string, address: string, value: unknown): void {
    // a read may resolve after a write that began later
    const identity = PHONE.test(address) && !this.#known.has(address) && identityIn(type, value);
    if (identity) this.#known.set(address, identity);
  }

  /** The new identities of known people, by address. */
  #changesIn(data: SignalDataSet): Map<string, string> {
    const changed = new Map<string, string>();
    for (const type of ['session', 'identity-key'] as const) {
      for (const [address, value] of Object.entries(data[type] ?? {})) {
        const identity = PHONE.test(address) && identityIn(type, value, true);
        if (!identity || this.#replaced.has(`${address} ${identity}`)) continue;
        const known = this.#known.get(address);
        this.#known.set(address, identity);
        if (known === undefined || known === identity) continue;
        this.#replaced.set(`${address} ${known}`, true);
        changed.set(address, identity);
      }
    }
    return changed;
  }
}

/**
 * Adds new identities to a write. The library notes an identity only when it reads the first message of a session, and then forgets all
 * sessions with another identity, among them the one that has just been begun with the new key.
 */
function withIdentities(data: SignalDataSet, changed: ReadonlyMap<string, string>): SignalDataSet {
  const identities = [...changed].map(([address, identity]) => [address, Buffer.from(identity, 'base64')]);
  return { ...data, 'identity-key': { ...data['identity-key'], ...Object.fromEntries(identities) } };
}

/** The identity in a stored value, in base64. @param isOpen whether only an open session counts */
function identityIn(type: string, value: unknown, isOpen = false): string | undefined {
  if (type === 'identity-key') return value instanceof Uint8Array ? base64(value) : undefined;
  const sessions = type === 'session' && isObject(value) ? value._sessions : undefined;
  if (!isObject(sessions)) return undefined;
  let latest: { identity: string; closed: number } | undefined;
  for (const session of Object.values(sessions)) {
    const info = isObject(session) && isObject(session.indexInfo) ? session.indexInfo : {};
    const { remoteIdentityKey: identity, closed } = info;
    if (typeof identity !== 'string' || typeof closed !== 'number') continue;
    if (closed === OPEN) return identity;
    if (!latest || closed > latest.closed) latest = { identity, closed };
  }
  return isOpen ? undefined : latest?.identity;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

function jidOf(address: string): string {
  const [, user = '', isLid] = PHONE.exec(address) ?? [];
  return formatJid({ kind: isLid ? 'lid' : 'pn', user });
}

/**
 * Fetches the new keys of people who have installed WhatsApp anew. The library does so too, but not for news that waited offline or that
 * come twice in a few seconds; the next message would then be encrypted for nobody, and be sent again on request.
 */
export class IdentityNews {
  readonly #sock: WASocket;
  readonly #clock: MonotonicClock;
  /** When the library last took news of a person, by jid. */
  readonly #taken = boundedCache<number>(MAX_KNOWN);
  #fetching: Promise<unknown> = Promise.resolve();

  constructor(sock: WASocket, clock: MonotonicClock) {
    this.#sock = sock;
    this.#clock = clock;
  }

  /**
   * Handles a notification of the type `encrypt`.
   * @returns the addresses of the person whose identity has changed; none for other notifications
   */
  take(node: BinaryNode): string[] {
    const { from, lid, offline } = node.attrs;
    const { user = '', device } = jidDecode(from) ?? {};
    if (!from || !getBinaryNodeChild(node, 'identity') || device || isOwn(this.#sock, user)) return [];
    const now = this.#clock.monotonic();
    const last = this.#taken.get(from);
    const isDebounced = last !== undefined && now - last < LIBRARY_DEBOUNCE_MS;
    if (!isDebounced) this.#taken.set(from, now);
    // one after the other: many people may have done so while the session was away
    if (isDebounced || offline)
      this.#fetching = this.#fetching.then(() => this.#fetch(from)).catch(() => undefined);
    return lid ? [from, lid] : [from];
  }

  async #fetch(jid: string): Promise<void> {
    const { exists } = await this.#sock.signalRepository.validateSession(jid);
    if (exists) await this.#sock.assertSessions([jid], true);
  }
}
