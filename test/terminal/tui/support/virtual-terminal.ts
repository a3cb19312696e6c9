import { Socket } from 'node:net';
import { UnicodeGraphemesAddon } from '@xterm/addon-unicode-graphemes';
import xterm, { type IBufferCell, type IBufferLine } from '@xterm/headless';
import type { TerminalSize } from '../../../../src/terminal/tui/screen.js';
import type { TerminalStreams } from '../../../../src/terminal/tui/terminal.js';

export interface VirtualTerminalOptions {
  /** Tells the abilities; by default those of `PLAIN_TERMINAL`. */
  env?: NodeJS.ProcessEnv;
  /** Columns and rows at the right and below that the program is not told of, to find what it draws too wide. */
  margin?: number;
  /** Measures each code point of a composed emoji by itself, and most emoji as one column. */
  old?: boolean;
}

/** How a cell looks: colours are numbers of the terminal's palette, or `#rrggbb`. */
export interface CellStyle {
  color?: number | string;
  back?: number | string;
  bold?: true;
  dim?: true;
  italic?: true;
  underline?: true;
  inverse?: true;
  strikethrough?: true;
}

const SHOW_OR_HIDE_CURSOR = 25;
const HYPERLINK = 8;

/** A terminal without a window. A program writes to its streams, and a test reads what people would see. */
export class VirtualTerminal implements TerminalStreams {
  readonly stdin = new Keyboard();
  readonly stdout: Display;
  readonly env: NodeJS.ProcessEnv;
  /** All that was written, in order. */
  readonly written: string[] = [];
  /** Texts that are links. */
  readonly links: { text: string; url: string }[] = [];
  readonly #xterm: InstanceType<typeof xterm.Terminal>;
  readonly #margin: number;
  #size: TerminalSize;
  /** Writes that are not on the screen yet. */
  #pending = 0;
  #showsCursor = true;
  #waiters: (() => boolean)[] = [];

  constructor(
    size: TerminalSize,
    { env = { TERM: 'dumb' }, margin = 0, old = false }: VirtualTerminalOptions = {},
  ) {
    this.env = env;
    this.#size = size;
    this.#margin = margin;
    this.#xterm = new xterm.Terminal({
      cols: size.columns + margin,
      rows: size.rows + margin,
      allowProposedApi: true,
      // as the terminal driver of the system does
      convertEol: true,
    });
    if (!old) this.#xterm.loadAddon(new UnicodeGraphemesAddon());
    this.#watchCursor('h', true);
    this.#watchCursor('l', false);
    this.#watchLinks();
    this.stdout = new Display(size, (text) => this.#write(text));
    // the answers of the terminal
    this.#xterm.onData((text) => this.stdin.push(text));
  }

  /** Everything that stands on the screen, without spaces at the ends of the rows. */
  frame(): string {
    const { columns, rows } = this.#size;
    return this.#rows(0, rows)
      .map((line) => line.translateToString(true, 0, columns).trimEnd())
      .join('\n');
  }

  /** What stands in the margin. */
  outside(): string {
    const { columns, rows } = this.#size;
    const right = this.#rows(0, rows).map((line) => line.translateToString(true, columns));
    const below = this.#rows(rows, rows + this.#margin).map((line) => line.translateToString(true));
    return [...right, ...below].join('').trim();
  }

  /** The style of the first cell with this text. */
  styleOf(text: string): CellStyle {
    for (const line of this.#rows(0, this.#size.rows)) {
      const cells = cellsOf(line);
      const cell = cells[columnOf(text, cells)];
      if (cell) return styleOf(cell);
    }
    throw new Error(`the terminal does not show ${text}, but:\n${this.frame()}`);
  }

  /** The first column of a text, from 0, in each row that has it. */
  columnsOf(text: string): number[] {
    return this.#rows(0, this.#size.rows)
      .map((line) => columnOf(text, cellsOf(line)))
      .filter((column) => column >= 0);
  }

  /** The last character of each row, and its column, from 0. */
  rowEnds(): { text: string; column: number }[] {
    return this.#rows(0, this.#size.rows).map((line) => {
      const texts = cellsOf(line).map((cell) => cell.getChars().trim());
      const column = texts.findLastIndex((text) => text !== '');
      return { text: texts[column] ?? '', column };
    });
  }

  /** The styles of all cells. */
  styles(): CellStyle[] {
    return this.#rows(0, this.#size.rows).flatMap(cellsOf).map(styleOf);
  }

  /** Where the cursor stands, from 0; undefined while it is hidden. */
  get cursor(): { row: number; column: number } | undefined {
    this.#requireDrawn();
    const { cursorX, cursorY } = this.#xterm.buffer.active;
    return this.#showsCursor ? { row: cursorY, column: cursorX } : undefined;
  }

  /** What the terminal does for the program. */
  get modes() {
    this.#requireDrawn();
    const { bracketedPasteMode, mouseTrackingMode, wraparoundMode } = this.#xterm.modes;
    return {
      isAlternate: this.#xterm.buffer.active.type === 'alternate',
      marksPastes: bracketedPasteMode,
      reportsMouse: mouseTrackingMode !== 'none',
      wraps: wraparoundMode,
    };
  }

  /** Resolves with the first screen, the current one included, that fits. */
  frameThat(fits: (frame: string) => boolean): Promise<string> {
    return new Promise((resolve) => {
      this.#wait(() => {
        const frame = this.frame();
        if (!fits(frame)) return false;
        resolve(frame);
        return true;
      });
    });
  }

  /** Resolves once all that was written is on the screen. */
  drawn(): Promise<void> {
    return new Promise((resolve) => {
      this.#wait(() => {
        resolve();
        return true;
      });
    });
  }

  resize(size: TerminalSize): void {
    this.#size = size;
    this.#xterm.resize(size.columns + this.#margin, size.rows + this.#margin);
    Object.assign(this.stdout, size);
    this.stdout.emit('resize');
  }

  #write(text: string): void {
    this.written.push(text);
    this.#pending += 1;
    this.#xterm.write(text, () => {
      this.#pending -= 1;
      this.#look();
    });
  }

  #wait(isDone: () => boolean): void {
    this.#waiters.push(isDone);
    this.#look();
  }

  /** While output is synchronized, or on its way, people see the screen before. */
  #look(): void {
    if (this.#pending > 0 || this.#xterm.modes.synchronizedOutputMode) return;
    this.#waiters = this.#waiters.filter((isDone) => !isDone());
  }

  #requireDrawn(): void {
    if (this.#pending > 0) throw new Error('the terminal has not drawn yet what was written: await drawn()');
  }

  #rows(from: number, to: number): IBufferLine[] {
    this.#requireDrawn();
    const buffer = this.#xterm.buffer.active;
    return Array.from({ length: to - from }, (_, row) => {
      const line = buffer.getLine(buffer.baseY + from + row);
      if (!line) throw new Error(`the terminal has no row ${from + row}`);
      return line;
    });
  }

  #watchCursor(final: string, isShown: boolean): void {
    this.#xterm.parser.registerCsiHandler({ prefix: '?', final }, (modes) => {
      if (modes.includes(SHOW_OR_HIDE_CURSOR)) this.#showsCursor = isShown;
      return false;
    });
  }

  #watchLinks(): void {
    let open: { url: string; column: number } | undefined;
    this.#xterm.parser.registerOscHandler(HYPERLINK, (data) => {
      const { active } = this.#xterm.buffer;
      if (open) {
        const row = active.getLine(active.baseY + active.cursorY);
        const text = row?.translateToString(false, open.column, active.cursorX) ?? '';
        this.links.push({ text, url: open.url });
      }
      const url = data.slice(data.indexOf(';') + 1);
      open = url === '' ? undefined : { url, column: active.cursorX };
      return false;
    });
  }
}

