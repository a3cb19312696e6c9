import { SeededChance } from '../../domain/chance.js';
import { systemClock, wait } from '../../domain/clock.js';
import { errorMessage } from '../../domain/errors.js';
import { CliError } from '../../terminal/cli/errors.js';
import type { BrokerKind } from './brokers.js';
import { collect } from './collect.js';
import type { Command } from './command.js';
import type { FaultKind } from './faults/fault.js';
import { type NotRun, playable, whatIsThere } from './faults/kinds.js';
import { Lab } from './lab.js';
import { compare } from './ledger.js';
import type { FaultWindow, Observations } from './observations.js';
import { type PlannedFault, planFaults } from './plan.js';
import type { Reaper } from './reaper.js';
import { type BrokenFault, type DrillReport, makeReport } from './report.js';
import type { StorePlace } from './store-place.js';
import { Traffic } from './traffic.js';

export interface DrillOptions {
  /** How to run the installed command. */
  command: Command;
  reaper: Reaper;
  /** An empty folder for all data and logs. */
  folder: string;
  minutes: number;
  seed: number;
  /** All kinds of faults. */
  kinds: readonly FaultKind[];
  /** Names of the requested kinds; undefined for all. */
  only: readonly string[] | undefined;
  nodes: number;
  /** The MongoDB of the drill; undefined for SQLite. */
  store: StorePlace | undefined;
  /** The kinds of brokers to start. */
  brokers: readonly BrokerKind[];
  /** A settings file of the operator. */
  config: string | undefined;
  /** Milliseconds for which the drill waits at the end, without faults, for missing messages. */
  settleMs: number;
  signal: AbortSignal;
}

/** Progress of a drill. */
export type DrillItem =
  | { type: 'started'; seed: number; sessions: number; receivers: string[] }
  | { type: 'not-run'; kind: string; reason: NotRun['reason'] }
  | { type: 'fault'; kind: string; forMs: number; atMs: number }
  | { type: 'mended'; kind: string; written: number }
  | { type: 'broken'; kind: string; error: string }
  | { type: 'settling'; written: number }
  | { type: 'report'; report: DrillReport };

/** Milliseconds without a fault after which an event is late. */
export const LATE_AFTER_MS = 60_000;
/** Milliseconds to wait for held sends; the operator's policy may hold them for hours. */
const HELD_MS = 60_000;
/** Milliseconds between two comparisons, and the time in which duplicates may still arrive. */
const LOOK_MS = 3_000;
const COPIES_MS = 5_000;

/**
 * Plays faults under traffic, with the drill's own processes and data, and compares written with arrived messages.
 * @returns items, of which the last is the report
 * @throws CliError `usage` for unknown kinds, or if none can be played, `failure` if something does not start; any error
 * once the signal aborts
 */
export async function* drill(options: DrillOptions): AsyncGenerator<DrillItem> {
  const { only, nodes, store, brokers, seed, minutes, signal } = options;
  const wanted = choose(options.kinds, only);
  const { kinds, notRun } = playable(wanted, await whatIsThere(nodes, store, brokers));
  for (const { kind, reason } of notRun) yield { type: 'not-run', kind, reason };
  if (kinds.length === 0) throw new CliError('usage', 'none of these faults can be played here');
  const plan = planFaults(seed, kinds, minutes * 60_000);
  const lab = await Lab.start(options);
  let traffic: Traffic | undefined;
  try {
    traffic = await prepareTraffic(lab, seed);
    const receivers = ['webhook', 'durable', ...lab.brokers.map(({ name }) => name)];
    yield { type: 'started', seed, sessions: lab.cast.sessions.length, receivers };
    const record = new DrillRecord();
    const beganAt = Date.now();
    traffic.start();
    yield* play(lab, plan, kinds, { traffic, record, endsAt: beganAt + minutes * 60_000, beganAt, signal });
    const seconds = Math.round((Date.now() - beganAt) / 1_000);
    traffic.end();
    yield { type: 'settling', written: traffic.written.length };
    const seen = await settle(lab, traffic, record.windows, options);
    if (traffic.failure) throw traffic.failure;
    const played = new Set(record.windows.map(({ kind }) => kind));
    const noTime = kinds.filter(
      ({ name }) => !played.has(name) && !record.broken.some(({ kind }) => kind === name),
    );
    const report = makeReport(seen, {
      ...{ seed, nodes, seconds, lateAfterMs: LATE_AFTER_MS, broken: record.broken },
      atNetwork: await lab.atNetwork(),
      store: store ? 'mongodb' : 'sqlite',
      notRun: [...notRun, ...noTime.map(({ name }): NotRun => ({ kind: name, reason: 'no-time' }))],
      ends: lab.nodes.flatMap((node) => node.ends),
    });
    yield { type: 'report', report };
  } finally {
    // otherwise callers would repeat their requests for ever
    await traffic?.abandon();
    await lab.stop();
  }
}

