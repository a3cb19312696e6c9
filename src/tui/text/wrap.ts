import { columnsOf, type Grapheme, graphemes } from './graphemes.js';

/**
 * A clean text in lines of at most so many columns, broken at spaces where there are any. It goes by characters, unlike
 * `wrap-ansi`, which takes emoji of several parts apart and needs a millisecond for each message.
 */
export function wrapText(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(1, columns)));
}

function wrapLine(line: string, columns: number): string[] {
  if (columnsOf(line) <= columns) return [line];
  const lines: string[] = [];
  let current: Grapheme[] = [];
  let width = 0;
  for (const grapheme of graphemes(line)) {
    // a character that is wider than the line cannot be shown at all
    const shown = grapheme.columns > columns ? { text: '…', columns: 1 } : grapheme;
    if (width + shown.columns > columns) {
      // a space at the end of a line is seen by nobody
      const kept = shown.text === ' ' ? current : current.slice(0, breakAt(current));
      lines.push(textOf(kept).trimEnd());
      current = current.slice(kept.length);
      width = current.reduce((sum, one) => sum + one.columns, 0);
      if (shown.text === ' ') continue;
    }
    current.push(shown);
    width += shown.columns;
  }
  return current.length > 0 ? [...lines, textOf(current)] : lines;
}

/** How many characters stay on the line: up to its last space, or all when it is one word. */
function breakAt(line: readonly Grapheme[]): number {
  const space = line.findLastIndex(({ text }) => text === ' ');
  return space > 0 ? space + 1 : line.length;
}

function textOf(line: readonly Grapheme[]): string {
  return line.map(({ text }) => text).join('');
}
