import { stripVTControlCharacters } from 'node:util';

const GAP = '  ';
const ASCII = /^[ -~]*$/;

/** Rows of cells as lines in which the columns stand below each other. Cells may be painted, and hold no line breaks. */
export async function columns(rows: readonly (readonly string[])[]): Promise<string[]> {
  const widthOf = await measureFor(rows.flat());
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, widthOf(cell));
  }
  const padded = (cell: string, at: number) => cell + ' '.repeat((widths[at] ?? 0) - widthOf(cell));
  return rows.map((row) => row.map(padded).join(GAP).trimEnd());
}

/** What tells how wide wide characters are takes longer to load than a short command takes to run. */
async function measureFor(cells: readonly string[]): Promise<(cell: string) => number> {
  const bare = (cell: string) => stripVTControlCharacters(cell);
  if (cells.every((cell) => ASCII.test(bare(cell)))) return (cell) => bare(cell).length;
  return (await import('string-width')).default;
}
