import { setTimeout as wait } from 'node:timers/promises';
import type { Block } from './roles/gateway.js';
import type { Lab } from './support/lab.js';
import { absolute, type Comparison } from './support/report.js';
import { median } from './support/rounds.js';
import { inFlight } from './support/send-texts.js';
import type { GatewaySide } from './support/sides.js';

const PAIRING_AT_ONCE = 8;
const IN_FLIGHT = 16;
/** Sends while all sessions take part; two of each, or this many. */
const SENDS_AT_MOST = 2_000;
const IDLE_MS = 20_000;
/** Sessions of bare Baileys that reconnect: their CPU is divided by their number. */
const BARE_AT_MOST = 200;
const ROUTES = ['/clients', '/health/clients', '/fleet'];
const READS = 9;
const LONGEST_BLOCK_MS = 50;
const METHOD =
  'one run; SQLite; sandbox, client and gateway share the machine; memory after garbage collection.';

/**
 * Many linked sessions in one process.
 * @param sessions how many
 */
export function scale(sessions: number): (lab: Lab) => Promise<Comparison[]> {
  return async (lab) => {
    const gateway = await lab.gateway();
    const { worker } = gateway;
    const numbers = await peopleOf(lab, sessions);
    const recipient = await lab.person('Recipient');
    // the first one loads the protocol library
    const [first = '', ...rest] = numbers;
    await gateway.link(first);
    const one = await worker.residentMb();
    await inFlight(rest.length, PAIRING_AT_ONCE, (index) => gateway.link(rest[index] ?? ''));
    await lab.sandbox.idle();
    const full = await worker.residentMb();
    const idlePercent = await idleCpu(gateway);
    const sends = await sendFromAll(gateway, numbers, recipient.number);
    const routes: [string, number][] = [];
    for (const path of ROUTES) routes.push([path, await timeOf(gateway, path)]);
    const restarts: [string, Restart][] = [
      ['restart', await comeBack(gateway, numbers, () => gateway.stop())],
      ['SIGKILL', await comeBack(gateway, numbers, () => gateway.replace())],
    ];
    const bareMs = await bareReconnects(lab, Math.min(sessions, BARE_AT_MOST));
    const figure = (name: string, unit: string, value: number, atMost?: number) =>
      absolute(
        {
          name: `${name}, ${sessions} sessions`,
          unit,
          method: METHOD,
          ...(atMost && { target: { atMost } }),
        },
        value,
      );
    const blockFigures = (when: string, { ms, collectionMs }: Block) => [
      figure(`longest block of the event loop ${when}`, 'ms', ms, LONGEST_BLOCK_MS),
      figure(`longest pause for garbage collection ${when}`, 'ms', collectionMs),
    ];
    return [
      figure('resident memory', 'MB', full),
      figure('memory per further idle session', 'MB', (full - one) / (sessions - 1), 0.3),
      figure('idle CPU per session', '% of a core', idlePercent / sessions, 0.004),
      figure('sends from all sessions', 'sends/s', sends.perSecond),
      figure('p50 of these sends', 'ms', sends.p50),
      figure('p99 of these sends', 'ms', sends.p99),
      ...blockFigures('during these sends', sends.block),
      ...routes.map(([path, ms]) => figure(`GET ${path}`, 'ms', ms)),
      {
        name: `CPU for each session after a restart beside a reconnect of bare Baileys, ${sessions} sessions`,
        unit: 'ms CPU',
        gateway: { rounds: restarts.map(([, { cpuMs }]) => cpuMs / sessions) },
        raw: { rounds: [bareMs] },
        rawIs: `bare Baileys, ${Math.min(sessions, BARE_AT_MOST)} at once`,
        target: { atMost: 1.2 },
        method: `${METHOD} Gateway: after a stop and after SIGKILL, with the start of the daemon. Bare: keys in memory, no start.`,
      },
      ...restarts.flatMap(([how, { seconds, cpuMs, startBlockMs, block }]) => [
        figure(`all connected after ${how}`, 's', seconds),
        figure(`CPU for each session after ${how}`, 'ms', cpuMs / sessions),
        figure(`longest block before the API answers, after ${how}`, 'ms', startBlockMs),
        ...blockFigures(`after ${how}`, block),
      ]),
    ];
  };
}

