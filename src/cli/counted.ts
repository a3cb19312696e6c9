/** Milliseconds between two drawings. */
const EVERY_MS = 100;

/** A line that is drawn over itself, on a terminal only: how much of something has been done, of nobody knows how much. */
export class Counted {
  readonly #what: (count: number) => string;
  readonly #stream: NodeJS.WriteStream;
  #count = 0;
  #drawnAt = 0;

  /** @param what the line for a count */
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
    this.#stream.write(`\r\u001b[K${this.#what(this.#count)}`);
  }

  /** Takes the line away. */
  end(): void {
    if (this.#drawnAt > 0) this.#stream.write('\r\u001b[K');
  }
}