function cellsOf(line: IBufferLine): IBufferCell[] {
  return Array.from({ length: line.length }, (_, x) => line.getCell(x)).filter((cell) => cell !== undefined);
}

function columnOf(text: string, cells: readonly IBufferCell[]): number {
  // the second cell of a wide character is empty
  const texts = cells.map((cell) => cell.getChars() || (cell.getWidth() === 0 ? '' : ' '));
  return texts.findIndex((first, x) => first !== '' && texts.slice(x).join('').startsWith(text));
}

function styleOf(cell: IBufferCell): CellStyle {
  return {
    ...(!cell.isFgDefault() && { color: colorOf(cell.isFgRGB(), cell.getFgColor()) }),
    ...(!cell.isBgDefault() && { back: colorOf(cell.isBgRGB(), cell.getBgColor()) }),
    ...(cell.isBold() && { bold: true }),
    ...(cell.isDim() && { dim: true }),
    ...(cell.isItalic() && { italic: true }),
    ...(cell.isUnderline() && { underline: true }),
    ...(cell.isInverse() && { inverse: true }),
    ...(cell.isStrikethrough() && { strikethrough: true }),
  };
}

function colorOf(isRgb: boolean, color: number): number | string {
  return isRgb ? `#${color.toString(16).padStart(6, '0')}` : color;
}

/** The keyboard: `push` types. */
class Keyboard extends Socket implements NodeJS.ReadStream {
  readonly isTTY = true;
  isRaw = false;
  /** Each change of the raw mode. */
  readonly rawModes: boolean[] = [];

  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw;
    this.rawModes.push(isRaw);
    return this;
  }

  override _read(): void {}

  override ref(): this {
    return this;
  }

  override unref(): this {
    return this;
  }
}

/** What a program takes for a terminal. */
class Display extends Socket implements NodeJS.WriteStream {
  readonly isTTY = true;
  columns: number;
  rows: number;
  readonly #draw: (text: string) => void;

  constructor({ columns, rows }: TerminalSize, draw: (text: string) => void) {
    super();
    this.columns = columns;
    this.rows = rows;
    this.#draw = draw;
  }

  override _write(chunk: unknown, _encoding: BufferEncoding, done: () => void): void {
    this.#draw(String(chunk));
    done();
  }

  getWindowSize(): [number, number] {
    return [this.columns, this.rows];
  }

  getColorDepth(): number {
    return 1;
  }

  hasColors(): boolean {
    return false;
  }

  clearLine(): boolean {
    return unused();
  }

  clearScreenDown(): boolean {
    return unused();
  }

  cursorTo(): boolean {
    return unused();
  }

  moveCursor(): boolean {
    return unused();
  }
}

function unused(): never {
  throw new Error('programs write escape codes');
}
