import { shorten } from './plain-text.js';

const MEGABYTE = 1024 * 1024;
/** Milliseconds between two drawings. */
const EVERY_MS = 100;
const BAR_CELLS = 24;
/** What the bar, the numbers and the blanks between take at most. */
const BESIDE_LABEL = BAR_CELLS + 32;

/** A bar that is drawn over itself, on a terminal only: how far something long has come. */
export class Progress {
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
    if (now - this.#drawnAt < EVERY_MS && this.#done < this.#total) return;
    this.#drawnAt = now;
    this.#stream.write(`\r\u001b[K${this.#line()}`);
  }

  /** Takes the line away. */
  end(): void {
    if (this.#drawnAt > 0) this.#stream.write('\r\u001b[K');
    this.#drawnAt = 0;
  }

  /** Never longer than the terminal is wide: what has wrapped cannot be drawn over. */
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
