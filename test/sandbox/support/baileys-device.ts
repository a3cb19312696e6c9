import {
  type AnyMessageContent,
  type AuthenticationCreds,
  type BaileysEventMap,
  type BinaryNode,
  BufferJSON,
  type ConnectionState,
  type GroupMetadata,
  initAuthCreds,
  type MiscMessageGenerationOptions,
  makeWASocket,
  proto,
  type SignalDataTypeMap,
  type SignalKeyStore,
  type UserFacingSocketConfig,
  type WAMessage,
  type WASocket,
} from '@whiskeysockets/baileys';
import { pino } from 'pino';
import { withLightStorages } from '../../../src/gateway/link/baileys/transaction-storage.js';

/** Milliseconds for an event of the socket: several clients at once on a busy machine are slow. */
const WAIT_MS = 60_000;
const QUERY_MS = 10_000;

/** A key store that a test can damage. */
interface DamageableKeys extends SignalKeyStore {
  /** Forgets all rows of a type. */
  drop(type: string): void;
  /** Changes the JSON of all rows of a type. */
  change(type: string, edit: (row: string) => string): void;
}

/** Signal keys in memory, as a client keeps them in its store. */
function memoryKeys(): DamageableKeys {
  const rows = new Map<string, string>();
  const rowsOf = (type: string) => [...rows.keys()].filter((key) => key.startsWith(`${type}/`));
  return {
    drop(type) {
      for (const key of rowsOf(type)) rows.delete(key);
    },
    change(type, edit) {
      for (const key of rowsOf(type)) rows.set(key, edit(rows.get(key) ?? ''));
    },
    get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
      const found: { [id: string]: SignalDataTypeMap[T] } = {};
      for (const id of ids) {
        const row = rows.get(`${type}/${id}`);
        if (row !== undefined) found[id] = revive(type, JSON.parse(row, BufferJSON.reviver));
      }
      return found;
    },
    set(data) {
      for (const [type, entries] of Object.entries(data)) {
        for (const [id, value] of Object.entries(entries)) {
          if (value === null) rows.delete(`${type}/${id}`);
          else rows.set(`${type}/${id}`, JSON.stringify(value, BufferJSON.replacer));
        }
      }
    },
  };
}

/** Keys of shared settings write their bytes as base64 into JSON. */
function revive(type: string, value: ReturnType<typeof JSON.parse>) {
  return type === 'app-state-sync-key' ? proto.Message.AppStateSyncKeyData.fromObject(value) : value;
}

/** A real, unpatched Baileys client whose credentials live as long as the object: it can connect again and again. */
export class BaileysDevice {
  readonly creds: AuthenticationCreds = initAuthCreds();
  readonly keys = memoryKeys();
  readonly messages: WAMessage[] = [];
  /** The protocol's own messages too. */
  readonly everything: WAMessage[] = [];
  readonly upsertTypes = new Map<string, string>();
  #socket?: WASocket;
  readonly #wsUrl: string;
  readonly #config: Partial<UserFacingSocketConfig>;

  constructor(wsUrl: string, config: Partial<UserFacingSocketConfig> = {}) {
    this.#wsUrl = wsUrl;
    this.#config = config;
  }

