import { setImmediate } from 'node:timers/promises';

/** Turns of the event loop between two slices. */
const TURNS_APART = 8;

let last: Promise<void> = Promise.resolve();

/**
 * Resolves when the next slice of a file may be processed: `TURNS_APART` turns of the event loop after the previous
 * slice of any file. So many large files at once leave time for other requests.
 */
export function nextFileSlice(): Promise<void> {
  last = last.then(turnsLater);
  return last;
}

async function turnsLater(): Promise<void> {
  for (let turn = 0; turn < TURNS_APART; turn++) await setImmediate();
}