/** Links as many numbers with bare Baileys, and connects all of them again. @returns milliseconds of CPU for each */
async function bareReconnects(lab: Lab, count: number): Promise<number> {
  const raw = await lab.raw();
  const numbers = await peopleOf(lab, count);
  await inFlight(count, PAIRING_AT_ONCE, (index) => raw.link(numbers[index] ?? ''));
  await lab.sandbox.idle();
  for (const number of numbers) await raw.worker.ask('disconnect', { number });
  await raw.worker.idle();
  const before = await raw.worker.cpuMs();
  for (const number of numbers) await raw.worker.ask('connect', { number });
  for (const number of numbers) await raw.worker.ask('opened', { number });
  await raw.worker.idle();
  return ((await raw.worker.cpuMs()) - before) / count;
}

async function peopleOf(lab: Lab, count: number): Promise<string[]> {
  const numbers: string[] = [];
  await inFlight(count, PAIRING_AT_ONCE, async (index) => {
    numbers[index] = (await lab.person(`Person ${index}`)).number;
  });
  return numbers;
}

/** Percent of a core that the gateway takes with nothing to do. */
async function idleCpu({ worker }: GatewaySide): Promise<number> {
  await worker.idle();
  const before = await worker.cpuMs();
  await wait(IDLE_MS);
  return (((await worker.cpuMs()) - before) / IDLE_MS) * 100;
}

/** Sends texts from all sessions in turn. */
async function sendFromAll(
  gateway: GatewaySide,
  numbers: readonly string[],
  to: string,
): Promise<{ perSecond: number; p50: number; p99: number; block: Block }> {
  const count = Math.min(numbers.length * 2, SENDS_AT_MOST);
  const times: number[] = [];
  await gateway.worker.ask('longestBlock', {});
  const startedAt = performance.now();
  await inFlight(count, IN_FLIGHT, async (index) => {
    const sentAt = performance.now();
    await gateway.sendText(numbers[index % numbers.length] ?? '', to, `message ${index}`);
    times.push(performance.now() - sentAt);
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  times.sort((one, other) => one - other);
  const at = (part: number) => times[Math.floor(times.length * part)] ?? Number.NaN;
  const block = await gateway.worker.ask('longestBlock', {});
  return { perSecond: count / seconds, p50: at(0.5), p99: at(0.99), block };
}

/** Milliseconds that a route takes. */
async function timeOf(gateway: GatewaySide, path: string): Promise<number> {
  const times: number[] = [];
  for (let read = 0; read < READS; read++) {
    const startedAt = performance.now();
    await gateway.read(path);
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

interface Restart {
  seconds: number;
  /** Of the new process or the new daemon, until all are connected. */
  cpuMs: number;
  /** Before the API answers, where it keeps nobody waiting: loading, opening the store, restoring the sessions. */
  startBlockMs: number;
  /** From then on. */
  block: Block;
}

/** Ends the daemon, and waits until the next one has connected all sessions. */
async function comeBack(
  gateway: GatewaySide,
  numbers: readonly string[],
  end: () => Promise<unknown>,
): Promise<Restart> {
  await end();
  const { worker } = gateway;
  await worker.ask('longestBlock', {});
  const cpuBefore = await worker.cpuMs();
  const startedAt = performance.now();
  await gateway.start();
  const { ms: startBlockMs } = await worker.ask('longestBlock', {});
  await gateway.allConnected(numbers.length);
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    seconds,
    cpuMs: (await worker.cpuMs()) - cpuBefore,
    startBlockMs,
    block: await worker.ask('longestBlock', {}),
  };
}
