import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { MediaKind } from '../../contract/sandbox/index.js';
import type { Clock } from '../../domain/clock.js';
import { Refusal } from '../wire/refusals.js';
import { FileStore, type Flow, type MediaFolder, type StoredFile } from './store.js';

/**
 * The network's media hosts, in the order in which clients try them. They have the names of the real hosts; clients
 * send all traffic for them to the sandbox.
 */
export const MEDIA_HOSTS = ['mmg.whatsapp.net', 'mmg-fna.whatsapp.net'] as const;

/** Where parts of the history are. */
export const HISTORY_FOLDER = 'md-msg-hist';

const BLOB_PATH = /\/v\/[a-z-]+\/([^/]+)\.enc(?:\?|$)/;

/** The words that the network's paths have in their query; `oe` is the end of their life, in hex seconds. */
const PATH_VERSION = '11-4';
const PATH_SID = '5e03e0';
const PATH_END = 'ffffffff';
const PATH_SIGN_CHARS = 22;

/**
 * The path of a file, without the host. It has a query, to which clients append theirs with `&` (whatsmeow `download.go`).
 * The network's media host checks the signature and the end; this one does not: files expire on order.
 */
export function directPath(kind: string, name: string): string {
  const path = `/v/${kind}/${name}.enc`;
  const signature = createHash('sha256').update(path).digest('base64url').slice(0, PATH_SIGN_CHARS);
  const query = { ccb: PATH_VERSION, oh: signature, oe: PATH_END, _nc_sid: PATH_SID };
  return `${path}?${new URLSearchParams(query)}`;
}

/** The path of a file that is not encrypted, as those of channels (whatsapp-rust `download.rs`); with a query, as `directPath`. */
export function plainPath(kind: string, name: string): string {
  return `/newsletter/${kind}/${name}?${new URLSearchParams({ ccb: PATH_VERSION, oe: PATH_END, _nc_sid: PATH_SID })}`;
}

/** The URL that answers an upload. */
export function mediaUrl(path: string): string {
  return `https://${MEDIA_HOSTS[0]}${path}`;
}

/** The file name in a path. */
export function nameInPath(path: string): string | undefined {
  return BLOB_PATH.exec(path)?.[1];
}

/** Stickers are uploaded as images. */
export function uploadKind(kind: MediaKind): string {
  return kind === 'sticker' ? 'image' : kind;
}

const HASH_CHARS = 43;
const SUFFIX_BYTES = 4;
/** SHA-256 in base64url without padding, with a suffix when an earlier upload of the file had expired. */
const BLOB_NAME = /^[\w-]{43}(~[0-9a-f]{8})?$/;

/** Encrypted media files on disk, by the hash of their bytes. */
export class Blobs {
  readonly #store: FileStore;
  readonly #expired = new Set<string>();

  constructor(folder: MediaFolder) {
    this.#store = new FileStore(folder, '');
  }

  /**
   * Stores a file; a refused upload leaves nothing behind.
   * @param hash the expected SHA-256, base64url without padding
   * @returns the name to download it by
   * @throws Refusal 400 when the hash differs, 413 when the file is too large
   */
  async put(flow: Flow, hash?: string): Promise<{ name: string; sha256: Buffer }> {
    return this.#store.put(flow, ({ sha256 }) => {
      const name = sha256.toString('base64url');
      if (hash !== undefined && name !== hash)
        throw new Refusal('media_hash_wrong', 'the bytes do not have the hash that the path names');
      // an expired name never works again
      return this.#expired.has(name) ? `${name}~${randomBytes(SUFFIX_BYTES).toString('hex')}` : name;
    });
  }

  /** Opens a file; undefined when there is none of that name. */
  async get(name: string): Promise<StoredFile | undefined> {
    return BLOB_NAME.test(name) ? this.#store.get(name) : undefined;
  }

  /** Removes a file for good. Nothing happens when there is none of that name. */
  async remove(name: string): Promise<void> {
    if (BLOB_NAME.test(name)) await this.#store.remove(name);
  }

  /** True for the name of an expired file. */
  isExpired(name: string): boolean {
    return this.#expired.has(name);
  }

  /**
   * Expires a file with all its later uploads, or all files.
   * @returns the number of files
   */
  async expire(hash?: string): Promise<number> {
    const names = (await this.#store.names()).filter(
      (name) => hash === undefined || name.slice(0, HASH_CHARS) === hash.slice(0, HASH_CHARS),
    );
    for (const name of names) {
      this.#expired.add(name);
      await this.#store.remove(name);
    }
    return names.length;
  }
}

