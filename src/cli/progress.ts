const MEGABYTE = 1024 * 1024;
/** Milliseconds between two drawings. */
const EVERY_MS = 100;

/** A line that is drawn over itself, on a terminal only: how far something long has come. */
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
  }

  #line(): string {
    if (this.#done >= this.#total) return `${this.#what}: sent, waiting for the answer`;
    const percent = Math.floor((this.#done / this.#total) * 100);
    return `${this.#what}: ${megabytes(this.#done)} of ${megabytes(this.#total)} MB (${percent} %)`;
  }
}

function megabytes(bytes: number): string {
  return (bytes / MEGABYTE).toFixed(1);
}
