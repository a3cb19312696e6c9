import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxClient } from '../../client/sandbox/client.js';
import { systemClock, wait } from '../../domain/clock.js';
import type { DaemonClient } from '../../terminal/cli/client.js';
import { CliError } from '../../terminal/cli/errors.js';
import { Broker, type BrokerKind } from './brokers.js';
import type { Command } from './command.js';
import { HttpReceiver } from './http-receiver.js';
import { DrillNode } from './node.js';
import { type Cast, castFor, type DrillSession } from './people.js';
import { cleanEnvironment, Program } from './program.js';
import type { Reaper } from './reaper.js';
import { copySettings } from './settings.js';
import type { StorePlace } from './store-place.js';

export interface LabOptions {
  command: Command;
  /** Frees everything that a drill which ends early leaves behind. */
  reaper: Reaper;
  /** An empty folder for all data and logs. */
  folder: string;
  nodes: number;
  /** The MongoDB of the drill; undefined for SQLite. */
  store: StorePlace | undefined;
  /** The kinds of brokers to start. */
  brokers: readonly BrokerKind[];
  /** A settings file of the operator. */
  config: string | undefined;
  signal: AbortSignal;
}

/** The HTTP receivers of each session, by their names in the report. */
export type HttpReceivers = Readonly<Record<'webhook' | 'durable', HttpReceiver>>;

interface LabParts {
  folder: string;
  token: string;
  sandbox: Program;
  phones: SandboxClient;
  receivers: HttpReceivers;
  brokers: readonly Broker[];
  nodes: readonly DrillNode[];
  cast: Cast;
  leaseMs: number;
}

/** Seconds of silence after which the network drops a client. */
const SILENCE_S = 90;
/** Milliseconds for a session to show its QR, or to be connected. */
const LINK_MS = 60_000;
const LOOK_MS = 100;
const DEFAULT_LEASE_S = 20;
const ORG = 'drill';

/** The drill's own network, daemons, receivers and brokers: real processes on free ports of this machine. */
export class Lab {
  readonly folder: string;
  /** The master token of its daemons. */
  readonly token: string;
  readonly phones: SandboxClient;
  readonly receivers: HttpReceivers;
  readonly brokers: readonly Broker[];
  readonly nodes: readonly DrillNode[];
  readonly cast: Cast;
  readonly leaseMs: number;
  readonly #sandbox: Program;

  private constructor(parts: LabParts) {
    this.folder = parts.folder;
    this.token = parts.token;
    this.phones = parts.phones;
    this.receivers = parts.receivers;
    this.brokers = parts.brokers;
    this.nodes = parts.nodes;
    this.cast = parts.cast;
    this.leaseMs = parts.leaseMs;
    this.#sandbox = parts.sandbox;
  }

  /** Starts all processes and links the sessions. Ends all of them if that fails or the signal aborts. */
  static async start(options: LabOptions): Promise<Lab> {
    const { command, reaper, folder, nodes: count, store, config, signal } = options;
    const opened: (() => Promise<unknown>)[] = [];
    try {
      const settings = await copySettings(config, folder);
      const logs = join(folder, 'logs');
      await mkdir(logs);
      const sandbox = await startSandbox(command, logs, reaper);
      opened.push(() => sandbox.kill());
      const url = sandbox.said[1] ?? '';
      const receivers = {
        webhook: await HttpReceiver.start(RECEIVER_TOKEN),
        durable: await HttpReceiver.start(RECEIVER_TOKEN),
      };
      opened.push(() => Promise.all([receivers.webhook.down(), receivers.durable.down()]));
      const brokers: Broker[] = [];
      opened.push(() => Promise.all(brokers.map((broker) => broker.close())));
      for (const kind of options.brokers) {
        signal.throwIfAborted();
        brokers.push(await Broker.start(kind, { folder, logs, reaper }));
      }
      signal.throwIfAborted();
      const token = randomBytes(24).toString('base64url');
      const around = {
        ...{ command, reaper, folder, logs, token },
        sandboxPort: Number(new URL(url).port),
        store: store && { ...store, direct: store.url },
        settings: { ...settings, encryptionKey: randomBytes(32).toString('hex') },
      };
      const names = Array.from({ length: count }, (_, index) => `node-${index + 1}`);
      const nodes = await Promise.all(names.map((name) => DrillNode.prepare({ ...around, name })));
      opened.push(() => Promise.all(nodes.map((node) => node.close())));
      await Promise.all(nodes.map((node) => node.start()));
      const phones = new SandboxClient(url);
      const leaseMs = Number(settings.leaseSeconds ?? DEFAULT_LEASE_S) * 1_000;
      const lab = new Lab({
        ...{ folder, token, sandbox, phones, receivers, brokers, nodes, leaseMs },
        cast: castFor(count),
      });
      await lab.#link(signal);
      return lab;
    } catch (error) {
      for (const close of opened.reverse()) await close().catch(() => undefined);
      throw error;
    }
  }

