import { cpus } from 'node:os';
import Table from 'cli-table3';
import type { Lab } from './lab.js';
import { median } from './rounds.js';

/** One side's figures: one number for each round, and the CPU that it took where that tells something. */
export interface Side {
  rounds: number[];
  /** Milliseconds of CPU of that side's own process for each message. */
  cpuMsPerMessage?: number[];
  /** The same of every process that took part, by its name. */
  cpuMsOf?: Record<string, number[]>;
  /** How many cores of the machine were busy, with whatever. */
  coresBusy?: number[];
}

/** A comparison of the gateway with the bare library, or with what does the least there is to do. */
export interface Comparison {
  name: string;
  unit: string;
  gateway: Side;
  raw: Side;
  /** What `raw` is where it is not the bare library; empty if there is nothing to compare with. */
  rawIs?: string;
  /** The bound of gateway / raw; undefined for figures that only explain others. */
  target?: { atLeast: number } | { atMost: number };
  /** How each side was measured. */
  method: string;
}

/** A figure that is compared with nothing but its own bound, in its unit. */
export function absolute(
  fields: Pick<Comparison, 'name' | 'unit' | 'method' | 'target'>,
  value: number,
): Comparison {
  return { ...fields, gateway: { rounds: [value] }, raw: { rounds: [1] }, rawIs: '' };
}

/** Measures both sides in one run. */
export type Measurement = (lab: Lab) => Promise<Comparison[]>;

/** A comparison with its medians and its verdict. */
export interface Verdict extends Comparison {
  /** gateway / raw, of the medians. */
  ratio: number;
  /** Undefined where nothing is demanded. */
  met?: boolean;
}

/** Where and when figures were measured. */
export interface Report {
  at: string;
  node: string;
  machine: string;
  results: Verdict[];
}

export function judge(comparison: Comparison): Verdict {
  const ratio = median(comparison.gateway.rounds) / median(comparison.raw.rounds);
  const { target } = comparison;
  if (!target) return { ...comparison, ratio };
  return {
    ...comparison,
    ratio,
    met: 'atLeast' in target ? ratio >= target.atLeast : ratio <= target.atMost,
  };
}

export function report(results: Verdict[]): Report {
  const [cpu] = cpus();
  return {
    at: new Date().toISOString(),
    node: process.version,
    machine: `${cpus().length} × ${cpu?.model.trim()}`,
    results,
  };
}

/** The report for people. */
export function draw({ at, node, machine, results }: Report): string {
  const table = new Table({
    head: ['measurement', 'gateway', 'raw Baileys', 'ratio', 'target', ''],
    style: { head: [], border: [] },
  });
  for (const result of results) {
    const { name, unit, gateway, raw, rawIs, ratio, target, met } = result;
    table.push([
      `${name}\n${unit}`,
      figures(gateway),
      rawIs === '' ? '' : rawIs ? `${rawIs}\n${figures(raw)}` : figures(raw),
      rawIs === '' ? '' : ratio.toFixed(2),
      target ? ('atLeast' in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`) : '',
      met === undefined ? '' : met ? 'met' : 'MISSED',
    ]);
  }
  const methods = results.map(({ name, method }) => `${name}: ${method}`);
  return [`${at}, node ${node}, ${machine}`, table.toString(), ...methods, ''].join('\n');
}

/** The median, every round under it, and the CPU for each message and the busy cores where they were measured. */
function figures({ rounds, cpuMsPerMessage, cpuMsOf = {}, coresBusy }: Side): string {
  const lines = [short(median(rounds)), `(${rounds.map(short).join(' ')})`];
  if (cpuMsPerMessage) lines.push(`CPU ${median(cpuMsPerMessage).toFixed(2)} ms each`);
  for (const [name, ms] of Object.entries(cpuMsOf)) lines.push(`${name}: ${median(ms).toFixed(2)} ms each`);
  if (coresBusy) lines.push(`${median(coresBusy).toFixed(1)} of ${cpus().length} cores busy`);
  return lines.join('\n');
}

function short(value: number): string {
  return value < 10 ? value.toFixed(2) : value.toFixed(0);
}
