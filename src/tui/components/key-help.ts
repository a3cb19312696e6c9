import { fitLine, fitLines, type Line } from '../text/line.js';

export interface KeySection {
  title: string;
  /** Each key, or keys, and what it does. */
  keys: readonly (readonly [string, string])[];
}

/** Columns of one column of help. */
const COLUMN = 46;
const KEY = 13;

/**
 * All keys on a whole screen: exactly these rows of exactly these columns.
 * @param scrolled rows above the screen, where not all fit.
 */
export function keyHelpLines(
  sections: readonly KeySection[],
  columns: number,
  rows: number,
  scrolled = 0,
): Line[] {
  const lines = sections.flatMap(sectionLines);
  const body = Math.max(1, rows - 1);
  const beside = Math.max(1, Math.floor(columns / COLUMN));
  const fits = lines.length <= body * beside;
  const footer = fits ? ' Any key goes back' : ' j k scroll, any other key goes back';
  const shown = fits ? inColumns(lines, body, beside) : lines.slice(Math.min(scrolled, lines.length - body));
  return fitLines([...shown.slice(0, body), [{ text: footer, dim: true }]], columns, rows);
}

/** How far one can scroll; 0 where everything is seen. */
export function keyHelpOverflow(sections: readonly KeySection[], columns: number, rows: number): number {
  const lines = sections.flatMap(sectionLines).length;
  const body = Math.max(1, rows - 1);
  const fits = lines <= body * Math.max(1, Math.floor(columns / COLUMN));
  return fits ? 0 : lines - body;
}

function inColumns(lines: readonly Line[], rows: number, beside: number): Line[] {
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: beside }, (_, column) => fitLine(lines[column * rows + row] ?? [], COLUMN)).flat(),
  );
}

function sectionLines({ title, keys }: KeySection): Line[] {
  return [
    [{ text: ` ${title}`, bold: true }],
    ...keys.map(([key, does]) => [{ text: ` ${key.padEnd(KEY)} `, color: 'cyan' as const }, { text: does }]),
    [],
  ];
}
