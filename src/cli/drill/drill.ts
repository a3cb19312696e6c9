import { SeededChance } from '../../domain/chance.js';
import { systemClock, wait } from '../../domain/clock.js';
import { errorMessage } from '../../domain/errors.js';
import { CliError } from '../errors.js';
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
  /** An empty folder for everything that is written. */
  folder: string;
  minutes: number;
  seed: number;
  /** The kinds of faults that there are. */
  kinds: readonly FaultKind[];
  /** Names of those that are wanted; all without it. */
  only: readonly string[] | undefined;
  nodes: number;
  /** Undefined for SQLite. */
  store: StorePlace | undefined;
  /** The kinds of brokers to start. */
  brokers: readonly BrokerKind[];
  /** A settings file of the operator. */
  config: string | undefined;
  /** Milliseconds for which the drill waits at the end, with everything healthy again, for what is missing. */
  settleMs: number;
  signal: AbortSignal;
}

/** The course of a drill. */
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
/** Milliseconds for which it waits for sends that their policy holds back: one of the operator may do so for hours. */
const HELD_MS = 60_000;
/** Milliseconds between two comparisons while it waits, and for which copies that are too many may still come. */
const LOOK_MS = 3_000;
const COPIES_MS = 5_000;

/**
 * Plays faults under traffic, in processes and places of the drill's own, and compares what was written with what arrived.
 * @returns the last item is the report
 * @throws CliError `usage` for kinds that do not exist or of which none can be played, `failure` if something does not start;
 * any error once the signal aborts
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
    // callers would ask for ever
    await traffic?.abandon();
    await lab.stop();
  }
}

/** What was played so far. */
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

/** Plays the plan, one fault after the other, until its time is over. */
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
    // breaking and mending takes longer than planned on a busy machine
    lateMs = Math.max(lateMs, Date.now() - (beganAt + fault.at + fault.forMs));
    requireOn(signal);
    yield { type: 'mended', kind: fault.kind, written: traffic.written.length };
  }
  await waitUntil(endsAt, signal);
}

/** Waits, with everything healthy, until nothing is missing; then for copies that are too many. */
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
    // a node that starts may not answer yet
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
