import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { compiledProject } from '../support/compiled.js';
import { startLateStart } from './peers/late-start.js';
import type { GatewayProcess, MakePeer, Peer } from './peers/peer.js';
import { databaseAt, type ProcessTree } from './peers/processes.js';
import { type PeerReceiver, startPeerReceiver } from './peers/receiver.js';
import type { Lab } from './support/lab.js';
import type { Comparison, Side } from './support/report.js';
import { sum } from './support/rounds.js';
import { inFlight } from './support/send-texts.js';

const OWN = 'switchboard';
/** At least so many times the rate of that gateway. */
const MARKS: Record<string, number> = { 'baileys-api': 1, evolution: 12 };
/** Texts before the first round, in rounds. */
const WARM_UP = 1.5;
const IN_FLIGHT = 16;
const WRITERS = 8;
/** A gateway is at rest when it takes less than this of a core. */
const RESTING = 0.05;
const REST_WINDOW_MS = 500;
const WINDOWS_AT_MOST = 60;

/** How many messages are measured. */
export interface PeerRun {
  warmUp: number;
  rounds: number;
  /** Messages of a round. */
  count: number;
}

/** A gateway that runs, with a linked number and one person whom it writes to. */
interface Contestant {
  peer: Peer;
  process: GatewayProcess;
  databases: ProcessTree[];
  receiver: PeerReceiver;
  own: string;
  person: string;
  sends: MeasuredSide;
  inbound: MeasuredSide;
}

type MeasuredSide = Required<Pick<Side, 'rounds' | 'cpuMsPerMessage' | 'cpuMsOf'>>;

/**
 * Compares this gateway with others that are installed on this machine: text sends that are announced to a webhook, and
 * inbound texts, on one simulated network, in rounds that take turns.
 * @param named `ADAPTER=FOLDER` of each other gateway; the adapter is one of the folder `peers`, or the path of a module
 * @param count texts of a round
 * @param rounds how many rounds are measured
 */
export function peers(
  named: readonly string[],
  count: number,
  rounds: number,
): (lab: Lab) => Promise<Comparison[]> {
  return async (lab) => {
    if (named.length === 0)
      throw new Error('name the other gateways: --peer baileys-api=FOLDER --peer evolution=FOLDER');
    const run = { warmUp: Math.ceil(count * WARM_UP), rounds, count };
    return comparePeers(lab, [`${OWN}=${compiledProject()}`, ...named], run);
  };
}

/** As `peers`. The first one named is compared with each of the others. */
export async function comparePeers(lab: Lab, named: readonly string[], run: PeerRun): Promise<Comparison[]> {
  const cleanup: (() => Promise<unknown>)[] = [];
  try {
    const contestants: Contestant[] = [];
    for (const name of named) contestants.push(await enter(lab, name, cleanup));
    for (const contestant of contestants) await exchange(lab, contestant, run.warmUp, 'warm-up');
    for (let round = 0; round < run.rounds; round++) {
      for (const contestant of contestants) {
        const { sends, inbound } = await exchange(lab, contestant, run.count, `round ${round}`);
        record(contestant.sends, sends);
        record(contestant.inbound, inbound);
      }
    }
    const [own, ...others] = contestants;
    return own
      ? others.flatMap((other, index) => comparisons(own, other, adapterOf(named[index + 1] ?? ''), run))
      : [];
  } finally {
    for (const step of cleanup.reverse()) await step();
  }
}

function record({ rounds, cpuMsPerMessage, cpuMsOf }: MeasuredSide, rate: Rate): void {
  rounds.push(rate.perSecond);
  cpuMsPerMessage.push(rate.cpuMs);
  if (rate.databasesMs !== undefined) cpuMsOf.databases = [...(cpuMsOf.databases ?? []), rate.databasesMs];
}

function comparisons(own: Contestant, other: Contestant, adapter: string, run: PeerRun): Comparison[] {
  const mark = MARKS[adapter];
  const method =
    `${own.peer.title} and ${other.peer.title}: ${run.count} texts a round, rounds take turns, after ${run.warmUp} of each. Sends: ` +
    `${IN_FLIGHT} in flight to one person, done when the gateway's API answers. Inbound: ${WRITERS} writers, done at the webhook. ` +
    `CPU: of the gateway's processes and of its databases, until they rest.`;
  const common = {
    rawIs: other.peer.title,
    ...(mark !== undefined && { target: { atLeast: mark } }),
    method,
  };
  return [
    {
      name: `text sends beside ${adapter}`,
      unit: 'sends/s',
      gateway: own.sends,
      raw: other.sends,
      ...common,
    },
    {
      name: `inbound texts beside ${adapter}`,
      unit: 'texts/s',
      gateway: own.inbound,
      raw: other.inbound,
      ...common,
    },
  ];
}

