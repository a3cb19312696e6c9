import { createHmac, type Hmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { GatewayError } from '../../domain/errors.js';
import { type JsonObject, parseObject } from '../../domain/json.js';

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
const PRIVATE_FILE = 0o600;
const NOTHING = Buffer.alloc(0);

function headOf(type: FrameType, { length }: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_LENGTH);
  head.writeUInt8(TYPES.indexOf(type));
  head.writeUInt32BE(length, 1);
  return head;
}

/** Writes a backup beside its place, and moves it there when it is complete. */
export class BackupWriter {
  readonly #path: string;
  /** The file beside the place; its name is random, so that no other backup writes to it. */
  readonly #part: string;
  readonly #handle: FileHandle;
  readonly #mac: Hmac;
  #bytes = 0;
  #isSigned = false;

  private constructor(path: string, part: string, handle: FileHandle, key: Uint8Array) {
    this.#path = path;
    this.#part = part;
    this.#handle = handle;
    this.#mac = createHmac('sha256', key);
  }

  /** @throws the file system's error */
  static async create(path: string, key: Uint8Array): Promise<BackupWriter> {
    const part = `${path}.${randomBytes(6).toString('hex')}.part`;
    const writer = new BackupWriter(path, part, await open(part, 'wx', PRIVATE_FILE), key);
    try {
      await writer.#write(MAGIC);
      return writer;
    } catch (error) {
      await writer.abort();
      throw error;
    }
  }

  async frame(type: FrameType, content: Uint8Array = NOTHING): Promise<void> {
    await this.#write(headOf(type, content));
    await this.#write(content);
  }

  json(type: FrameType, value: object): Promise<void> {
    return this.frame(type, Buffer.from(JSON.stringify(value)));
  }

  /** @returns the length in bytes @throws the file system's error, also if there is a file at the place meanwhile */
  async finish(): Promise<number> {
    this.#isSigned = true;
    await this.frame('mac', this.#mac.digest());
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

  async #write(bytes: Uint8Array): Promise<void> {
    if (!this.#isSigned) this.#mac.update(bytes);
    this.#bytes += bytes.length;
    if (bytes.length > 0) await this.#handle.writeFile(bytes);
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
  content: Buffer;
}

/** The frames of a backup, one at a time; `mac` is the last one. @throws GatewayError `backup_damaged` */
async function* framesOf(path: string): AsyncGenerator<Frame> {
  const handle = await open(path, 'r');
  try {
    let position = 0;
    const read = async (length: number) => {
      const bytes = Buffer.alloc(length);
      for (let filled = 0; filled < length; ) {
        const { bytesRead } = await handle.read(bytes, filled, length - filled, position);
        if (bytesRead === 0) throw damaged('it is cut off');
        filled += bytesRead;
        position += bytesRead;
      }
      return bytes;
    };
    if (!MAGIC.equals(await read(MAGIC.length))) throw damaged('it is no backup of Switchboard');
    for (;;) {
      const head = await read(HEAD_LENGTH);
      const type = TYPES[head.readUInt8()];
      const length = head.readUInt32BE(1);
      if (!type || length > MAX_CONTENT) throw damaged('its content was changed');
      const content = await read(length);
      if (type === 'mac' && (await handle.stat()).size > position) throw damaged('its content was changed');
      yield { type, content };
      if (type === 'mac') return;
    }
  } finally {
    await handle.close();
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
): AsyncGenerator<Frame> {
  let mac: Hmac | undefined;
  for await (const { type, content } of framesOf(path)) {
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