  get socket(): WASocket {
    if (!this.#socket) throw new Error('not connected');
    return this.#socket;
  }

  /** Opens a socket; what happens on it is awaited with `until`. */
  start(wsUrl = this.#wsUrl): WASocket {
    const config: UserFacingSocketConfig = {
      auth: { creds: this.creds, keys: this.keys },
      waWebSocketUrl: wsUrl,
      logger: pino({ level: process.env.BAILEYS_LOG ?? 'silent' }),
      version: [2, 3000, 1_043_857_760],
      emitOwnEvents: false,
      defaultQueryTimeoutMs: QUERY_MS,
      retryRequestDelayMs: 10,
      cachedGroupMetadata: async (jid) => this.groups.get(jid),
      getMessage: async ({ id }) => this.sent.get(id ?? ''),
      ...this.#config,
    };
    // suites with many clients would slow each other down
    const socket = withLightStorages(() => makeWASocket(config));
    socket.ev.on('creds.update', (update) => Object.assign(this.creds, update));
    socket.ev.on('messages.upsert', ({ messages, type }) => {
      this.everything.push(...messages);
      for (const message of messages.filter((one) => !one.message?.protocolMessage)) {
        this.upsertTypes.set(message.key.id ?? '', type);
        this.messages.push(message);
      }
    });
    this.#socket = socket;
    return socket;
  }

  /** Cached group metadata, used instead of a query. */
  readonly groups = new Map<string, GroupMetadata>();

  /** Contents of own messages by id, for retries. */
  readonly sent = new Map<string, NonNullable<WAMessage['message']>>();

  /** Opens a socket and waits for a state of the connection. */
  async connect(wsUrl = this.#wsUrl): Promise<WASocket> {
    const socket = this.start(wsUrl);
    await this.until('connection.update', ({ connection }) => connection === 'open');
    return socket;
  }

  /** Waits for the initial sync of a newly linked device. */
  async synced(): Promise<void> {
    if (this.creds.accountSyncCounter > 0) return;
    await this.until('creds.update', ({ accountSyncCounter = 0 }) => accountSyncCounter > 0);
  }

  /** Waits until a newly linked device knows the name of its account, without which it cannot appear online. */
  async named(name: string): Promise<void> {
    if (this.creds.me?.name === name) return;
    await this.until('creds.update', ({ me }) => me?.name === name);
  }

  /** Waits for an event of the current socket. */
  until<Name extends keyof BaileysEventMap>(
    name: Name,
    matches: (event: BaileysEventMap[Name]) => boolean,
    timeoutMs = WAIT_MS,
  ): Promise<BaileysEventMap[Name]> {
    const { ev } = this.socket;
    return new Promise((resolve, reject) => {
      const listener = (event: BaileysEventMap[Name]) => {
        if (!matches(event)) return;
        clearTimeout(timer);
        ev.off(name, listener);
        resolve(event);
      };
      const timer = setTimeout(() => {
        ev.off(name, listener);
        reject(new Error(`no fitting ${name} within ${timeoutMs} ms`));
      }, timeoutMs);
      ev.on(name, listener);
    });
  }

  /** The QR of a fresh socket. */
  async qr(): Promise<string> {
    this.start();
    const { qr } = await this.until('connection.update', (update) => update.qr !== undefined);
    return qr ?? '';
  }

  /** The code of a fresh socket for that person's phone, once the network knows it: the library does not wait for that. */
  async code(number: string, chosen?: string): Promise<string> {
    await this.qr();
    const answer = this.nextIqAnswer();
    const code = await this.socket.requestPairingCode(number.slice(1), chosen);
    await answer;
    return code;
  }

  /** The network's next answer to a query of this device. */
  nextIqAnswer(): Promise<BinaryNode> {
    const { ws } = this.socket;
    return new Promise((resolve) => {
      ws.on('frame', (frame: BinaryNode | Uint8Array) => {
        if ('tag' in frame && frame.tag === 'iq' && frame.attrs.type !== 'set') resolve(frame);
      });
    });
  }

  /** Waits until the connection closes; resolves with the status code. */
  async closed(): Promise<number | undefined> {
    const { lastDisconnect } = await this.until('connection.update', isClosed);
    return statusCode(lastDisconnect?.error);
  }

  /** Waits for a message with that text; one that has come already counts. */
  async text(text: string): Promise<WAMessage> {
    const known = this.messages.find((message) => textOf(message) === text);
    if (known) return known;
    const { messages } = await this.until('messages.upsert', (event) =>
      event.messages.some((message) => textOf(message) === text),
    );
    const found = messages.find((message) => textOf(message) === text);
    if (!found) throw new Error('unreachable: the event had it');
    return found;
  }

  /** Waits for the message of that id; one that has come already counts. */
  async message(id: string): Promise<WAMessage> {
    const known = this.everything.find(({ key }) => key.id === id);
    if (known) return known;
    const { messages } = await this.until('messages.upsert', (event) =>
      event.messages.some(({ key }) => key.id === id),
    );
    const found = messages.find(({ key }) => key.id === id);
    if (!found) throw new Error('unreachable: the event had it');
    return found;
  }

  /** Sends a content and resolves with the message. */
  async send(jid: string, content: AnyMessageContent, options: MiscMessageGenerationOptions = {}) {
    const message = await this.socket.sendMessage(jid, content, options);
    const id = message?.key.id;
    if (!id || !message?.message) throw new Error('not sent');
    this.sent.set(id, message.message);
    return { ...message, id, message: message.message };
  }

  /** Sends a text and resolves with its id. */
  async say(jid: string, text: string, messageId?: string): Promise<string> {
    return (await this.send(jid, { text }, messageId ? { messageId } : {})).id;
  }

  /** Closes the socket for good. */
  async stop(): Promise<void> {
    const socket = this.#socket;
    this.#socket = undefined;
    if (!socket) return;
    socket.ev.removeAllListeners('connection.update');
    await socket.end(undefined);
  }
}

/** The text of a message, plain or extended. */
export function textOf({ message }: WAMessage): string | undefined {
  return message?.conversation || message?.extendedTextMessage?.text || undefined;
}

function isClosed({ connection }: Partial<ConnectionState>): boolean {
  return connection === 'close';
}

function statusCode(error: Error | undefined): number | undefined {
  if (!error || !('output' in error)) return undefined;
  const { output } = error;
  if (typeof output !== 'object' || output === null || !('statusCode' in output)) return undefined;
  return typeof output.statusCode === 'number' ? output.statusCode : undefined;
}
