import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { compiledProject, mochaGlobalSetup, mochaGlobalTeardown } from '../support/compiled.js';
import type { GatewayProcess, MakePeer, Peer } from './peers/peer.js';
import { type PeerReceiver, startPeerReceiver } from './peers/receiver.js';
import type { Lab } from './support/lab.js';
import type { Comparison, Side } from './support/report.js';
import { inFlight } from './support/send-texts.js';

const OWN = 'switchboard';
/** At least so many times the rate of that gateway. */
const MARKS: Record<string, number> = { 'baileys-api': 1, evolution: 12 };
const ROUNDS = 5;
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
  receiver: PeerReceiver;
  own: string;
  person: string;
  sends: Required<Pick<Side, 'rounds' | 'cpuMsPerMessage'>>;
  inbound: Required<Pick<Side, 'rounds' | 'cpuMsPerMessage'>>;
}

/**
 * Compares this gateway with others that are installed on this machine: text sends that are announced to a webhook, and
 * inbound texts, on one simulated network, in rounds that take turns.
 * @param named `ADAPTER=FOLDER` of each other gateway; the adapter is one of the folder `peers`, or the path of a module
 * @param count texts of a round
 */
export function peers(named: readonly string[], count: number): (lab: Lab) => Promise<Comparison[]> {
  return async (lab) => {
    if (named.length === 0)
      throw new Error('name the other gateways: --peer baileys-api=FOLDER --peer evolution=FOLDER');
    await mochaGlobalSetup();
    try {
      return await comparePeers(lab, [`${OWN}=${compiledProject()}`, ...named], {
        warmUp: Math.ceil(count * WARM_UP),
        rounds: ROUNDS,
        count,
      });
    } finally {
      await mochaGlobalTeardown();
    }
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
        contestant.sends.rounds.push(sends.perSecond);
        contestant.sends.cpuMsPerMessage.push(sends.cpuMs);
        contestant.inbound.rounds.push(inbound.perSecond);
        contestant.inbound.cpuMsPerMessage.push(inbound.cpuMs);
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

function comparisons(own: Contestant, other: Contestant, adapter: string, run: PeerRun): Comparison[] {
  const mark = MARKS[adapter];
  const method =
    `${own.peer.title} and ${other.peer.title}: ${run.count} texts a round, rounds take turns, after ${run.warmUp} of each. Sends: ` +
    `${IN_FLIGHT} in flight to one person, done when the gateway's API answers. Inbound: ${WRITERS} writers, done at the webhook. ` +
    `CPU: of the gateway's processes until they rest; databases that it uses are not counted.`;
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
  const peer = await (await load(adapter))({
    folder: resolvePath(named.slice(adapter.length + 1)),
    dataDir,
    port: await freePort(),
    webhookUrl: receiver.url,
    network: lab.network,
  });
  const process = await peer.start();
  cleanup.push(() => process.stop());
  const [own, person] = [await lab.person(`Own ${adapter}`), await lab.person(`Person ${adapter}`)];
  await lab.phones.scan(own.number, await peer.pair(own.number, receiver.fromCalls));
  await peer.connected(own.number, receiver.fromCalls);
  const side = () => ({ rounds: [], cpuMsPerMessage: [] });
  return { peer, process, receiver, own: own.number, person: person.number, sends: side(), inbound: side() };
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
}

/** Sends texts, and then receives as many. */
async function exchange(
  lab: Lab,
  { peer, process, receiver, own, person }: Contestant,
  count: number,
  label: string,
): Promise<{ sends: Rate; inbound: Rate }> {
  const sends = await rate(process, count, () =>
    inFlight(count, IN_FLIGHT, (index) => peer.send(own, person, `sent ${label} ${index}`)),
  );
  const inbound = await rate(process, count, async () => {
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

async function rate(process: GatewayProcess, count: number, work: () => Promise<void>): Promise<Rate> {
  await atRest(process);
  const cpuBefore = await process.cpuMs();
  const startedAt = performance.now();
  await work();
  const seconds = (performance.now() - startedAt) / 1_000;
  await atRest(process);
  return { perSecond: count / seconds, cpuMs: ((await process.cpuMs()) - cpuBefore) / count };
}

/** Resolves when the gateway rests; one that is never idle is let go after half a minute. */
async function atRest(process: GatewayProcess): Promise<void> {
  let before = await process.cpuMs();
  for (let window = 0; window < WINDOWS_AT_MOST; window++) {
    await wait(REST_WINDOW_MS);
    const now = await process.cpuMs();
    if (now - before < REST_WINDOW_MS * RESTING) return;
    before = now;
  }
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
