import { cutLine, fitLine, fitLines, type Line, lineColumns, type Span, sliceLine } from './text/line.js';

const THIN = { corners: '╭╮╰╯', side: '│', bar: '─' };
/** Marks the pane with the focus without colours. */
const HEAVY = { corners: '┏┓┗┛', side: '┃', bar: '━' };

export interface Pane {
  title: Line;
  /** At the right end of the upper edge. */
  about?: Line;
  /** At the right end of the lower edge. */
  below?: Line;
  isFocused: boolean;
  /** Without colours the frame of the pane with the focus is heavy. */
  color: boolean;
  columns: number;
  rows: number;
  /** `title` draws the upper edge only, for small terminals. */
  frame?: 'full' | 'title';
}

/** The columns and rows inside of the frame. */
export function insideOf({ columns, rows, frame }: Pick<Pane, 'columns' | 'rows' | 'frame'>): {
  columns: number;
  rows: number;
} {
  if (frame === 'title') return { columns, rows: Math.max(0, rows - 1) };
  return { columns: Math.max(1, columns - 2), rows: Math.max(0, rows - 2) };
}

/** Draws a frame with a title around the lines: exactly the rows and columns of the pane. */
export function paneLines(pane: Pane, lines: readonly Line[]): Line[] {
  const inside = insideOf(pane);
  const body = fitLines(lines, inside.columns, inside.rows);
  const { corners, side, bar } = pane.isFocused && !pane.color ? HEAVY : THIN;
  const ink: Omit<Span, 'text'> = { color: pane.isFocused ? 'accent' : 'border' };
  const [upperLeft = '', upperRight = '', lowerLeft = '', lowerRight = ''] = corners;
  const edge = (left: string, right: string, title: Line, end: Line): Line =>
    edgeLine({ left, right, bar, ink, title, end, columns: pane.columns });
  const title = pane.isFocused
    ? pane.title.map((span) => ({ color: 'accent' as const, ...span, bold: true }))
    : pane.title;
  const top = edge(upperLeft, upperRight, title, pane.about ?? []);
  if (pane.frame === 'title') return [top, ...body].slice(0, Math.max(1, pane.rows));
  const wall: Span = { ...ink, text: side };
  return [
    top,
    ...body.map((line): Line => [wall, ...line, wall]),
    edge(lowerLeft, lowerRight, [], pane.below ?? []),
  ];
}

function edgeLine({
  left,
  right,
  bar,
  ink,
  title,
  end,
  columns,
}: {
  left: string;
  right: string;
  bar: string;
  ink: Omit<Span, 'text'>;
  title: Line;
  end: Line;
  columns: number;
}): Line {
  const room = Math.max(0, columns - 4);
  const kept = cutLine(title, Math.max(0, room - 2));
  const first: Line = kept.length > 0 ? [{ text: ' ' }, ...kept, { text: ' ' }] : [];
  const last = cutLine(end, Math.max(0, room - lineColumns(first) - 3));
  const second: Line = lineColumns(last) > 0 ? [{ text: ' ' }, ...last, { text: ' ' }] : [];
  const bars = Math.max(0, columns - 4 - lineColumns(first) - lineColumns(second));
  return fitLine(
    [
      { ...ink, text: left + bar },
      ...first,
      { ...ink, text: bar.repeat(bars) },
      ...second,
      { ...ink, text: bar + right },
    ],
    columns,
  );
}

/** Draws lines over a part of the screen, as a window. */
export function drawOver(
  screen: readonly Line[],
  window: readonly Line[],
  { top, left }: { top: number; left: number },
): Line[] {
  return screen.map((line, row) => {
    const over = window[row - top];
    if (!over) return line;
    const end = left + lineColumns(over);
    return [...sliceLine(line, 0, left), ...over, ...sliceLine(line, end, Math.max(end, lineColumns(line)))];
  });
}

/** A key and what it does, such as `r reply`. */
export type Hint = readonly [key: string, does: string];

/** Draws the last row: the keys that work now, the most important first, as many as fit. */
export function hintLine(hints: readonly Hint[], columns: number): Line {
  const shown: Span[] = [{ text: ' ', back: 'bar' }];
  let left = columns - 1;
  for (const [key, does] of hints) {
    const part: Line = [
      { text: key, bold: true, color: 'accent', back: 'bar' },
      { text: ` ${does}  `, back: 'bar' },
    ];
    const width = lineColumns(part);
    // the gap after the last hint may be cut
    if (width - 2 > left) break;
    shown.push(...part);
    left -= width;
  }
  return fitLine(sliceLine(shown, 0, columns), columns, { back: 'bar' });
}
