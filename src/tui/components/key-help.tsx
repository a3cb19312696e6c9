import { cutLine, fitLine, type Line } from '../text/line.js';
import { Lines } from './lines.js';

export interface KeySection {
  title: string;
  /** Each key, or keys, and what it does. */
  keys: readonly (readonly [string, string])[];
}

/** All keys on a whole screen, in as many columns as there is room for. */
export function KeyHelp(props: { sections: readonly KeySection[]; columns: number; rows: number }) {
  return <Lines lines={keyHelpLines(props.sections, props.columns, props.rows)} />;
}

/** Columns of one column of help. */
const COLUMN = 40;
const KEY = 14;

/** The same as lines: exactly these rows of exactly these columns. What does not fit is left out from the end. */
export function keyHelpLines(sections: readonly KeySection[], columns: number, rows: number): Line[] {
  const lines = sections.flatMap(sectionLines);
  const body = Math.max(1, rows - 1);
  const width = Math.min(columns, COLUMN);
  const shown = Array.from({ length: body }, (_, row) =>
    Array.from({ length: Math.max(1, Math.floor(columns / width)) }, (_, column) =>
      fitLine(lines[column * body + row] ?? [], width),
    ).flat(),
  );
  const footer: Line = [{ text: 'Any key goes back', dim: true }];
  return [...shown, footer].slice(0, rows).map((line) => fitLine(cutLine(line, columns), columns));
}

function sectionLines({ title, keys }: KeySection): Line[] {
  return [
    [{ text: ` ${title}`, bold: true }],
    ...keys.map(([key, does]) => [{ text: ` ${key.padEnd(KEY)} `, color: 'cyan' as const }, { text: does }]),
    [],
  ];
}
