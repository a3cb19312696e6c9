import { type BinaryNode, encodeBinaryNode, type proto } from '@whiskeysockets/baileys';
import { pino } from 'pino';
import { SandboxClient } from '../../../src/client/sandbox/client.js';
import { type MonotonicClock, systemClock } from '../../../src/domain/clock.js';
import { newMessageId } from '../../../src/domain/ids.js';
import type { StatusAudience } from '../../../src/domain/status-audience.js';
import { createBaileysLinks } from '../../../src/gateway/link/baileys/index.js';
import { decodeCredentials } from '../../../src/gateway/link/baileys/keys.js';
import type {
  IncomingMessage,
  Link,
  LinkEvent,
  LinkFactory,
  MessageContent,
  OutgoingMessage,
  PreparedMessage,
  SendGuard,
} from '../../../src/gateway/link/link.js';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.js';
import { MemoryLinkKeys } from '../../support/memory-link-keys.js';

/** Milliseconds that a test waits for an event before it says which one is missing. */
const PATIENCE_MS = 15_000;
/** Messages of the protocol's own that a phone sends to a device it has just linked. */
const GREETINGS = 2;

type EventOf<T extends LinkEvent['type']> = Extract<LinkEvent, { type: T }>;

/** A content in the protocol's own form. */
export function protoOf(content: MessageContent): proto.IMessage {
  return content;
}

/** The words of a message. */
export function textOf({ content }: Pick<IncomingMessage, 'content'>): string | null | undefined {
  const { conversation, extendedTextMessage } = protoOf(content);
  return conversation ?? extendedTextMessage?.text;
}

interface SendWishes extends Partial<Omit<OutgoingMessage, 'to'>> {
  record?(encoded: Uint8Array): Promise<void>;
  guard?: SendGuard;
  blocked?(): Promise<void>;
}

/** A message that the network has acknowledged. */
export type SentMessage = Pick<PreparedMessage, 'content'> & { messageId: string };

/** One session's links, one after the other over the same keys, with all their events. */
export class Session {
  readonly keys = new MemoryLinkKeys();
  readonly events: LinkEvent[] = [];
  readonly written: Uint8Array[] = [];
  readonly sent = new Map<string, Uint8Array>();
  /** Who got its statuses, by their ids. */
  readonly audiences = new Map<string, StatusAudience | undefined>();
  /** While set, sent messages cannot be read. */
  sentOutage: Error | undefined;
  link: Link | undefined;
  /** Whether the phone's past is wanted of a pairing. */
  wantsHistory = false;
  /** URL of the proxy of its links; empty for direct connections. */
  proxy = '';
  wantsStatuses = false;
  /** Whether the session is still served here. */
  mayAct = true;
  readonly #factory: LinkFactory;
  readonly #watchers = new Set<() => void>();

  constructor(factory: LinkFactory) {
    this.#factory = factory;
  }

  open(): this {
    this.events.length = 0;
    this.link = this.#factory.open({
      clientId: 'acme',
      keys: this.keys,
      proxy: this.proxy,
      mayAct: () => this.mayAct,
      wantsHistory: () => this.wantsHistory,
      wantsStatuses: () => this.wantsStatuses,
      findSent: async (id) => {
        if (this.sentOutage) throw this.sentOutage;
        const content = this.sent.get(id);
        return content && { content, audience: this.audiences.get(id) };
      },
      emit: (event) => {
        this.events.push(event);
        for (const watcher of [...this.#watchers]) watcher();
      },
    });
    return this;
  }

  all<T extends LinkEvent['type']>(type: T): EventOf<T>[] {
    return this.events.filter((event): event is EventOf<T> => event.type === type);
  }

