const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;
/** Bytes of the longest number, and of the longest head of a field: its tag and its length. */
const LONGEST_VARINT = 10;
const LONGEST_HEAD = 2 * LONGEST_VARINT;
const SEVEN_BITS = 7n;

/** A field of a protocol buffer, before its value has been read. */
export interface Field {
  number: number;
  /** Of a number; undefined for all others. */
  value: bigint | undefined;
  /** Bytes of a value that has not been read yet. */
  length: number;
}

/** Reads a protocol buffer that comes in pieces, field by field, without ever having the whole of it. */
export class FieldReader {
  /** Bytes that were read so far. */
  position = 0;
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /**
   * The next field before `end`; its value must be read or skipped next.
   * @returns undefined at the end
   * @throws Error when what comes is no protocol buffer
   */
  async next(end = Number.POSITIVE_INFINITY): Promise<Field | undefined> {
    if (this.position >= end || (await this.#have(LONGEST_HEAD)) === 0) return undefined;
    const tag = Number(this.#varint());
    const number = Math.floor(tag / 8);
    const type = tag % 8;
    if (type === VARINT) return { number, value: this.#varint(), length: 0 };
    if (type === BYTES) return { number, value: undefined, length: Number(this.#varint()) };
    if (type === FIXED64) return { number, value: undefined, length: 8 };
    if (type === FIXED32) return { number, value: undefined, length: 4 };
    throw new Error(`a history has a field of the unknown type ${type}`);
  }

  /** The value of a field. @throws Error when there is less of it than it says */
  async take({ length }: Field): Promise<Buffer> {
    if ((await this.#have(length)) < length) throw new Error('a history ends within a field');
    return this.#cut(length);
  }

  /** Passes over the value of a field. @throws Error likewise */
  async skip({ length }: Field): Promise<void> {
    for (let left = length; left > 0; ) {
      const here = Math.min(left, await this.#have(1));
      if (here === 0) throw new Error('a history ends within a field');
      left -= this.#cut(here).length;
    }
  }

  /** Reads nothing more. */
  async close(): Promise<void> {
    await this.#pieces.return?.();
  }

  /** Sees to it that so many bytes are at hand. @returns how many are: fewer only at the end */
  async #have(bytes: number): Promise<number> {
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
    throw new Error('a history ends within a number, or has one that is none');
  }
}
