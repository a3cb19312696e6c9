import Joi from 'joi';
import { DAY_MS } from '../../domain/clock.js';
import { durationMs } from '../../domain/duration.js';
import { readRow } from '../store/rows.js';
import type { State } from '../store/state.js';
import { Refusal } from '../wire/refusals.js';
import type { Network } from './network.js';

const CLOCK_KEY = 'clock';
const ROW = Joi.object<{ aheadMs: number }>({ aheadMs: Joi.number().min(0).required() }).unknown();
/** The certificates that the network has shown are valid for ten years. */
const MOST_DAYS_AHEAD = 5 * 365;

/** The network's time. */
export interface ClockView {
  /** Milliseconds since the epoch. */
  now: number;
  /** Milliseconds that it is ahead of the machine's time. */
  ahead: number;
}

/** How long a clock is moved forward: `30s`, `5m`, `2h`, `3d`. */
export const advanceField = Joi.string()
  .custom((text: string, { message }) => {
    const ms = Math.round(durationMs(text) ?? 0);
    return ms > 0 ? ms : message({ custom: '{{#label}} must be a time such as 30s, 5m, 2h or 3d' });
  })
  .messages({ 'string.base': '{{#label}} needs a unit: 30s, 5m, 2h or 3d' });

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
    throw new Refusal(400, `"advance" may take the clock ${MOST_DAYS_AHEAD}d ahead at most`);
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
