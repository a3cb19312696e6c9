import type { TailEntry } from '../delivery/tail.js';

/** What came of an attempt, or of a delivery that was given up. */
export const OUTCOMES = ['delivered', 'rejected', 'failed', 'dropped'] as const;
/** Of those, what an operator has to look at. */
export const ERRORS: readonly Outcome[] = ['rejected', 'failed', 'dropped'];

export type Outcome = (typeof OUTCOMES)[number];

/** What is shown of a tail; an absent or empty list lets everything through. */
export interface TailFilter {
  /** Of events, attempts and drops. */
  types?: readonly string[];
  /** Attempts and drops only: an event has none. */
  outcomes?: readonly string[];
}

/** Entries of kinds that we do not know have neither type nor outcome, and pass only where neither is asked for. */
export function passes(entry: TailEntry, { types = [], outcomes = [] }: TailFilter): boolean {
  return holds(types, typeOf(entry)) && holds(outcomes, outcomeOf(entry));
}

function holds(wanted: readonly string[], value: string): boolean {
  return wanted.length === 0 || wanted.includes(value);
}

function typeOf(entry: TailEntry): string {
  return (entry.kind === 'event' ? entry.event.type : entry.type) ?? '';
}

function outcomeOf(entry: TailEntry): string {
  if (entry.kind === 'dropped') return 'dropped';
  return entry.kind === 'attempt' ? entry.outcome : '';
}
