import { Readable } from 'node:stream';
import { MEDIA_PATH_MAP } from '@whiskeysockets/baileys';
import { request } from 'undici';
import { GatewayError } from '../../../domain/errors.js';
import type { MediaSource } from '../../link.js';
import { type EncryptedFile, encryptFile } from './encrypt.js';
import type { MediaHostList, MediaHosts } from './hosts.js';
import type { MediaRoute } from './route.js';

const ORIGIN = 'https://web.whatsapp.com';
const CREATED = 200;

/** A file of a message that is being made. */
export interface FileToSend {
  mediaType: MediaSource['mediaType'];
  /** On this machine's disk. */
  path: string;
}

/** What a message says of its file. */
export interface UploadedFile {
  url: string;
  directPath: string;
  mediaKey: Uint8Array;
  fileSha256: Uint8Array;
  fileEncSha256: Uint8Array;
  /** Bytes. */
  fileLength: number;
}

type Place = Pick<UploadedFile, 'url' | 'directPath'>;

/** Encrypts files and uploads them to the first host that takes them. */
export class Uploader {
  readonly #hosts: MediaHostList;
  readonly #route: MediaRoute;
  readonly #ended: AbortSignal;

  /** @param ended breaks uploads off: what they belong to could not be sent any more */
  constructor(hosts: MediaHostList, route: MediaRoute, ended: AbortSignal) {
    this.#hosts = hosts;
    this.#route = route;
    this.#ended = ended;
  }

  /**
   * Tries every host, and once more those that the network names when it is asked again.
   * @throws GatewayError `send_rejected`: what went wrong at each host, or that the file cannot be read
   */
  async upload({ mediaType, path }: FileToSend): Promise<UploadedFile> {
    const file = await encryptFile(mediaType, path, this.#ended).catch(unreadable);
    const failures = new Set<string>();
    const place =
      (await this.#tryAll(await this.#hosts.get(), mediaType, file, failures)) ??
      (await this.#tryAll(await this.#hosts.renew(), mediaType, file, failures));
    if (!place) throw takenByNone(failures);
    const { mediaKey, fileSha256, fileEncSha256, fileLength } = file;
    return { ...place, mediaKey, fileSha256, fileEncSha256, fileLength };
  }

  async #tryAll(
    { names, auth }: MediaHosts,
    type: MediaSource['mediaType'],
    file: EncryptedFile,
    failures: Set<string>,
  ): Promise<Place | undefined> {
    const hash = Buffer.from(file.fileEncSha256).toString('base64url');
    const query = new URLSearchParams({ auth, token: hash });
    for (const name of names) {
      try {
        return await this.#post(`https://${name}${MEDIA_PATH_MAP[type]}/${hash}?${query}`, file);
      } catch (error) {
        this.#ended.throwIfAborted();
        failures.add(`${name}: ${reasonOf(error)}`);
      }
    }
    return undefined;
  }

  async #post(url: string, file: EncryptedFile): Promise<Place> {
    const { statusCode, body } = await request(url, {
      method: 'POST',
      dispatcher: this.#route.dispatcher,
      signal: this.#ended,
      headers: {
        origin: ORIGIN,
        'content-type': 'application/octet-stream',
        'content-length': String(file.size),
      },
      body: Readable.from(file.body(), { objectMode: false }),
    });
    if (statusCode !== CREATED) {
      await body.dump();
      throw new Error(`HTTP ${statusCode}`);
    }
    return placeIn(await body.json());
  }
}

function placeIn(answer: unknown): Place {
  const url = textIn(answer, 'url');
  const directPath = textIn(answer, 'direct_path');
  if (!url && !directPath) throw new Error('it did not say where the file is');
  return { url, directPath };
}

function textIn(answer: unknown, name: string): string {
  const text: unknown = answer instanceof Object ? Reflect.get(answer, name) : undefined;
  return typeof text === 'string' ? text : '';
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // a failed connection to several addresses has no words of its own
  return error.message || String(Reflect.get(error, 'code') ?? error.name);
}

function unreadable(cause: unknown): never {
  throw new GatewayError('send_rejected', 'The file could not be read, so nothing was sent.', { cause });
}

function takenByNone(failures: ReadonlySet<string>): GatewayError {
  return new GatewayError(
    'send_rejected',
    `No media host took the file, so nothing was sent (${[...failures].join('; ')}). Try again.`,
  );
}