/** Starts a gateway and links its number. */
async function enter(lab: Lab, named: string, cleanup: (() => Promise<unknown>)[]): Promise<Contestant> {
  const adapter = adapterOf(named);
  const receiver = await startPeerReceiver();
  cleanup.push(() => receiver.stop());
  const dataDir = await mkdtemp(join(tmpdir(), 'switchboard-bench-'));
  cleanup.push(() => rm(dataDir, { recursive: true, force: true }));
  const lateStart = await startLateStart(lab.network.wsUrl);
  cleanup.push(() => lateStart.stop());
  const peer = await (await load(adapter))({
    folder: resolvePath(named.slice(adapter.length + 1)),
    dataDir,
    port: await freePort(),
    webhookUrl: receiver.url,
    network: { ...lab.network, lateStartWsUrl: lateStart.wsUrl },
  });
  const databases: ProcessTree[] = [];
  for (const address of peer.databases?.() ?? []) databases.push(await databaseAt(address));
  const process = await peer.start();
  cleanup.push(() => process.stop());
  const own = await newPhone(lab, `Own ${adapter}`);
  const person = await newPhone(lab, `Person ${adapter}`);
  await lab.phones.scan(own, await peer.pair(own, receiver.fromCalls));
  cleanup.push(async () => {
    await peer
      .unpair?.(own)
      .catch((error) => console.error(`${peer.title} still has the session of ${own}:`, error));
  });
  await peer.connected(own, receiver.fromCalls);
  const side = () => ({ rounds: [], cpuMsPerMessage: [], cpuMsOf: {} });
  return { peer, process, databases, receiver, own, person, sends: side(), inbound: side() };
}

/** A phone with a number of this run: a database may still hold the session of a run that was interrupted. */
async function newPhone(lab: Lab, name: string): Promise<string> {
  const number = `+1555${randomInt(1_000_000, 10_000_000)}`;
  await lab.phones.addPhone({ number, name });
  return number;
}

function adapterOf(named: string): string {
  return named.split('=')[0] ?? '';
}

async function load(adapter: string): Promise<MakePeer> {
  const isPath = adapter.includes('/');
  const module: { peer?: MakePeer } = await import(
    isPath ? pathToFileURL(resolvePath(adapter)).href : new URL(`peers/${adapter}.ts`, import.meta.url).href
  );
  if (!module.peer) throw new Error(`the adapter ${adapter} exports no "peer"`);
  return module.peer;
}

interface Rate {
  perSecond: number;
  cpuMs: number;
  /** Undefined for a gateway without databases. */
  databasesMs?: number;
}

/** Sends texts, and then receives as many. */
async function exchange(
  lab: Lab,
  contestant: Contestant,
  count: number,
  label: string,
): Promise<{ sends: Rate; inbound: Rate }> {
  const { peer, receiver, own, person } = contestant;
  const sends = await rate(contestant, count, () =>
    inFlight(count, IN_FLIGHT, (index) => peer.send(own, person, `sent ${label} ${index}`)),
  );
  const inbound = await rate(contestant, count, async () => {
    const missing = new Set(Array.from({ length: count }, (_, index) => `received ${label} ${index}`));
    await inFlight(count, WRITERS, async (index) => {
      await lab.phones.write(person, { to: own, text: `received ${label} ${index}` });
    });
    await receiver.fromCalls((call) => {
      for (const text of peer.textsIn(call)) missing.delete(text);
      return missing.size === 0 || undefined;
    });
  });
  return { sends, inbound };
}

async function rate(contestant: Contestant, count: number, work: () => Promise<void>): Promise<Rate> {
  const before = await atRest(contestant);
  const startedAt = performance.now();
  await work();
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = await atRest(contestant);
  return {
    perSecond: count / seconds,
    cpuMs: (after.gateway - before.gateway) / count,
    ...(contestant.databases.length > 0 && { databasesMs: (after.databases - before.databases) / count }),
  };
}

interface Usage {
  gateway: number;
  databases: number;
}

/** Milliseconds of CPU since the start of the gateway and of its databases. */
async function usage({ process, databases }: Contestant): Promise<Usage> {
  const each = await Promise.all(databases.map((database) => database.cpuMs()));
  return { gateway: await process.cpuMs(), databases: sum(each) };
}

/**
 * Resolves when the gateway and its databases rest; one that is never idle is let go after half a minute.
 * @returns what they have used until then
 */
async function atRest(contestant: Contestant): Promise<Usage> {
  let before = await usage(contestant);
  for (let window = 0; window < WINDOWS_AT_MOST; window++) {
    await wait(REST_WINDOW_MS);
    const now = await usage(contestant);
    const used = now.gateway - before.gateway + now.databases - before.databases;
    before = now;
    if (used < REST_WINDOW_MS * RESTING) break;
  }
  return before;
}

/** A port that nobody listens on, below those that the system gives out, so that nobody gets it meanwhile. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