/** The faults played so far. */
class DrillRecord {
  readonly windows: FaultWindow[] = [];
  readonly broken: BrokenFault[] = [];
}

/** The kinds of these names. @throws CliError `usage` for a name that no kind has */
function choose(kinds: readonly FaultKind[], only: readonly string[] | undefined): FaultKind[] {
  const names = kinds.map(({ name }) => name);
  const unknown = only?.filter((name) => !names.includes(name)) ?? [];
  if (unknown.length > 0) {
    throw new CliError('usage', `--only: there is no fault ${unknown.join(' or ')}`, {
      suggestions: [`choose from: ${names.join(', ')}`],
    });
  }
  return kinds.filter(({ name }) => only === undefined || only.includes(name));
}

async function prepareTraffic(lab: Lab, seed: number): Promise<Traffic> {
  const group = await lab.makeGroup();
  return Traffic.prepare({
    phones: lab.phones,
    daemons: lab.nodes.map(({ client }) => client.url),
    token: lab.token,
    cast: lab.cast,
    group,
    folder: lab.folder,
    chance: new SeededChance(seed),
  });
}

interface Course {
  traffic: Traffic;
  record: DrillRecord;
  beganAt: number;
  endsAt: number;
  signal: AbortSignal;
}

/** Plays the faults of the plan in turn, until its time is over. */
async function* play(
  lab: Lab,
  plan: readonly PlannedFault[],
  kinds: readonly FaultKind[],
  { traffic, record, beganAt, endsAt, signal }: Course,
): AsyncGenerator<DrillItem> {
  let lateMs = 0;
  for (const fault of plan) {
    const kind = kinds.find(({ name }) => name === fault.kind);
    const dueAt = beganAt + fault.at + lateMs;
    if (!kind || dueAt + fault.forMs > endsAt) break;
    await waitUntil(dueAt, signal);
    yield { type: 'fault', kind: fault.kind, forMs: fault.forMs, atMs: Date.now() - beganAt };
    const at = Date.now();
    try {
      const mend = await kind.break(lab, fault);
      try {
        await wait(systemClock, fault.forMs, signal);
      } finally {
        await mend();
      }
    } catch (error) {
      const broken = { kind: fault.kind, error: errorMessage(error) };
      record.broken.push(broken);
      yield { type: 'broken', ...broken };
    }
    record.windows.push({ kind: fault.kind, at, mendedAt: Date.now() });
    // on a busy machine, breaking and mending takes longer than planned
    lateMs = Math.max(lateMs, Date.now() - (beganAt + fault.at + fault.forMs));
    requireOn(signal);
    yield { type: 'mended', kind: fault.kind, written: traffic.written.length };
  }
  await waitUntil(endsAt, signal);
}

/** Waits without faults until nothing is missing; then waits for duplicates. */
async function settle(
  lab: Lab,
  traffic: Traffic,
  faults: readonly FaultWindow[],
  { settleMs, signal }: DrillOptions,
): Promise<Observations> {
  const deadline = Date.now() + settleMs;
  const heldUntil = Date.now() + HELD_MS;
  for (const broker of lab.brokers) await broker.up();
  let seen: Observations | undefined;
  while (Date.now() < deadline) {
    await wait(systemClock, LOOK_MS, signal);
    requireOn(signal);
    // a starting node may not answer yet
    seen = await collect(lab, traffic.written, faults).catch(() => undefined);
    if (!seen || (seen.waiting.size > 0 && Date.now() < heldUntil)) continue;
    if (!compare(seen, LATE_AFTER_MS).some(isMissing)) break;
  }
  await traffic.abandon();
  await wait(systemClock, COPIES_MS, signal);
  requireOn(signal);
  return collect(lab, traffic.written, faults);
}

function isMissing({ breach }: { breach: string }): boolean {
  return breach === 'lost' || breach === 'unanswered';
}

async function waitUntil(time: number, signal: AbortSignal): Promise<void> {
  await wait(systemClock, Math.max(0, time - Date.now()), signal);
  requireOn(signal);
}

function requireOn(signal: AbortSignal): void {
  if (signal.aborted) throw new CliError('interrupted', 'interrupted');
}
