import { fitLine, type Line } from '../text/line.js';
import { windowStart } from '../text/window.js';

export interface ListPicture<Item> {
  items: readonly Item[];
  /** An index; the list scrolls so that it is seen. */
  selected: number;
  columns: number;
  /** The list takes exactly these, however many items there are. */
  rows: number;
  /** One item in lines, as many for each item. */
  picture(item: Item, isSelected: boolean): readonly Line[];
  /** What each item takes. */
  rowsPerItem?: number;
  /** Shown when there are no items. */
  empty?: readonly Line[];
}

/** A list of which only the part around the selected item is drawn. */
export function listLines<Item>(list: ListPicture<Item>): Line[] {
  const { items, selected, columns, rows, picture, rowsPerItem = 1, empty = [] } = list;
  const shown = Math.max(1, Math.floor(rows / rowsPerItem));
  const start = windowStart(items.length, selected, shown);
  const lines = items
    .slice(start, start + shown)
    .flatMap((item, place) => picture(item, start + place === selected));
  const all = items.length === 0 ? empty : lines;
  return Array.from({ length: Math.max(0, rows) }, (_, row) => fitLine(all[row] ?? [], columns));
}
