import { createHmac, type Hmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { GatewayError } from '../../../domain/errors.js';
import { type JsonObject, parseObject } from '../../../domain/json.js';

/**
 * A backup is one file: `MAGIC`, and frames of a type (one byte), a length (four bytes, big-endian) and a content.
 *
 * - `head`: JSON: format, time, release, and the store's own data key, wrapped;
 * - `section`: JSON: the next session, with a number. A session that changed too much while it was read has another section
 *   later; `foot` names the one that counts;
 * - `rows`: JSON: rows of one collection of the section's session; bytes are base64;
 * - `piece`, `fileEnd`, `fileGone`: the bytes of the file whose row was the last one in `rows`, and their end. After
 *   `fileGone` the file does not count;
 * - `foot`: JSON: what the backup holds;
 * - `mac`: HMAC-SHA256 of everything before this frame.
 */
const MAGIC = Buffer.from('SWBACKUP');
export type FrameType = 'head' | 'section' | 'rows' | 'piece' | 'fileEnd' | 'fileGone' | 'foot' | 'mac';

const TYPES: readonly FrameType[] = [
  'head',
  'section',
  'rows',
  'piece',
  'fileEnd',
  'fileGone',
  'foot',
  'mac',
];

const HEAD_LENGTH = 5;
/** Bytes. A single row is far smaller; a longer frame is damage. */
const MAX_CONTENT = 64 * 1024 * 1024;
const MAX_HEAD = 64 * 1024;
const PRIVATE_FILE = 0o600;
const NOTHING = Buffer.alloc(0);

function headOf(type: FrameType, { length }: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_LENGTH);
  head.writeUInt8(TYPES.indexOf(type));
  head.writeUInt32BE(length, 1);
  return head;
}

/** A frame of an object as JSON. */
export function jsonFrame(type: FrameType, value: object): Frame {
  return { type, content: Buffer.from(JSON.stringify(value)) };
}

/**
 * The bytes of a backup with these frames, and the signature at its end.
 *
 * @param key signs the backup
 * @returns what the frames return
 */
export async function* signedBytes<Result>(
  key: Uint8Array,
  frames: AsyncGenerator<Frame, Result>,
): AsyncGenerator<Uint8Array, Result> {
  const mac = createHmac('sha256', key).update(MAGIC);
  yield MAGIC;
  try {
    for (;;) {
      const { done, value } = await frames.next();
      if (done) {
        const signature = mac.digest();
        yield Buffer.concat([headOf('mac', signature), signature]);
        return value;
      }
      const { type, content = NOTHING } = value;
      const frame = Buffer.concat([headOf(type, content), content]);
      mac.update(frame);
      yield frame;
    }
  } finally {
    // lets go of what is being read, if the backup was not read to its end
    await frames.throw(new Error('the backup is read no further')).catch(() => undefined);
  }
}

/** Writes a backup beside its place, and moves it there when it is complete. */
export class BackupFile {
  readonly #path: string;
  /** The file beside the place; its name is random, so that no other backup writes to it. */
  readonly #part: string;
  readonly #handle: FileHandle;
  #bytes = 0;

  private constructor(path: string, part: string, handle: FileHandle) {
    this.#path = path;
    this.#part = part;
    this.#handle = handle;
  }

  /** @throws the file system's error */
  static async create(path: string): Promise<BackupFile> {
    const part = `${path}.${randomBytes(6).toString('hex')}.part`;
    return new BackupFile(path, part, await open(part, 'wx', PRIVATE_FILE));
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#bytes += bytes.length;
    await this.#handle.writeFile(bytes);
  }

