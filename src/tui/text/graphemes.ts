import stringWidth from 'string-width';

/** What a reader takes for one character, and the columns that it takes on a terminal: 1 or 2, sometimes more, never 0. */
export interface Grapheme {
  text: string;
  columns: number;
}

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const ASCII = /^[\u0020-\u007e]*$/;
/** Marks that may be heaped upon one character; more of them would run over the lines above and below. */
const MOST_CODE_POINTS = 12;

const widths = new Map<string, number>();
const MOST_WIDTHS = 5_000;

/** The columns that a text takes. */
export function columnsOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of SEGMENTER.segment(text)) columns += graphemeColumns(segment);
  return columns;
}

/** A text in its characters, without those that take no column of their own. */
export function graphemes(text: string): Grapheme[] {
  if (ASCII.test(text)) return [...text].map((character) => ({ text: character, columns: 1 }));
  const all: Grapheme[] = [];
  for (const { segment } of SEGMENTER.segment(text)) {
    const columns = graphemeColumns(segment);
    if (columns > 0) all.push({ text: tame(segment), columns });
  }
  return all;
}

/** Where the characters of a text begin, and its end: UTF-16 offsets. */
export function boundaries(text: string): number[] {
  return [...[...SEGMENTER.segment(text)].map(({ index }) => index), text.length];
}

/** The columns of one character; 0 for one that is not seen. */
export function graphemeColumns(segment: string): number {
  if (segment.length === 1 && ASCII.test(segment)) return 1;
  const known = widths.get(segment);
  if (known !== undefined) return known;
  if (widths.size >= MOST_WIDTHS) widths.clear();
  const columns = stringWidth(segment);
  widths.set(segment, columns);
  return columns;
}

function tame(segment: string): string {
  if (segment.length <= MOST_CODE_POINTS) return segment;
  return [...segment].slice(0, MOST_CODE_POINTS).join('');
}
