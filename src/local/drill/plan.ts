import { SeededChance } from '../../domain/chance.js';

/** A fault of a plan. */
export interface PlannedFault {
  kind: string;
  /** Milliseconds since the begin of the traffic. */
  at: number;
  /** Duration in milliseconds. */
  forMs: number;
  /** Selects a node, a receiver or a variant of the fault: a whole number from 0. */
  draw: number;
}

/** The properties of a kind of fault for a plan. */
export interface Plannable {
  name: string;
  /** Shortest and longest duration in seconds. */
  lasts: readonly [number, number];
}

/** Milliseconds of traffic before the first fault, and between two faults. */
const FIRST_MS = 3_000;
const GAP_MS = [3_000, 7_000] as const;
/** Milliseconds to begin and end a fault, beside the fault itself. */
const HANDLING_MS = 1_500;
const DRAWS = 9_999;

/** The faults of a drill, in order. Each kind is played once before any is repeated. The same seed, kinds and length give the same plan. */
export function planFaults(seed: number, kinds: readonly Plannable[], lengthMs: number): PlannedFault[] {
  const chance = new SeededChance(seed);
  const plan: PlannedFault[] = [];
  let at = FIRST_MS;
  while (kinds.length > 0) {
    for (const { name, lasts } of chance.shuffled(kinds)) {
      const [least, most] = lasts;
      const forMs = chance.between(Math.round(least * 1_000), Math.round(most * 1_000));
      if (at + forMs > lengthMs) return plan;
      plan.push({ kind: name, at, forMs, draw: chance.between(0, DRAWS) });
      at += forMs + HANDLING_MS + chance.between(...GAP_MS);
    }
  }
  return plan;
}
