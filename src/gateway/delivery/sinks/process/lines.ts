import { StringDecoder } from 'node:string_decoder';

/** Cuts a stream of bytes into lines. */
export class Lines {
  readonly #decoder = new StringDecoder('utf8');
  readonly #most: number;
  #rest = '';

  /** @param most UTF-16 units of a line */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  /** @returns the lines that are complete now; undefined if one is too long */
  take(chunk: Buffer): string[] | undefined {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n');
    this.#rest = lines.pop() ?? '';
    return [...lines, this.#rest].some(({ length }) => length > this.#most) ? undefined : lines;
  }
}
