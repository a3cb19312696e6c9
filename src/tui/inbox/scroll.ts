/** A message as rows of the screen. */
export interface Block {
  messageId: string;
  /** Rows that it takes. */
  rows: number;
  /** Rows of all messages before it. */
  start: number;
}

/** The last row that is seen: the so many-th row of a message. It stays where it is when messages come before or after it. */
export interface Bottom {
  messageId: string;
  row: number;
}

/** The rows that are seen, of all: from `first` up to and without `end`. */
export interface Seen {
  first: number;
  end: number;
}

/** What is seen of the messages on so many rows. */
export function seen(blocks: readonly Block[], bottom: Bottom | undefined, rows: number): Seen {
  const total = totalRows(blocks);
  const block = bottom && blocks.find(({ messageId }) => messageId === bottom.messageId);
  const wanted = bottom && block ? block.start + Math.min(bottom.row, block.rows - 1) + 1 : total;
  // the beginning stands at the top rather than halfway down
  const end = Math.min(total, Math.max(wanted, rows));
  return { first: Math.max(0, end - rows), end };
}

/** Further up by so many rows; down when negative. */
export function scrolled(
  blocks: readonly Block[],
  bottom: Bottom | undefined,
  rows: number,
  up: number,
): Bottom | undefined {
  return bottomAt(blocks, seen(blocks, bottom, rows).end - up, rows);
}

/** As little further as it takes to see a message; its end when it is larger than the screen. */
export function revealed(
  blocks: readonly Block[],
  bottom: Bottom | undefined,
  rows: number,
  messageId: string,
): Bottom | undefined {
  const block = blocks.find((candidate) => candidate.messageId === messageId);
  if (!block) return bottom;
  const { first, end } = seen(blocks, bottom, rows);
  const blockEnd = block.start + block.rows;
  if (blockEnd > end || block.rows > rows) return bottomAt(blocks, blockEnd, rows);
  if (block.start < first) return bottomAt(blocks, block.start + rows, rows);
  return bottom;
}

/** A message with others around it, unless it is seen already. */
export function centred(
  blocks: readonly Block[],
  bottom: Bottom | undefined,
  rows: number,
  messageId: string,
): Bottom | undefined {
  const block = blocks.find((candidate) => candidate.messageId === messageId);
  const { first, end } = seen(blocks, bottom, rows);
  if (!block || (block.start >= first && block.start + block.rows <= end)) return bottom;
  const below = Math.max(0, Math.floor((rows - block.rows) / 2));
  return bottomAt(blocks, block.start + block.rows + below, rows);
}

/** The message on the first row that is seen whole, or else the one that fills the screen. */
export function firstSeen(
  blocks: readonly Block[],
  bottom: Bottom | undefined,
  rows: number,
): Block | undefined {
  const { first } = seen(blocks, bottom, rows);
  return blocks.find(({ start }) => start >= first) ?? blocks.at(-1);
}

export function totalRows(blocks: readonly Block[]): number {
  const last = blocks.at(-1);
  return last ? last.start + last.rows : 0;
}

function bottomAt(blocks: readonly Block[], wanted: number, rows: number): Bottom | undefined {
  const total = totalRows(blocks);
  const end = Math.max(Math.min(wanted, total), Math.min(rows, total));
  if (end >= total) return undefined;
  const block = blocks.findLast(({ start }) => start < end);
  return block && { messageId: block.messageId, row: end - 1 - block.start };
}
