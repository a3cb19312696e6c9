import type { AsyncResource } from 'node:async_hooks';
import {
  type AuthenticationState,
  type BinaryNode,
  type CacheStore,
  makeWASocket,
  type SocketConfig,
  type UserFacingSocketConfig,
  WA_CERT_DETAILS,
  type WASocket,
} from '@whiskeysockets/baileys';
import { WebSocket } from 'ws';
import type { Logger } from '../../log.js';
import { LIBRARY_VERSION, type WaVersion } from '../wa-versions.js';
import { type KeyPair, withEphemeralKey } from './certificate.js';
import { isIgnoredJid } from './posts.js';
import { field } from './reasons.js';
import { withLightStorages } from './transaction-storage.js';

/** System, browser, version: after a QR code the phone lists the device as "Chrome (Switchboard)". */
export const BROWSER: [string, string, string] = ['Switchboard', 'Chrome', '1.0'];
/**
 * Disables the library's timeout, which sets a timer and captures a stack for every written frame. The link's watchdog
 * limits the time to connect, and detects a peer that has stopped reading.
 */
const NO_CONNECT_TIMEOUT = 0;
/** Milliseconds that a query waits for its answer. */
const QUERY_TIMEOUT_MS = 15_000;
/** Milliseconds between the library's own pings. They are rare, because the link pings itself and pings are the main work of an idle session. */
const LIBRARY_PING_MS = 10 * 60_000;
/** A failed commit ends the link at once; the next link tries again. */
const COMMIT_ONCE = { maxCommitRetries: 1, delayBetweenTriesMs: 0 };

/**
 * Retry receipts that are answered for one message and device. Official clients send up to five (whatsapp-rust `MAX_RETRY_COUNT`), and the
 * library counts each of them twice: in `handleReceipt` and in `sendMessagesAgain`.
 */
const ANSWERED_RETRIES = 2 * 5;

/** The addresses of the network. */
export interface NetworkAddress {
  /** WebSocket URL; undefined for the real network. */
  url?: string;
  /** Origin of a sandbox that replaces WhatsApp's media hosts; undefined for the real network. */
  mediaUrl?: string;
  /** Public root key of a sandbox's certificates, 32 bytes; that of the real network is built in. */
  rootKey?: Uint8Array;
}

/** Trusts a sandbox's root key in the whole process: the library keeps a single one. */
export function trustRoot(network: NetworkAddress): void {
  if (network.rootKey) WA_CERT_DETAILS.PUBLIC_KEY.set(network.rootKey);
}

/**
 * Keeps the library from asking the phone for messages, which our own code does: the library asks only for messages that
 * are still in its cache after two seconds.
 */
const NEVER_ASKS: CacheStore = {
  get: () => undefined,
  set: () => undefined,
  del: () => undefined,
  flushAll: () => undefined,
};

type SocketParts = Pick<
  UserFacingSocketConfig,
  | 'agent'
  | 'fetchAgent'
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
 * The client does not mark itself online, so the owner's phone keeps notifying and a running daemon shows nobody as online.
 * Its delivery receipts then have the type "inactive"; the phone sends those that people see.
 */
export function openSocket(
  network: NetworkAddress,
  version: WaVersion | undefined,
  parts: SocketParts,
): { sock: WASocket; ephemeral: KeyPair | undefined } {
  const config: UserFacingSocketConfig = {
    ...parts,
    ...(network.url && { waWebSocketUrl: network.url }),
    version: [...(version ?? LIBRARY_VERSION)],
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
    placeholderResendCache: NEVER_ASKS,
    maxMsgRetryCount: ANSWERED_RETRIES,
    shouldIgnoreJid: (jid) => isIgnoredJid(jid),
  };
  const { result, ephemeral } = withEphemeralKey(() => withLightStorages(() => makeWASocket(config)));
  return { sock: result, ephemeral };
}

/** The key family of privacy tokens, both issued and received. */
const TOKENS = 'tctoken';

/**
 * The library records issued privacy tokens inside a transaction that has ended, where the record is lost; the library
 * would then issue a new token, with a query, after every send. Outside of the transaction the record is stored.
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
 * Checks before each frame, in the same synchronous step as the write, whether it may leave: after a suspension this
 * process must send nothing for a session that another node holds meanwhile.
 */
export function guardWire(sock: WASocket, mayAct: () => boolean): void {
  const raw = rawSocket(sock);
  if (!raw) return;
  const send = raw.send.bind(raw);
  const guarded = (...frame: Parameters<typeof send>) => {
    if (mayAct()) return send(...frame);
    raw.terminate();
    const done: unknown = frame.at(-1);
    if (typeof done === 'function') done(new Error('another node holds the session'));
  };
  Object.assign(raw, { send: guarded });
}

/** Placeholder for a message without extra elements: the library reads the list only if it is not empty. */
const NEVER_READ: BinaryNode = { tag: '', attrs: {} };

/**
 * Elements that call `check` when the library adds them to the stanza. That happens in the same synchronous step as the
 * write, after the library has waited for other sends of the session and encrypted the message. No other hook is called
 * that late. A class of its own, because an iterator that is set on a plain array makes V8 iterate all arrays of the process
 * slowly from then on.
 */
class ReadAtWire extends Array<BinaryNode> {
  readonly #nodes: readonly BinaryNode[];
  readonly #check: () => void;

  constructor(nodes: readonly BinaryNode[], check: () => void) {
    super();
    this.push(NEVER_READ);
    this.#nodes = nodes;
    this.#check = check;
  }

  override [Symbol.iterator](): ArrayIterator<BinaryNode> {
    this.#check();
    return [...this.#nodes][Symbol.iterator]();
  }
}

/** Elements that call `check` when the library adds them to the stanza, in the same synchronous step as its write. */
export function readAtWire(nodes: readonly BinaryNode[], check: () => void): BinaryNode[] {
  return new ReadAtWire(nodes, check);
}

/** Destroys the connection, without a closing handshake that a dead peer never answers. */
export function terminate(sock: WASocket): void {
  rawSocket(sock)?.terminate();
}

/** The WebSocket below the library's client; undefined before it connects. */
function rawSocket({ ws }: WASocket): WebSocket | undefined {
  const raw = field(ws, 'socket');
  return raw instanceof WebSocket ? raw : undefined;
}

type LibraryLog = SocketConfig['logger'];

/**
 * The library's log. Only warnings and errors pass, one level lower, and only with an error's message: other fields hold
 * keys, stanzas and the contents of messages.
 */
export function libraryLog(log: Logger): LibraryLog {
  const nothing = () => undefined;
  const bridge: LibraryLog = {
    level: 'warn',
    child: () => bridge,
    trace: nothing,
    debug: nothing,
    info: nothing,
    warn: (object, message) => log.debug({ reason: reasonIn(object) }, textOf(object, message)),
    error: (object, message) => log.warn({ reason: reasonIn(object) }, textOf(object, message)),
  };
  return bridge;
}

function reasonIn(object: unknown): string | undefined {
  if (!(object instanceof Object)) return undefined;
  for (const name of ['err', 'error', 'e', 'ackErr']) {
    const error = field(object, name);
    if (error instanceof Error) return error.message;
  }
  return undefined;
}

function textOf(object: unknown, message: string | undefined): string {
  return message ?? (typeof object === 'string' ? object : 'the library reports');
}
