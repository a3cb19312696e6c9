/** A line on a terminal that says what is being waited for, until there is something to show. */
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
    this.#stream.write(`\r\u001b[K${this.#text(what)} …`);
    this.#shown = true;
  }

  /** Takes the line away. */
  clear(): void {
    if (this.#shown) this.#stream.write('\r\u001b[K');
    this.#shown = false;
  }
}
