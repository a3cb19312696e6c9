import Joi from 'joi';
import type { ClockView } from '../../contract/sandbox/index.js';
import { DAY_MS } from '../../domain/clock.js';
import type { State } from '../store/state.js';
import { readRow } from '../store/stored-row.js';
import { Refusal } from '../wire/refusals.js';
import type { Network } from './network.js';

const CLOCK_KEY = 'clock';
const ROW = Joi.object<{ aheadMs: number }>({ aheadMs: Joi.number().min(0).required() }).unknown();
/** The certificates that the network has shown are valid for ten years. */
const MOST_DAYS_AHEAD = 5 * 365;

export function viewTime({ clock }: Network): ClockView {
  return { now: clock.now(), ahead: clock.aheadMs };
}

/**
 * Moves the network's clock, and that of whoever shares it. Resolves when what is due by then has begun. The network never goes back, also
 * after a restart.
 * @throws Refusal 400 when it would be too far ahead
 */
export async function advanceTime(network: Network, ms: number): Promise<void> {
  const { clock, state } = network;
  if (clock.aheadMs + ms > MOST_DAYS_AHEAD * DAY_MS)
    throw new Refusal('clock_too_far', `"advance" may take the clock ${MOST_DAYS_AHEAD}d ahead at most`);
  const moved = clock.advance(ms);
  const { aheadMs } = clock;
  state.put('network', CLOCK_KEY, () => JSON.stringify({ aheadMs }));
  // at once: what others store from now on has the new time
  state.flush();
  await moved;
}

/** Milliseconds that the clock of the stored network is ahead. */
export function storedAheadMs(state: State): number {
  const [row] = state.rows('network').filter(([key]) => key === CLOCK_KEY);
  return row ? readRow(ROW, row[1]).aheadMs : 0;
}
