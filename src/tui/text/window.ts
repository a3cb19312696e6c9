/** The first of the items that are shown when not all fit: the selected one stands in the middle where it can. */
export function windowStart(count: number, selected: number, rows: number): number {
  return Math.max(0, Math.min(selected - Math.floor(rows / 2), count - rows));
}

/** The index after moving by so many, within a list. */
export function moved(index: number, by: number, count: number): number {
  return Math.max(0, Math.min(index + by, count - 1));
}