  /** The first event of a type that matches, past or to come. */
  next<T extends LinkEvent['type']>(
    type: T,
    matches: (event: EventOf<T>) => boolean = () => true,
  ): Promise<EventOf<T>> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = this.all(type).find(matches);
        if (!found) return;
        clearTimeout(timer);
        this.#watchers.delete(look);
        resolve(found);
      };
      const timer = setTimeout(() => {
        this.#watchers.delete(look);
        reject(
          new Error(`no ${type}; so far: ${this.events.map((event) => JSON.stringify(event)).join(' ')}`),
        );
      }, PATIENCE_MS);
      this.#watchers.add(look);
      look();
    });
  }

  /**
   * Sends as the gateway does: prepares, records and relays, again with the link's remedy if the network refuses the message.
   * @param more `record` stands for the record's place in the store; `blocked` runs when the guard has blocked the message
   */
  async send(to: string, text: string, more: SendWishes = {}): Promise<SentMessage> {
    const { link } = this;
    if (!link) throw new Error('open the session first');
    const { record, guard = { check: () => true }, blocked, ...wanted } = more;
    const message: OutgoingMessage = { to, messageId: newMessageId(), content: { text }, ...wanted };
    for (;;) {
      const prepared = await link.prepare(message);
      await record?.(prepared.encoded);
      this.sent.set(message.messageId, prepared.encoded);
      this.audiences.set(message.messageId, message.audience);
      let relayed = await link.relay(prepared, guard);
      for (; relayed.outcome === 'blocked'; relayed = await link.relay(prepared, guard)) await blocked?.();
      if (relayed.outcome === 'acknowledged') return { ...message, content: prepared.content };
      Object.assign(message, { content: { encoded: prepared.encoded }, remedy: relayed.remedy });
    }
  }

  /** Resolves when it is written down that the names and settings of the account were read. */
  firstSync(): Promise<void> {
    return this.keys.until(() =>
      this.keys.commits.some(({ credentials }) => decodeCredentials(credentials)?.accountSyncCounter),
    );
  }

  async close(): Promise<void> {
    await this.link?.close();
  }
}

export interface RigOptions {
  clock?: MonotonicClock;
  /** Where files go, if not to the sandbox. */
  mediaUrl?: string;
}

/** A sandbox with sessions on it; `stop` ends all of them. */
export class LinkRig {
  readonly network: SandboxClient;
  readonly factory: LinkFactory;
  readonly context: Parameters<typeof createBaileysLinks>[0];
  readonly #sandbox: Sandbox;
  readonly #sessions: Session[] = [];

  private constructor(sandbox: Sandbox, { clock = systemClock, mediaUrl = sandbox.url }: RigOptions) {
    this.#sandbox = sandbox;
    this.network = new SandboxClient(sandbox.url);
    this.context = {
      network: { url: sandbox.wsUrl, mediaUrl, rootKey: sandbox.rootKey },
      log: pino({ level: process.env.LINK_LOG ?? 'silent' }),
      clock,
    };
    this.factory = createBaileysLinks(this.context);
  }

  static async start(options: RigOptions = {}): Promise<LinkRig> {
    return new LinkRig(await startSandbox({ checkAnswers: true }), options);
  }

  session(factory = this.factory): Session {
    const session = new Session(factory);
    this.#sessions.push(session);
    return session;
  }

  /** A session that is paired with a phone, open, and has finished the initial sync. */
  async connected(number: string): Promise<Session> {
    const session = await this.paired(number);
    session.open();
    await session.next('open');
    await session.keys.until(() => session.keys.journal.size === GREETINGS);
    await session.firstSync();
    session.keys.journal.clear();
    session.keys.commits.length = 0;
    return session;
  }

  /** A session that is paired with a phone and has no link. */
  async paired(number: string, session = this.session()): Promise<Session> {
    session.open();
    const { qr } = await session.next('qr');
    await this.network.scan(number, qr);
    await session.next('closed');
    return session;
  }

  /** Sends a stanza, as it is, to the connected devices of a number. */
  inject(number: string, node: BinaryNode): void {
    this.#sandbox.inject(number, encodeBinaryNode(node));
  }

  /** Stanzas that the network holds until a device acknowledges them, connected or not. */
  async held(): Promise<number> {
    const { waitingOffline, unacknowledged } = await this.network.stats();
    return waitingOffline + unacknowledged;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close()));
    await this.#sandbox.stop();
  }
}
