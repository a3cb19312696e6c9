const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;
/** Bytes of the longest number, and of the longest head of a field, which is its tag and its length. */
const LONGEST_VARINT = 10;
const LONGEST_HEAD = 2 * LONGEST_VARINT;
const SEVEN_BITS = 7n;

/** The head of a field of a protocol buffer. */
export interface Field {
  number: number;
  /** The value of a number; undefined for all other types. */
  value: bigint | undefined;
  /** Bytes of the value that follows. */
  length: number;
}

/** Reads a streamed protocol buffer field by field, without holding the whole of it. */
export class FieldReader {
  /** Bytes read so far. */
  position = 0;
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /**
   * The next field before `end`; take or skip its value before the next call.
   * @returns undefined at the end
   * @throws Error when the stream is no protocol buffer
   */
  async next(end = Number.POSITIVE_INFINITY): Promise<Field | undefined> {
    if (this.position >= end || (await this.#buffer(LONGEST_HEAD)) === 0) return undefined;
    const tag = Number(this.#varint());
    const number = Math.floor(tag / 8);
    const type = tag % 8;
    if (type === VARINT) return { number, value: this.#varint(), length: 0 };
    if (type === BYTES) return { number, value: undefined, length: Number(this.#varint()) };
    if (type === FIXED64) return { number, value: undefined, length: 8 };
    if (type === FIXED32) return { number, value: undefined, length: 4 };
    throw new Error(`a history has a field of the unknown type ${type}`);
  }

  /** The value of a field. @throws Error when the stream ends within it */
  async take({ length }: Field): Promise<Buffer> {
    if ((await this.#buffer(length)) < length) throw new Error('a history ends within a field');
    return this.#cut(length);
  }

  /** Skips the value of a field. @throws Error when the stream ends within it */
  async skip({ length }: Field): Promise<void> {
    for (let left = length; left > 0; ) {
      const here = Math.min(left, await this.#buffer(1));
      if (here === 0) throw new Error('a history ends within a field');
      left -= this.#cut(here).length;
    }
  }

  /** Ends the stream. */
  async close(): Promise<void> {
    await this.#pieces.return?.();
  }

  /** Buffers so many bytes. @returns the number of buffered bytes: fewer only at the end */
  async #buffer(bytes: number): Promise<number> {
    if (this.#rest.length >= bytes) return this.#rest.length;
    const pieces = [this.#rest];
    let length = this.#rest.length;
    while (length < bytes) {
      const { done, value } = await this.#pieces.next();
      if (done) break;
      pieces.push(value);
      length += value.length;
    }
    this.#rest = Buffer.concat(pieces);
    return length;
  }

  #cut(bytes: number): Buffer {
    const taken = this.#rest.subarray(0, bytes);
    this.#rest = this.#rest.subarray(bytes);
    this.position += bytes;
    return taken;
  }

  #varint(): bigint {
    let value = 0n;
    for (let index = 0; index < LONGEST_VARINT; index++) {
      const byte = this.#rest[index];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << (SEVEN_BITS * BigInt(index));
      if (byte < 0x80) {
        this.#cut(index + 1);
        return value;
      }
    }
    throw new Error('a history ends within a number, or has a malformed one');
  }
}
