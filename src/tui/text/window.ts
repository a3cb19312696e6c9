/** The first of the items that are shown when not all fit: the selected one stands in the middle where it can. */
export function windowStart(count: number, selected: number, rows: number): number {
  return Math.max(0, Math.min(selected - Math.floor(rows / 2), count - rows));
}

/** The index after moving by so many, within a list. */
export function moved(index: number, by: number, count: number): number {
  return Math.max(0, Math.min(index + by, count - 1));
}

/** Rows that a page is taken for. */
const PAGE = 10;

/** How far keys move through a list. */
export const STEPS: Readonly<Record<string, number>> = {
  up: -1,
  k: -1,
  down: 1,
  j: 1,
  pageup: -PAGE,
  pagedown: PAGE,
  home: Number.NEGATIVE_INFINITY,
  g: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
  G: Number.POSITIVE_INFINITY,
};