  /** The node that a draw of the plan selects. */
  node(draw: number): DrillNode {
    const node = this.nodes[draw % this.nodes.length];
    if (!node) throw new Error('a drill has at least one node');
    return node;
  }

  /** The node that holds a session; after a crash, waits until the lease has expired. @throws if no node takes the session over */
  async ownerOf(clientId: string): Promise<DrillNode> {
    const owner = await eventually(this.leaseMs + LINK_MS, undefined, async () => {
      const { sessions } = await this.node(0).client.getFleet();
      const name = sessions.find((session) => session.clientId === clientId)?.podName;
      return this.nodes.find((node) => node.name === name) ?? false;
    });
    if (!owner) throw new Error(`no daemon holds ${clientId}`);
    return owner;
  }

  /** The API of a running node, other than the given one if there are several. */
  clientBeside(node: DrillNode): DaemonClient {
    return (this.nodes.find((other) => other !== node) ?? node).client;
  }

  /** Waits until every session is connected, for at most `withinMs`. @returns whether all are connected */
  async connected(withinMs: number, signal?: AbortSignal): Promise<boolean> {
    const linked = new Set(this.cast.sessions.map(({ number }) => number));
    return eventually(withinMs, signal, async () => {
      const phones = await this.phones.phones();
      const devices = phones.filter(({ number }) => linked.has(number)).flatMap((phone) => phone.devices);
      return devices.length >= linked.size && devices.every(({ connected }) => connected);
    });
  }

  /** Stanzas that wait for a session, or that no daemon has acknowledged. */
  async atNetwork(): Promise<number> {
    const { waitingOffline, unacknowledged } = await this.phones.stats();
    return waitingOffline + unacknowledged;
  }

  /** Creates the group of the drill. @returns its jid */
  async makeGroup(): Promise<string> {
    const [owner = '', ...others] = this.cast.people.slice(0, 2);
    const members = this.cast.sessions.slice(0, 2).map(({ number }) => number);
    const { jid } = await this.phones.groups.create(owner, {
      subject: 'Drill',
      participants: [...others, ...members],
    });
    return jid;
  }

  /** Ends all processes and frees all ports. */
  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.close()));
    await Promise.all(this.brokers.map((broker) => broker.close()));
    await Promise.all([this.receivers.webhook.down(), this.receivers.durable.down()]);
    await this.#sandbox.kill();
  }

  async #link(signal: AbortSignal): Promise<void> {
    const { sessions, people, strangers } = this.cast;
    for (const number of [...people, ...strangers]) await this.phones.addPhone({ number, name: number });
    const client = this.node(0).client;
    for (const session of sessions) await this.#linkOne(client, session, signal);
    if (!(await this.connected(LINK_MS, signal))) throw new CliError('failure', 'a session is not connected');
  }

  async #linkOne(
    client: DaemonClient,
    { clientId, number }: DrillSession,
    signal: AbortSignal,
  ): Promise<void> {
    const { webhook, durable } = this.receivers;
    await this.phones.addPhone({ number, name: clientId });
    await client.start({ clientId, webhookUrl: webhook.url, webhookToken: RECEIVER_TOKEN });
    await client.setOrgId({ clientId, orgId: ORG });
    await client.setEnableGroupAi({ clientId, enabled: true });
    const more = { clientId, token: RECEIVER_TOKEN };
    await client.addReceiver({ ...more, url: durable.url, name: 'durable', retry: 'durable' });
    for (const { name, url } of this.brokers) await client.addReceiver({ clientId, url, name });
    const scanned = await eventually(LINK_MS, signal, async () => {
      const { status, qr } = await client.getQr({ clientId, format: 'text' });
      if (status !== 'qr') return false;
      // retry: a QR code may expire between the two calls
      return this.phones.scan(number, qr).then(
        () => true,
        () => false,
      );
    });
    if (!scanned) throw new CliError('failure', `the session ${clientId} shows no QR`);
    const isConnected = async () => (await client.getQr({ clientId, format: 'text' })).status === 'connected';
    if (!(await eventually(LINK_MS, signal, isConnected)))
      throw new CliError('failure', `the session ${clientId} does not connect`);
  }
}

const RECEIVER_TOKEN = randomBytes(24).toString('base64url');

function startSandbox({ execArgv, script }: Command, logs: string, reaper: Reaper): Promise<Program> {
  return Program.start({
    name: 'network',
    command: process.execPath,
    args: [...execArgv, script, 'sandbox', 'start', '--json', '--port', '0', '--silence', String(SILENCE_S)],
    env: cleanEnvironment(),
    ...{ logs, reaper },
    ready: /^\{"url":"([^"]+)"/,
  });
}

/** Polls until `look` finds a value. @returns that value; false after a timeout or an abort */
async function eventually<T>(
  withinMs: number,
  signal: AbortSignal | undefined,
  look: () => Promise<T | false>,
): Promise<T | false> {
  const deadline = performance.now() + withinMs;
  while (!signal?.aborted && performance.now() < deadline) {
    const found = await look();
    if (found !== false) return found;
    await wait(systemClock, LOOK_MS, signal);
  }
  return false;
}
