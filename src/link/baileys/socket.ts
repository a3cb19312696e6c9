import type { AsyncResource } from 'node:async_hooks';
import {
  type AuthenticationState,
  isJidBroadcast,
  isJidNewsletter,
  makeWASocket,
  type UserFacingSocketConfig,
  WA_CERT_DETAILS,
  type WASocket,
  type WAVersion,
} from '@whiskeysockets/baileys';
import { WebSocket } from 'ws';
import { withLightStorages } from './transaction-storage.js';

/** The client version that the library was made for; never looked up, so that a start needs nothing but the network. */
const VERSION: WAVersion = [2, 3000, 1043857760];
/** System, browser, version: the phone lists the device as "Chrome (Switchboard)". */
const BROWSER: [string, string, string] = ['Switchboard', 'Chrome', '1.0'];
/**
 * The library would set a timer, and take a stack for its error, for every frame that it writes. The link's watchdog
 * bounds the time to connect and notices a peer that does not read any more, so neither is needed.
 */
const NO_CONNECT_TIMEOUT = 0;
/** Milliseconds that a query waits for its answer. */
const QUERY_TIMEOUT_MS = 15_000;
/** Milliseconds between the library's own pings: only a second line behind the link's. */
const LIBRARY_PING_MS = 60_000;
/** A failed commit ends the link at once; trying again is the business of the next one. */
const COMMIT_ONCE = { maxCommitRetries: 1, delayBetweenTriesMs: 0 };

/** Where the network is. */
export interface NetworkAddress {
  /** WebSocket URL; undefined for the real network. */
  url?: string;
  /** Origin that takes the place of WhatsApp's media hosts, for a sandbox; undefined for the real network. */
  mediaUrl?: string;
  /** Public root key of a sandbox network's certificates, 32 bytes; the real network's is built in. */
  rootKey?: Uint8Array;
}

/** Trusts a sandbox's root for the whole process: the library keeps a single one. */
export function trustRoot(network: NetworkAddress): void {
  if (network.rootKey) WA_CERT_DETAILS.PUBLIC_KEY.set(network.rootKey);
}

export type SocketParts = Pick<
  UserFacingSocketConfig,
  | 'logger'
  | 'makeSignalRepository'
  | 'getMessage'
  | 'userDevicesCache'
  | 'cachedGroupMetadata'
  | 'options'
  | 'qrTimeout'
> & { auth: AuthenticationState };

/**
 * Opens the library's socket.
 *
 * The client does not mark itself online: the owner's phone keeps notifying, and nobody sees the person online because a
 * daemon runs. Its delivery receipts are then of the type "inactive"; the phone sends the ones that people see.
 */
export function openSocket(network: NetworkAddress, parts: SocketParts): WASocket {
  const config: UserFacingSocketConfig = {
    ...parts,
    ...(network.url && { waWebSocketUrl: network.url }),
    version: VERSION,
    browser: BROWSER,
    connectTimeoutMs: NO_CONNECT_TIMEOUT,
    defaultQueryTimeoutMs: QUERY_TIMEOUT_MS,
    keepAliveIntervalMs: LIBRARY_PING_MS,
    transactionOpts: COMMIT_ONCE,
    emitOwnEvents: false,
    markOnlineOnConnect: false,
    syncFullHistory: false,
    shouldSyncHistoryMessage: () => false,
    generateHighQualityLinkPreview: false,
    shouldIgnoreJid: (jid) => Boolean(isJidBroadcast(jid) || isJidNewsletter(jid)),
  };
  return withLightStorages(() => makeWASocket(config));
}

/** The key family of privacy tokens: given to contacts, and got from them. */
const TOKENS = 'tctoken';

/**
 * The library notes which contact it has given a privacy token inside a transaction that has ended, where the note is
 * lost; it would give a new one after every send, at the cost of a query. Outside of it the note is kept.
 */
export function keepTokenNotes(sock: WASocket, outside: AsyncResource): void {
  const { keys } = sock.authState;
  const get = keys.get.bind(keys);
  const set = keys.set.bind(keys);
  keys.get = (type, ids) =>
    type === TOKENS ? outside.runInAsyncScope(get<typeof type>, undefined, type, ids) : get(type, ids);
  keys.set = (data) => (TOKENS in data ? outside.runInAsyncScope(set, undefined, data) : set(data));
}

/**
 * Asks before each frame leaves whether it may, in the same step in which it is written: a process that was stopped in
 * between must not tell the network anything for a session that is another one's by now.
 */
export function guardWire(sock: WASocket, mayAct: () => boolean): void {
  const raw: unknown = Reflect.get(sock.ws, 'socket');
  if (!(raw instanceof WebSocket)) return;
  const send = raw.send.bind(raw);
  const guarded = (...frame: Parameters<typeof send>) => {
    if (mayAct()) return send(...frame);
    raw.terminate();
    const done: unknown = frame.at(-1);
    if (typeof done === 'function') done(new Error('the session is served elsewhere'));
  };
  Object.assign(raw, { send: guarded });
}

/** Ends the connection at once, without a closing handshake that a dead peer never answers. */
export function terminate(sock: WASocket): void {
  const raw: unknown = Reflect.get(sock.ws, 'socket');
  if (raw instanceof WebSocket) raw.terminate();
}