const HELD_FOLDER = 'held';
/** A SHA-256 in hex. */
const HELD_NAME = /^[0-9a-f]{64}$/;

/** The decrypted files that phones hold, by SHA-256 in hex. All phones share one copy of a file. */
class PhoneFiles {
  readonly #store: FileStore;

  constructor(folder: MediaFolder) {
    this.#store = new FileStore(folder, HELD_FOLDER);
  }

  /**
   * Stores a file.
   * @param expected the expected SHA-256 in hex
   * @throws Error when the hash differs, Refusal 413 when the file is too large
   */
  async put(flow: Flow, expected?: string): Promise<{ sha256: string; size: number }> {
    const { name, size } = await this.#store.put(flow, (measured) => {
      const sha256 = measured.sha256.toString('hex');
      if (expected !== undefined && sha256 !== expected)
        throw new Error('the decrypted file has another hash');
      return sha256;
    });
    return { sha256: name, size };
  }

  async get(sha256: string): Promise<StoredFile | undefined> {
    return HELD_NAME.test(sha256) ? this.#store.get(sha256) : undefined;
  }
}

/** Pictures have their own host. */
const ORIGIN = 'https://pps.whatsapp.net';
const PICTURE_PATH = '/v/pictures';
const TTL_S = 10 * 24 * 60 * 60;
const HEX = 16;

/** Signed URLs of pictures that expire, as on the real network. */
class PictureUrls {
  readonly #key: Buffer;
  readonly #clock: Clock;

  constructor(key: Buffer, clock: Clock) {
    this.#key = key;
    this.#clock = clock;
  }

  /** A URL that is valid for ten days. @param sha256 of the file, hex */
  sign(sha256: string): URL {
    const expiry = (Math.floor(this.#clock.now() / 1_000) + TTL_S).toString(HEX);
    const url = new URL(`${PICTURE_PATH}/${sha256}.jpg`, ORIGIN);
    url.searchParams.set('oh', this.#mac(sha256, expiry));
    url.searchParams.set('oe', expiry);
    return url;
  }

  /** False when the signature is wrong or the URL has expired. */
  isGood(sha256: string, { oh, oe }: { oh: string; oe: string }): boolean {
    const [given, expected] = [Buffer.from(oh), Buffer.from(this.#mac(sha256, oe))];
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
    return Number.parseInt(oe, HEX) * 1_000 > this.#clock.now();
  }

  #mac(sha256: string, expiry: string): string {
    return createHmac('sha256', this.#key).update(`${sha256} ${expiry}`).digest('base64url');
  }
}

const TOKEN_BYTES = 32;

/** Upload tokens; valid while the network runs. */
class MediaTokens {
  readonly #tokens = new Map<string, string>();
  readonly #owners = new Map<string, string>();

  /** The token of the person with a LID; all devices share it. */
  of(lid: string): string {
    const known = this.#tokens.get(lid);
    if (known) return known;
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    this.#tokens.set(lid, token);
    this.#owners.set(token, lid);
    return token;
  }

  /** The LID of the person who got the token. */
  owner(token: string): string | undefined {
    return this.#owners.get(token);
  }
}

const HANDLE_BYTES = 48;

/** Handles of uploads for channels, by which a post names its file; valid while the network runs. */
class MediaHandles {
  readonly #handles = new Set<string>();

  make(): string {
    const handle = randomBytes(HANDLE_BYTES).toString('base64');
    this.#handles.add(handle);
    return handle;
  }

  has(handle: string): boolean {
    return this.#handles.has(handle);
  }
}

/** The network's media hosts and the files that phones hold. */
export class MediaHost {
  readonly blobs: Blobs;
  readonly files: PhoneFiles;
  readonly pictureUrls: PictureUrls;
  readonly tokens = new MediaTokens();
  readonly handles = new MediaHandles();

  /** @param key signs the URLs of pictures */
  constructor(folder: MediaFolder, key: Buffer, clock: Clock) {
    this.blobs = new Blobs(folder);
    this.files = new PhoneFiles(folder);
    this.pictureUrls = new PictureUrls(key, clock);
  }
}