  /** @returns the length in bytes @throws the file system's error, also if there is a file at the place meanwhile */
  async finish(): Promise<number> {
    await this.#handle.sync();
    await this.#handle.close();
    // fails if there is a file; `rename` alone would replace it
    await (await open(this.#path, 'wx', PRIVATE_FILE)).close();
    try {
      await rename(this.#part, this.#path);
      await syncFolderOf(this.#path);
    } catch (error) {
      await rm(this.#path, { force: true });
      throw error;
    }
    return this.#bytes;
  }

  async abort(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    await rm(this.#part, { force: true }).catch(() => undefined);
  }
}

/** Keeps the name of a file over a loss of power. Windows cannot open a folder, and writes names at once. */
async function syncFolderOf(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(dirname(path), 'r');
  await folder.sync().finally(() => folder.close());
}

export interface Frame {
  type: FrameType;
  /** Nothing unless given. */
  content?: Uint8Array;
}

/** A frame that was read. */
export interface ReadFrame extends Frame {
  content: Buffer;
}

/** Takes pieces of bytes of any length, and gives bytes of a wanted length. */
class ByteQueue {
  readonly #source: AsyncIterator<Uint8Array>;
  #left: Buffer = NOTHING;

  constructor(source: AsyncIterator<Uint8Array>) {
    this.#source = source;
  }

  /** @throws GatewayError `backup_damaged` if there are fewer */
  async take(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let missing = length;
    while (missing > 0) {
      if (this.#left.length === 0 && !(await this.#refill())) throw damaged('it is cut off');
      const piece = this.#left.subarray(0, missing);
      this.#left = this.#left.subarray(piece.length);
      missing -= piece.length;
      pieces.push(piece);
    }
    return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, length);
  }

  async isAtEnd(): Promise<boolean> {
    return this.#left.length === 0 && !(await this.#refill());
  }

  async #refill(): Promise<boolean> {
    for (;;) {
      const { done, value } = await this.#source.next();
      if (done) return false;
      this.#left = Buffer.from(value.buffer, value.byteOffset, value.length);
      if (this.#left.length > 0) return true;
    }
  }
}

/**
 * The frames of a backup, one at a time; `mac` is the last one, and nothing comes after it.
 *
 * @throws GatewayError `backup_damaged`
 */
export async function* framesIn(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ReadFrame> {
  const source = bytes[Symbol.asyncIterator]();
  try {
    const queue = new ByteQueue(source);
    if (!MAGIC.equals(await queue.take(MAGIC.length))) throw damaged('it is no backup of Switchboard');
    for (;;) {
      const head = await queue.take(HEAD_LENGTH);
      const type = TYPES[head.readUInt8()];
      const length = head.readUInt32BE(1);
      // the head is parsed before the file is known to be ours
      if (!type || length > (type === 'head' ? MAX_HEAD : MAX_CONTENT))
        throw damaged('its content was changed');
      const content = await queue.take(length);
      if (type === 'mac' && !(await queue.isAtEnd())) throw damaged('its content was changed');
      yield { type, content };
      if (type === 'mac') return;
    }
  } finally {
    await source.return?.();
  }
}

/**
 * The frames of a backup, one at a time. Reads `mac` only if nothing is missing or was changed before it.
 *
 * @param keyOf the key of the backup with this head
 * @throws GatewayError `backup_damaged`, and errors of `keyOf`
 */
export async function* checkedFrames(
  path: string,
  keyOf: (head: JsonObject) => Uint8Array,
): AsyncGenerator<ReadFrame> {
  let mac: Hmac | undefined;
  for await (const { type, content } of framesIn(createReadStream(path))) {
    if (!mac) {
      if (type !== 'head') throw damaged('its content was changed');
      mac = createHmac('sha256', keyOf(readContent(content))).update(MAGIC);
    }
    if (type === 'mac') {
      const expected = mac.digest();
      const isRight = content.length === expected.length && timingSafeEqual(content, expected);
      if (!isRight) throw damaged('its content was changed');
    } else mac.update(headOf(type, content)).update(content);
    yield { type, content };
  }
}

/** @throws GatewayError `backup_damaged` */
export function readContent(content: Buffer): JsonObject {
  const value = parseObject(content.toString());
  if (!value) throw damaged('its content was changed');
  return value;
}

export function damaged(how: string): GatewayError {
  return new GatewayError('backup_damaged', `The backup cannot be used: ${how}. Nothing was changed.`);
}
