import '../../../src/quiet-console.js';
import { server as createServer } from '@hapi/hapi';
import {
  type AuthenticationState,
  useMultiFileAuthState as authInFiles,
  type BinaryNode,
  DisconnectReason,
  type GroupMetadata,
  generateMessageIDV2,
  initAuthCreds,
  makeWASocket,
  type SignalDataTypeMap,
  type SignalKeyStore,
  WA_CERT_DETAILS,
  type WAMessage,
  type WASocket,
} from '@whiskeysockets/baileys';
import Joi from 'joi';
import { pino } from 'pino';
import { Agent } from 'undici';
import { PlainAgent } from '../../sandbox/support/media-route.js';
import { serve, vitals } from '../support/role.js';
import { inFlight } from '../support/send-texts.js';

/** As many as the gateway has to one receiver. */
const WEBHOOK_CONNECTIONS = 32;

/** Credentials and keys, and what keeps the credentials. */
interface Auth {
  state: AuthenticationState;
  saveCreds(): Promise<void>;
}

/** One socket of the library. */
class RawDevice {
  readonly #auth: Auth;
  readonly #onQr: (qr: string) => void;
  #socket?: WASocket;
  readonly #groups = new Map<string, GroupMetadata>();
  readonly #unacknowledged = new Map<string, () => void>();
  #whenOpen = deferred();
  #webhookUrl = '';

  constructor(auth: Auth, onQr: (qr: string) => void) {
    this.#auth = auth;
    this.#onQr = onQr;
  }

