import stringWidth from 'string-width';

/** A grapheme cluster, and its columns on a terminal: 1 or 2, sometimes more, never 0. */
export interface Grapheme {
  text: string;
  columns: number;
}

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const ASCII = /^[\u0020-\u007e]*$/;
/** Code points of one cluster, at most: more combining marks would be drawn over the rows above and below. */
const MOST_CODE_POINTS = 12;

/** Cached widths, at most: segmenting is slow, and the same lines are drawn again and again. */
const MOST_KNOWN = 20_000;
const widths = new Map<string, number>();
const texts = new Map<string, number>();

/** Printable ASCII: each code unit is one cluster of one column. */
export function isPlain(text: string): boolean {
  return ASCII.test(text);
}

/** Counts the columns of a text. */
export function columnsOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  return remembered(texts, text, () => graphemes(text).reduce((sum, { columns }) => sum + columns, 0));
}

/** Splits a text into grapheme clusters, without those that have no column of their own. */
export function graphemes(text: string): Grapheme[] {
  if (ASCII.test(text)) return plainCharacters(text);
  const all: Grapheme[] = [];
  const runs = text.match(RUNS) ?? [];
  for (const [place, run] of runs.entries()) {
    if (ASCII.test(run)) {
      // the next run may begin with a mark on the last character
      all.push(...plainCharacters(place < runs.length - 1 ? run.slice(0, -1) : run));
      continue;
    }
    const before = place > 0 ? (runs[place - 1]?.slice(-1) ?? '') : '';
    for (const { segment } of SEGMENTER.segment(before + run)) {
      const columns = graphemeColumns(segment);
      if (columns > 0) all.push({ text: tame(segment), columns });
    }
  }
  return all;
}

/** Runs of printable ASCII, where each code unit is one cluster, and runs of everything else. */
const RUNS = /[\u0020-\u007e]+|[^\u0020-\u007e]+/g;

function plainCharacters(text: string): Grapheme[] {
  return Array.from(text, (character) => ({ text: character, columns: 1 }));
}

/** Returns the UTF-16 offsets of all cluster starts, and of the end. */
export function boundaries(text: string): number[] {
  return [...[...SEGMENTER.segment(text)].map(({ index }) => index), text.length];
}

/** Counts the columns of one cluster; 0 if it is invisible. */
export function graphemeColumns(segment: string): number {
  if (segment.length === 1 && ASCII.test(segment)) return 1;
  return remembered(widths, segment, () => stringWidth(segment));
}

function remembered(known: Map<string, number>, text: string, measure: () => number): number {
  const before = known.get(text);
  if (before !== undefined) return before;
  if (known.size >= MOST_KNOWN) known.clear();
  const columns = measure();
  known.set(text, columns);
  return columns;
}

function tame(segment: string): string {
  if (segment.length <= MOST_CODE_POINTS) return segment;
  return [...segment].slice(0, MOST_CODE_POINTS).join('');
}
