import { setImmediate } from 'node:timers/promises';

/** Turns of the event loop between two slices. */
const TURNS_APART = 8;

let last: Promise<void> = Promise.resolve();

/**
 * Resolves when the next slice of a file may be worked on: some turns of the event loop after the slice before, of whichever file. So
 * many large files at once leave time to all other requests.
 */
export function nextFileSlice(): Promise<void> {
  last = last.then(turnsLater);
  return last;
}

async function turnsLater(): Promise<void> {
  for (let turn = 0; turn < TURNS_APART; turn++) await setImmediate();
}
