import { randomBytes } from 'node:crypto';
import { SwitchboardClient } from '../client/client.js';
import type { StartRequest } from '../client/generated/operations.generated.js';
import { type FaultKind, type FaultRequest, SandboxClient } from '../client/sandbox/client.js';
import { Feed } from './feed.js';
import { type GatewaySettings, GatewayThread } from './gateway.js';
import { Phone } from './phone.js';

export interface WorldOptions {
  /** The gateway's master token; random unless named. */
  token?: string;
  /** Milliseconds for which expectations wait; 4 s unless named, a second less than what vitest and jest give a test. */
  timeoutMs?: number;
  /** Settings of the gateway by the names in docs/settings.md, such as `logLevel: 'debug'`. */
  settings?: GatewaySettings;
}

/** Options of a session; each has a default. */
export interface SessionOptions extends Omit<StartRequest, 'clientId'> {
  /** `acme` unless named. */
  clientId?: string;
  /** The name of the number's owner; the clientId unless named. */
  name?: string;
  /** E.164 with `+`; a free one unless named. */
  number?: string;
}

/** A number that is linked to the gateway. */
export interface Session {
  clientId: string;
  /** E.164 with `+`. */
  number: string;
  /** Token with which the bot verifies calls; random by default, empty without a webhook. */
  webhookToken: string;
  /** The phone of the number's owner. */
  phone: Phone;
}

/** The clock of a world, used by people, phones and the gateway; the test and the bot use the clock of the machine. */
export class WorldClock {
  readonly #sandbox: SandboxClient;

  constructor(sandbox: SandboxClient) {
    this.#sandbox = sandbox;
  }

  /** Milliseconds since the epoch. */
  async now(): Promise<number> {
    return (await this.#sandbox.clock()).now;
  }

  /**
   * Moves the time forward in one jump, by at most five years in total. Resolves with the new time once all timers that
   * are due have run.
   * @param by milliseconds, or a time such as `90s`, `2h` or `3d`
   */
  async advance(by: string | number): Promise<number> {
    return (await this.#sandbox.advanceClock(typeof by === 'number' ? `${by}ms` : by)).now;
  }
}

const TIMEOUT_MS = 4_000;
const FIRST_NUMBER = 15_550_000_001;

/**
 * A gateway on a simulated network, for tests of a bot: people with phones, and linked numbers whose webhook is the bot.
 * Everything runs in the process of the test, on free ports, with data in a temporary folder.
 */
export class World {
  /** The address of the gateway's API. */
  readonly url: string;
  /** The gateway's master token. */
  readonly token: string;
  /** The gateway's API. */
  readonly api: SwitchboardClient;
  /** The network: everything that people and phones can do. */
  readonly sandbox: SandboxClient;
  /** The time of network and gateway. */
  readonly clock: WorldClock;
  readonly #thread: GatewayThread;
  readonly #feed: Feed;
  readonly #timeoutMs: number;
  readonly #sessions = new Map<string, Session>();
  #nextNumber = FIRST_NUMBER;
  #closing: Promise<void> | undefined;

  private constructor(thread: GatewayThread, token: string, timeoutMs: number) {
    this.#thread = thread;
    this.#timeoutMs = timeoutMs;
    this.url = thread.url;
    this.token = token;
    this.api = new SwitchboardClient({ url: thread.url, token });
    this.sandbox = new SandboxClient(thread.sandboxUrl);
    this.clock = new WorldClock(this.sandbox);
    this.#feed = new Feed(this.api);
  }

  /** @throws Error with the reason why the gateway does not start */
  static async start(options: WorldOptions = {}): Promise<World> {
    const { token = randomBytes(32).toString('base64url'), timeoutMs = TIMEOUT_MS, settings = {} } = options;
    return new World(await GatewayThread.start(token, settings), token, timeoutMs);
  }

  /** A new person with a phone. @param number E.164 with `+`; a free one unless named */
  async phone(name: string, { number = this.#freeNumber() }: { number?: string } = {}): Promise<Phone> {
    await this.sandbox.addPhone({ number, name });
    return new Phone(
      { name, number },
      {
        sandbox: this.sandbox,
        onlySession: () => this.#onlySession(),
        calls: () => this.#calls(),
        timeoutMs: this.#timeoutMs,
      },
    );
  }

  /** Links a new number; resolves when it is connected. Set `webhookUrl` so that the bot gets its events. */
  async session(options: SessionOptions = {}): Promise<Session> {
    const { clientId = 'acme', name = clientId, number, ...settings } = options;
    if (this.#sessions.has(clientId))
      throw new Error(`there is a session "${clientId}" already: name another clientId`);
    const webhookToken =
      settings.webhookToken ?? (settings.webhookUrl ? randomBytes(16).toString('hex') : '');
    const phone = await this.phone(name, number === undefined ? {} : { number });
    await this.api.start({ ...settings, clientId, ...(webhookToken && { webhookToken }) });
    await this.#reached(clientId, 'qr');
    const { qr } = await this.api.getQr({ clientId, format: 'text' });
    await this.sandbox.scan(phone.number, String(qr));
    await this.#reached(clientId, 'connected');
    const session = { clientId, number: phone.number, webhookToken, phone };
    this.#sessions.set(clientId, session);
    return session;
  }

  /** Plays a fault of the network; docs/sandbox.md describes each kind. @param on limits the fault to the links of this session */
  async fault(
    kind: FaultKind,
    { on, ...order }: Pick<FaultRequest, 'count' | 'ms' | 'step'> & { on?: { number: string } } = {},
  ): Promise<void> {
    await this.sandbox.fault({ ...order, kind, ...(on && { number: on.number }) });
  }

  /** Ends all faults. */
  clearFaults(): Promise<void> {
    return this.sandbox.clearFaults();
  }

  /** Ends everything and deletes all data. A second call does nothing. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#feed.close();
    await this.#thread.stop();
  }

  async #reached(clientId: string, status: string): Promise<void> {
    await this.#feed.until(
      (entry) =>
        entry.kind === 'event' &&
        entry.clientId === clientId &&
        entry.event.type === 'session_status' &&
        entry.event.status === status,
    );
  }

  #onlySession(): string {
    const [first, ...others] = this.#sessions.values();
    if (!first) throw new Error('nobody to write to: call world.session() first, or name whom to write to');
    if (others.length > 0)
      throw new Error('there are several sessions: name whom to write to, as { to: session }');
    return first.number;
  }

  #calls(): string[] {
    return this.#feed.entries.flatMap((entry) => {
      if (entry.kind !== 'attempt') return [];
      const { url, type, attempt, outcome, status, reason } = entry;
      const answer = reason || `answered ${status}`;
      return [`  POST ${url} ${type} (attempt ${attempt}): ${outcome}, ${answer}`];
    });
  }

  #freeNumber(): string {
    return `+${this.#nextNumber++}`;
  }
}

/** Starts a gateway on a simulated network. */
export function createWorld(options?: WorldOptions): Promise<World> {
  return World.start(options);
}
