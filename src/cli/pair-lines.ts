import type { Output } from './output.js';
import { isPairEnd, type PairEnd, type PairItem } from './pair.js';

/** Follows a pairing to its end, showing each step. */
export type PairRenderer = (items: AsyncIterable<PairItem>) => Promise<PairEnd>;

/** For a pipe: one line for each step, its kind first. A failure is left to the caller to print. */
export function renderPairLines(output: Output): PairRenderer {
  return (items) =>
    untilEnd(items, (item) => {
      if (item.type === 'status') output.line(`status ${item.status}`);
      if (item.type === 'qr') output.line(`qr ${item.qr}`);
      if (item.type === 'code') output.line(`code ${item.code}`);
      if (item.type === 'history') output.line(`history ${item.progress} ${item.messages}`);
      if (item.type === 'connected') output.line(`connected ${item.jid}`);
    });
}

/** For programs: each step as it is, one JSON value per line. */
export function renderPairJson(output: Output): PairRenderer {
  return (items) => untilEnd(items, (item) => output.json(item));
}

async function untilEnd(items: AsyncIterable<PairItem>, show: (item: PairItem) => void): Promise<PairEnd> {
  for await (const item of items) {
    show(item);
    if (isPairEnd(item)) return item;
  }
  throw new Error('the pairing ended without its last item');
}
