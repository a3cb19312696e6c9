import type { Clock } from '../../../domain/clock.js';
import { errorMessage } from '../../../domain/errors.js';
import { plainLine } from '../../../domain/text.js';
import type { DaemonClient } from '../client.js';
import { CliError } from '../errors.js';
import { isLostAnswer } from '../send.js';
import type { StateBox } from '../state-box.js';
import type { InboxState, Notice } from './model.js';
import { type Phones, withPhone } from './room-item.js';

export interface InboxContext {
  client: DaemonClient;
  clock: Clock;
  box: StateBox<InboxState>;
  phones: Phones;
  /** Aborts when the inbox is closed. */
  signal: AbortSignal;
}

export function say({ box }: InboxContext, notice: Notice): void {
  box.update((state) => ({ ...state, notice }));
}

/** Shows an error as the notice. */
export function report(context: InboxContext, error: unknown): void {
  const text = plainLine(errorMessage(error));
  const suggestions = error instanceof CliError ? error.suggestions : [];
  const isAway = error instanceof CliError && error.failure === 'unreachable' && !isLostAnswer(error);
  say(context, { level: 'error', text, suggestions, untilBack: isAway || undefined });
}

/** Remembers the phone number of a person and shows it in their room. */
export function learnPhone({ box, phones }: InboxContext, jid: string, phone: string): void {
  if (!phones.learn(jid, phone)) return;
  box.update((state) => ({ ...state, rooms: state.rooms.map((room) => withPhone(room, phones)) }));
}

/** Reports a failed load, unless the state already shows a lost connection. @returns true if a retry makes sense */
export function isPassing(context: InboxContext, error: unknown): boolean {
  const passing = !(error instanceof CliError) || PASSING.has(error.failure);
  const known = error instanceof CliError && error.failure === 'unreachable';
  if (!known || context.box.state.connection.state === 'open') report(context, error);
  return passing;
}

const PASSING: ReadonlySet<string> = new Set(['unreachable', 'failure', 'refused', 'conflict']);

export function isGone(error: unknown): boolean {
  return error instanceof CliError && error.failure === 'not_found';
}
