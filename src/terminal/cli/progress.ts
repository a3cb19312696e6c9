import { terminalLine } from './output.js';
import { shorten } from './text.js';

const MEGABYTE = 1024 * 1024;
/** Milliseconds between two updates. */
const BAR_EVERY_MS = 100;
const BAR_CELLS = 24;
/** Maximum width of bar, numbers and spaces. */
const BESIDE_LABEL = BAR_CELLS + 32;

/** A progress bar, on a terminal only. */
export class ProgressBar {
  readonly #what: string;
  readonly #total: number;
  readonly #stream: NodeJS.WriteStream;
  #done = 0;
  #drawnAt = 0;

  /** @param total bytes */
  constructor(what: string, total: number, stream: NodeJS.WriteStream = process.stderr) {
    this.#what = what;
    this.#total = total;
    this.#stream = stream;
  }

  add(bytes: number): void {
    this.#done = Math.min(this.#done + bytes, this.#total);
    if (!this.#stream.isTTY) return;
    const now = performance.now();
    if (now - this.#drawnAt < BAR_EVERY_MS && this.#done < this.#total) return;
    this.#drawnAt = now;
    this.#stream.write(`\r\u001b[K${terminalLine(this.#line())}`);
  }

  /** Clears the line. */
  end(): void {
    if (this.#drawnAt > 0) this.#stream.write('\r\u001b[K');
    this.#drawnAt = 0;
  }

  /** Fits the width of the terminal: a wrapped line cannot be overwritten. */
  #line(): string {
    const columns = this.#stream.columns || 80;
    const label = shorten(this.#what, Math.max(columns - BESIDE_LABEL, 8));
    if (this.#done >= this.#total) return shorten(`${label}  sent, waiting for the answer`, columns - 1);
    const part = this.#done / this.#total;
    const filled = Math.floor(part * BAR_CELLS);
    const bar = '█'.repeat(filled).padEnd(BAR_CELLS, '░');
    const numbers = `${Math.floor(part * 100)} %  ${megabytes(this.#done)} of ${megabytes(this.#total)} MB`;
    return shorten(`${label}  ${bar}  ${numbers}`, columns - 1);
  }
}

function megabytes(bytes: number): string {
  return (bytes / MEGABYTE).toFixed(1);
}

/** Milliseconds between two updates. */
const EVERY_MS = 100;

/** A progress line for an unknown total, on a terminal only. */
export class CountLine {
  readonly #what: (count: number) => string;
  readonly #stream: NodeJS.WriteStream;
  #count = 0;
  #drawnAt = 0;

  /** @param what returns the line for a count */
  constructor(what: (count: number) => string, stream: NodeJS.WriteStream = process.stderr) {
    this.#what = what;
    this.#stream = stream;
  }

  add(count: number): void {
    this.#count += count;
    if (!this.#stream.isTTY) return;
    const now = performance.now();
    if (this.#drawnAt > 0 && now - this.#drawnAt < EVERY_MS) return;
    this.#drawnAt = now;
    this.#stream.write(`\r\u001b[K${terminalLine(this.#what(this.#count))}`);
  }

  /** Clears the line. */
  end(): void {
    if (this.#drawnAt > 0) this.#stream.write('\r\u001b[K');
  }
}

/** A line that tells what the command waits for, on a terminal only. */
export class WaitingLine {
  readonly #text: (what: string) => string;
  readonly #stream: NodeJS.WriteStream;
  #shown = false;

  constructor(text: (what: string) => string, stream: NodeJS.WriteStream = process.stderr) {
    this.#text = text;
    this.#stream = stream;
  }

  show(what: string): void {
    if (!this.#stream.isTTY) return;
    this.#stream.write(`\r\u001b[K${terminalLine(this.#text(what))} …`);
    this.#shown = true;
  }

  /** Clears the line. */
  clear(): void {
    if (this.#shown) this.#stream.write('\r\u001b[K');
    this.#shown = false;
  }
}
