import { cpus } from 'node:os';
import Table from 'cli-table3';
import type { Comparison, Side } from './measurement.js';
import { median } from './statistics.js';

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
      rawIs ? `${rawIs}\n${figures(raw)}` : figures(raw),
      ratio.toFixed(2),
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
