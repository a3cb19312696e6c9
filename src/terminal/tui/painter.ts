import type { TerminalAbilities } from './terminal.js';
import { type Line, lineColumns, paintedRow } from './text/line.js';

/** Where a painter writes. */
export interface Canvas {
  write(text: string): unknown;
}

/** Makes the terminal show all changes of a frame at once, where it can. */
const BEGIN = '\u001b[?2026h';
const END = '\u001b[?2026l';
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const CLEAR = '\u001b[0m\u001b[2J\u001b[H';
const ERASE_ROW = '\u001b[0m\u001b[2K';

/**
 * Writes whole screens of lines to a terminal, only the rows that changed. Each row begins at an absolute position, so
 * that a row which the terminal draws wider than counted damages no other row.
 */
export class Painter {
  readonly #canvas: Canvas;
  readonly #look: TerminalAbilities;
  /** What each row shows; empty when unknown. */
  #shown: string[] = [];
  #cursor = '';
  #lines: readonly Line[] = [];

  constructor(canvas: Canvas, look: TerminalAbilities) {
    this.#canvas = canvas;
    this.#look = look;
  }

  paint(lines: readonly Line[]): void {
    const isFirst = this.#shown.length !== lines.length;
    const before = isFirst ? [] : this.#shown;
    const rows = lines.map((line) => paintedRow(line, this.#look));
    const changes = rows.map((row, y) => (row === before[y] ? '' : `\u001b[${y + 1};1H${ERASE_ROW}${row}`));
    const cursor = cursorOf(lines);
    const text = (isFirst ? CLEAR : '') + changes.join('');
    this.#lines = lines;
    this.#shown = rows;
    if (text === '' && cursor === this.#cursor) return;
    this.#cursor = cursor;
    this.#canvas.write(BEGIN + HIDE_CURSOR + text + cursor + END);
  }

  /** Paints everything again, because another program wrote on the terminal. */
  repaint(): void {
    this.#shown = [];
    this.paint(this.#lines);
  }
}

/** Moves the terminal's cursor to the span that has it, and shows it. */
function cursorOf(lines: readonly Line[]): string {
  const y = lines.findIndex((line) => line.some(({ cursor }) => cursor));
  const line = lines[y];
  if (!line) return '';
  const x = lineColumns(
    line.slice(
      0,
      line.findIndex(({ cursor }) => cursor),
    ),
  );
  return `\u001b[${y + 1};${x + 1}H${SHOW_CURSOR}`;
}
