/** The rows of one message. */
export interface Block {
  messageId: string;
  rows: number;
  /** Rows of all messages before it. */
  start: number;
}

/** The last visible row, as a row of a message. So the position stays when messages are added before or after. */
export interface Bottom {
  messageId: string;
  row: number;
}

/** The visible rows: from `first` up to, not including, `end`. */
export interface Seen {
  first: number;
  end: number;
}

/** The index of each message by its id, for a list that nobody changes. */
const places = new WeakMap<readonly { messageId: string }[], ReadonlyMap<string, number>>();

/** Returns the index of a message, -1 without one. Thousands of messages are looked at for each key. */
export function placeOf(list: readonly { messageId: string }[], messageId: string | undefined): number {
  if (messageId === undefined) return -1;
  const known = places.get(list) ?? new Map(list.map((one, place) => [one.messageId, place]));
  places.set(list, known);
  return known.get(messageId) ?? -1;
}

/** Returns the index of the first block that ends after this row. */
export function placeAfter(blocks: readonly Block[], row: number): number {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const block = blocks[middle];
    if (block && block.start + block.rows <= row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the visible part on a screen of `rows` rows. */
export function seen(blocks: readonly Block[], bottom: Bottom | undefined, rows: number): Seen {
  const total = totalRows(blocks);
  const block = bottom && blocks[placeOf(blocks, bottom.messageId)];
  const wanted = bottom && block ? block.start + Math.min(bottom.row, block.rows - 1) + 1 : total;
  // the first message stays at the top of the screen
  const end = Math.min(total, Math.max(wanted, rows));
  return { first: Math.max(0, end - rows), end };
}

/** Scrolls up by `up` rows, down if negative. */
export function scrolled(
  blocks: readonly Block[],
  bottom: Bottom | undefined,
  rows: number,
  up: number,
): Bottom | undefined {
  return bottomAt(blocks, seen(blocks, bottom, rows).end - up, rows);
}

/** Scrolls as little as possible to show a message; shows the end of one that is larger than the screen. */
export function revealed(
  blocks: readonly Block[],
  bottom: Bottom | undefined,
  rows: number,
  messageId: string,
): Bottom | undefined {
  const block = blocks[placeOf(blocks, messageId)];
  if (!block) return bottom;
  const { first, end } = seen(blocks, bottom, rows);
  const blockEnd = block.start + block.rows;
  if (blockEnd > end || block.rows > rows) return bottomAt(blocks, blockEnd, rows);
  if (block.start < first) return bottomAt(blocks, block.start + rows, rows);
  return bottom;
}

/** Scrolls a message to the middle, unless it is already visible. */
export function centred(
  blocks: readonly Block[],
  bottom: Bottom | undefined,
  rows: number,
  messageId: string,
): Bottom | undefined {
  const block = blocks[placeOf(blocks, messageId)];
  const { first, end } = seen(blocks, bottom, rows);
  if (!block || (block.start >= first && block.start + block.rows <= end)) return bottom;
  const below = Math.max(0, Math.floor((rows - block.rows) / 2));
  return bottomAt(blocks, block.start + block.rows + below, rows);
}

/** Returns the first message whose start is visible, or else the last one. */
export function firstSeen(
  blocks: readonly Block[],
  bottom: Bottom | undefined,
  rows: number,
): Block | undefined {
  const { first } = seen(blocks, bottom, rows);
  const place = placeAfter(blocks, first);
  const isCut = (blocks[place]?.start ?? first) < first;
  return blocks[isCut ? place + 1 : place] ?? blocks.at(-1);
}

export function totalRows(blocks: readonly Block[]): number {
  const last = blocks.at(-1);
  return last ? last.start + last.rows : 0;
}

function bottomAt(blocks: readonly Block[], wanted: number, rows: number): Bottom | undefined {
  const total = totalRows(blocks);
  const end = Math.max(Math.min(wanted, total), Math.min(rows, total));
  if (end >= total) return undefined;
  const block = blocks[placeAfter(blocks, end - 1)];
  return block && { messageId: block.messageId, row: end - 1 - block.start };
}