  get socket(): WASocket {
    if (!this.#socket) throw new Error('not connected');
    return this.#socket;
  }

  opened(): Promise<void> {
    return this.#whenOpen.promise;
  }

  forwardTo(webhookUrl: string): void {
    this.#webhookUrl = webhookUrl;
  }

  /** Asks for a group once, and never again. */
  async learnGroup(jid: string): Promise<void> {
    this.#groups.set(jid, await this.socket.groupMetadata(jid));
  }

  /** Resolves with a text's id when the network has acknowledged it. */
  async sendAcknowledged(to: string, text: string): Promise<string> {
    const messageId = generateMessageIDV2();
    const acknowledged = new Promise<void>((resolve) => this.#unacknowledged.set(messageId, resolve));
    await this.socket.sendMessage(to, { text }, { messageId });
    await acknowledged;
    return messageId;
  }

  /** The library as it comes, but for what the gateway switches off too: presence, history, own events. */
  connect(): void {
    const socket = makeWASocket({
      auth: this.#auth.state,
      waWebSocketUrl: wsUrl,
      fetchAgent: new PlainAgent(Number(new URL(wsUrl).port)),
      version: [2, 3000, 1_043_857_760],
      logger: pino({ level: 'silent' }),
      markOnlineOnConnect: false,
      emitOwnEvents: false,
      syncFullHistory: false,
      shouldSyncHistoryMessage: () => false,
      cachedGroupMetadata: async (jid) => this.#groups.get(jid),
    });
    this.#socket = socket;
    socket.ws.on('CB:ack,class:message', ({ attrs: { id = '' } }: BinaryNode) => {
      this.#unacknowledged.get(id)?.();
      this.#unacknowledged.delete(id);
    });
    socket.ev.on('creds.update', () => this.#auth.saveCreds());
    socket.ev.on('messages.upsert', ({ messages }) => {
      for (const message of messages) this.#forward(message);
    });
    socket.ev.on('connection.update', ({ qr, connection, lastDisconnect }) => {
      if (qr) this.#onQr(qr);
      if (connection === 'open') this.#whenOpen.resolve();
      if (connection === 'close' && isRestart(lastDisconnect?.error)) this.connect();
    });
  }

  async disconnect(): Promise<void> {
    this.#whenOpen = deferred();
    await this.#socket?.end(undefined);
    this.#socket = undefined;
  }

  #forward(message: WAMessage): void {
    if (!this.#webhookUrl || !message.message) return;
    const { origin, pathname } = new URL(this.#webhookUrl);
    agent
      .request({
        origin,
        path: pathname,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(message),
      })
      .then(({ body }) => body.dump())
      .catch((error: unknown) => console.error('the receiver did not take a message', error));
  }
}

const agent = new Agent({ connections: WEBHOOK_CONNECTIONS, pipelining: 1 });
const devices = new Map<string, RawDevice>();
let wsUrl = '';

const commands = {
  ...vitals,
  use(network: { wsUrl: string; rootKey: string }): void {
    wsUrl = network.wsUrl;
    WA_CERT_DETAILS.PUBLIC_KEY.set(Buffer.from(network.rootKey, 'base64'));
  },
  /**
   * Connects a new device; answers its pairing QR.
   * @param folder keeps credentials and keys there, as the library's documentation does; empty: in memory
   */
  async qr({ number, folder }: { number: string; folder: string }): Promise<string> {
    const auth = folder ? await authInFiles(folder) : memoryAuth();
    return new Promise((resolve) => {
      const device = new RawDevice(auth, resolve);
      devices.set(number, device);
      device.connect();
    });
  },
  opened: ({ number }: { number: string }) => deviceOf(number).opened(),
  forward: ({ number, url }: { number: string; url: string }) => deviceOf(number).forwardTo(url),
  connect: ({ number }: { number: string }) => deviceOf(number).connect(),
  disconnect: ({ number }: { number: string }) => deviceOf(number).disconnect(),
  learnGroup: ({ number, jid }: { number: string; jid: string }) => deviceOf(number).learnGroup(jid),
  /** Sends texts; a send is done when `sendMessage` resolves. @returns how many milliseconds all of them took */
  async send(order: { number: string; to: string; count: number; parallel: number }): Promise<number> {
    const { socket } = deviceOf(order.number);
    const startedAt = performance.now();
    await inFlight(order.count, order.parallel, async (index) => {
      await socket.sendMessage(order.to, { text: `message ${index}` });
    });
    return performance.now() - startedAt;
  },
  /** As `send`; a send is done when the network has acknowledged it. */
  async sendAcknowledged(order: {
    number: string;
    to: string;
    count: number;
    parallel: number;
  }): Promise<number> {
    const device = deviceOf(order.number);
    const startedAt = performance.now();
    await inFlight(order.count, order.parallel, async (index) => {
      await device.sendAcknowledged(order.to, `message ${index}`);
    });
    return performance.now() - startedAt;
  },
  /**
   * Serves `POST /send-message` for a device with hapi and Joi, and nothing else: no authentication, no log, nothing stored. An
   * answer waits for the network's acknowledgement.
   * @returns the address
   */
  async serveSends({ number, to }: { number: string; to: string }): Promise<string> {
    const device = deviceOf(number);
    const server = createServer({ host: '127.0.0.1', port: 0 });
    server.route<{ Payload: { body: string } }>({
      method: 'POST',
      path: '/send-message',
      options: { validate: { payload: Joi.object({ body: Joi.string().required() }).unknown() } },
      handler: async ({ payload }) => ({
        status: 'sent',
        messageId: await device.sendAcknowledged(to, payload.body),
      }),
    });
    await server.start();
    return server.info.uri;
  },
  /** Sends a file as a document, one after the other. @param url a path or an address @returns how many milliseconds all took */
  async sendFile(order: { number: string; to: string; url: string; count: number }): Promise<number> {
    const { socket } = deviceOf(order.number);
    const document = { document: { url: order.url }, mimetype: 'application/octet-stream', fileName: 'file' };
    const startedAt = performance.now();
    for (let sent = 0; sent < order.count; sent++) await socket.sendMessage(order.to, document);
    return performance.now() - startedAt;
  },
};

export type RawRole = typeof commands;

serve(commands);

function deviceOf(number: string): RawDevice {
  const device = devices.get(number);
  if (!device) throw new Error(`${number} is not linked`);
  return device;
}

function memoryAuth(): Auth {
  return { state: { creds: initAuthCreds(), keys: memoryKeys() }, saveCreds: async () => undefined };
}

/** Live objects in a map: nothing is written, sealed or copied. */
function memoryKeys(): SignalKeyStore {
  const rows = new Map<string, unknown>();
  return {
    get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
      const found: { [id: string]: SignalDataTypeMap[T] } = {};
      for (const id of ids) {
        const row = rows.get(`${type}/${id}`);
        if (row !== undefined) Reflect.set(found, id, row);
      }
      return found;
    },
    set(data) {
      for (const [type, entries] of Object.entries(data)) {
        for (const [id, value] of Object.entries(entries)) {
          if (value === null) rows.delete(`${type}/${id}`);
          else rows.set(`${type}/${id}`, value);
        }
      }
    },
  };
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** The network asks for a new connection after each pairing. */
function isRestart(error: Error | undefined): boolean {
  const output: unknown = error && Reflect.get(error, 'output');
  return output instanceof Object && Reflect.get(output, 'statusCode') === DisconnectReason.restartRequired;
}
