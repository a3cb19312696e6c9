import { PACED_SESSION } from './settings.js';

/** The participants of a drill. All numbers are invented. */

/** A linked number. */
export interface DrillSession {
  clientId: string;
  number: string;
}

export interface Cast {
  sessions: readonly DrillSession[];
  /** People who write to the sessions and are written to. */
  people: readonly string[];
  /** People who write to nobody, so that a send to them begins a chat. */
  strangers: readonly string[];
}

const PEOPLE = 4;
const STRANGERS = 3;
const SESSIONS_OF_ONE_NODE = 3;
const SESSIONS_PER_NODE = 2;

const numbers = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index + 1).padStart(3, '0')}`);

/** The cast for a number of nodes; sends of the last session are held by a policy. */
export function castFor(nodes: number): Cast {
  const count = nodes === 1 ? SESSIONS_OF_ONE_NODE : nodes * SESSIONS_PER_NODE;
  const sessions = numbers('+15550100', count).map((number, index) => ({
    number,
    clientId: index === count - 1 ? PACED_SESSION : `drill${index + 1}`,
  }));
  return { sessions, people: numbers('+15550200', PEOPLE), strangers: numbers('+15550300', STRANGERS) };
}
