import type { SessionFacts } from './facts.js';
import type { Room } from './room.js';
import { TROUBLES, type Trouble } from './troubles.js';

/** `warning`: works, but somebody should look at it. `skipped`: could not be looked at, or is not in question here. */
export type Level = 'ok' | 'warning' | 'failed' | 'skipped';

export type Facts = Readonly<Record<string, string | number | boolean>>;

/** What a check came to. */
export interface Finding {
  level: Level;
  /** What is wrong; only with `warning` and `failed`. */
  trouble?: Trouble;
  /** One line for people. */
  detail: string;
  /** What was measured or read, for programs. */
  facts: Facts;
  /** What to do about it; not there when all is well. */
  advice?: string;
}

/** A finding with where it was made. */
export interface CheckResult extends Finding {
  /** The check's name, which never changes. */
  id: string;
  /** The session that it is about. */
  session?: string;
}

export interface AnyCheck {
  id: string;
  /** Checks that must not have failed for this one to make sense: they stand before it in the list. */
  needs: readonly string[];
  /** Milliseconds, when it takes longer than others. */
  timeoutMs?: number;
}

/** Looks at one thing. */
export interface GeneralCheck extends AnyCheck {
  look(room: Room): Promise<Finding>;
}

/** Looks at one thing of each session. */
export interface SessionCheck extends AnyCheck {
  lookAt(session: SessionFacts, room: Room): Promise<Finding>;
}

export function fine(detail: string, facts: Facts = {}): Finding {
  return { level: 'ok', detail, facts };
}

/** @param why it was not looked at */
export function skipped(why: string): Finding {
  return { level: 'skipped', detail: why, facts: {} };
}

/** Something is wrong. How bad that is stands in the list of troubles. */
export function wrong(trouble: Trouble, detail: string, advice: string, facts: Facts = {}): Finding {
  return { level: TROUBLES[trouble], trouble, detail, facts, advice };
}
