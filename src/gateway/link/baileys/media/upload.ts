import { Readable } from 'node:stream';
import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  getUrlFromDirectPath,
  MEDIA_PATH_MAP,
  type WASocket,
} from '@whiskeysockets/baileys';
import { request } from 'undici';
import type { Clock } from '../../../../domain/clock.js';
import { GatewayError } from '../../../../domain/errors.js';
import type { MediaSource } from '../../link.js';
import { field, textIn } from '../reasons.js';
import { proxyFailureIn } from '../tunnel.js';
import { encryptFile, plainFile } from './cipher.js';
import { MEDIA_HOST, type MediaRoute } from './route.js';

const ORIGIN = 'https://web.whatsapp.com';
const CREATED = 200;

/** A file to send. */
export interface FileToSend {
  mediaType: MediaSource['mediaType'];
  /** Path on this machine's disk. */
  path: string;
}

/** The fields of an uploaded file in its message. */
interface UploadedFile {
  url: string;
  directPath: string;
  mediaKey: Uint8Array;
  fileSha256: Uint8Array;
  fileEncSha256: Uint8Array;
  /** Bytes. */
  fileLength: number;
}

type Place = Pick<UploadedFile, 'url' | 'directPath'>;

/** A file that was uploaded for a channel, where files are not encrypted. */
type PlainUpload = Omit<UploadedFile, 'mediaKey' | 'fileEncSha256'>;

/** What uploads a file for a message; only files of chats have a key. */
export interface FileUploads {
  upload(file: FileToSend): Promise<UploadedFile | PlainUpload>;
}

/** The bytes of an upload, and the path that the hash of these bytes ends. */
interface Upload {
  path: string;
  hash: Uint8Array;
  /** Bytes. */
  size: number;
  body(): AsyncIterable<Buffer>;
}

/** Encrypts files and uploads them to the first host that accepts them. */
export class Uploader {
  readonly #hosts: MediaHostList;
  readonly #route: MediaRoute;
  readonly #ended: AbortSignal;

  /** @param ended aborts uploads: without the connection their messages cannot be sent */
  constructor(hosts: MediaHostList, route: MediaRoute, ended: AbortSignal) {
    this.#hosts = hosts;
    this.#route = route;
    this.#ended = ended;
  }

  /**
   * Tries every host, then queries the hosts again and tries those.
   * @throws GatewayError `send_rejected` with the error of each host, or when the file cannot be read; `proxy_failed`
   */
  async upload({ mediaType, path }: FileToSend): Promise<UploadedFile> {
    const file = await encryptFile(mediaType, path, this.#ended).catch(unreadable);
    const { mediaKey, fileSha256, fileEncSha256, fileLength } = file;
    const answer = await this.#anywhere({
      ...file,
      path: MEDIA_PATH_MAP[mediaType] ?? '',
      hash: fileEncSha256,
    });
    return { ...placeIn(answer), mediaKey, fileSha256, fileEncSha256, fileLength };
  }

  /**
   * Uploads a file for a channel, as it is (whatsmeow `UploadNewsletter`).
   * @returns also the handle, by which the stanza of the post names the file
   * @throws as `upload`
   */
  async uploadPlain({ mediaType, path }: FileToSend): Promise<{ file: PlainUpload; handle: string }> {
    const { fileSha256, fileLength, body } = await plainFile(path, this.#ended).catch(unreadable);
    const upload = { path: `/newsletter/newsletter-${mediaType}`, hash: fileSha256, size: fileLength, body };
    const answer = await this.#anywhere(upload);
    const handle = textIn(answer, 'handle');
    if (!handle) throw refusedByAll(new Set(['the response has no handle']));
    const { url, directPath } = placeIn(answer);
    const address = url || getUrlFromDirectPath(directPath, MEDIA_HOST);
    return { file: { url: address, directPath, fileSha256, fileLength }, handle };
  }

  /** @returns the answer of the first host that takes the file */
  async #anywhere(upload: Upload): Promise<unknown> {
    const failures = new Set<string>();
    const answer =
      (await this.#tryAll(await this.#hosts.get(), upload, failures)) ??
      (await this.#tryAll(await this.#hosts.renew(), upload, failures));
    if (!answer) throw refusedByAll(failures);
    return answer;
  }

  async #tryAll(
    { names, auth }: MediaHosts,
    upload: Upload,
    failures: Set<string>,
  ): Promise<object | undefined> {
    const hash = Buffer.from(upload.hash).toString('base64url');
    const query = new URLSearchParams({ auth, token: hash });
    for (const name of names) {
      try {
        return await this.#post(`https://${name}${upload.path}/${hash}?${query}`, upload);
      } catch (error) {
        this.#ended.throwIfAborted();
        const failure = proxyFailureIn(error);
        if (failure)
          throw new GatewayError(
            'proxy_failed',
            `${failure.message} The file was not uploaded, so nothing was sent.`,
          );
        failures.add(`${name}: ${reasonOf(error)}`);
      }
    }
    return undefined;
  }

  async #post(url: string, file: Upload): Promise<object> {
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
    const answer: unknown = await body.json();
    placeIn(answer);
    return answer instanceof Object ? answer : {};
  }
}

function placeIn(answer: unknown): Place {
  const url = textIn(answer, 'url');
  const directPath = textIn(answer, 'direct_path');
  if (!url && !directPath) throw new Error('the response has no address of the file');
  return { url, directPath };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Node's error for several failed addresses has an empty message
  return error.message || String(field(error, 'code') ?? error.name);
}

function unreadable(cause: unknown): never {
  throw new GatewayError('send_rejected', 'The file could not be read, so nothing was sent.', { cause });
}

function refusedByAll(failures: ReadonlySet<string>): GatewayError {
  return new GatewayError(
    'send_rejected',
    `No media host took the file, so nothing was sent (${[...failures].join('; ')}). Try again.`,
  );
}

/** Hosts that take uploads, and the token for them. */
interface MediaHosts {
  /** In order of preference. */
  names: string[];
  auth: string;
}

/**
 * The network's media hosts, queried on first use and after they expire. The library's own query cannot be repeated once it
 * has failed.
 */
export class MediaHostList {
  readonly #sock: Pick<WASocket, 'query'>;
  readonly #clock: Clock;
  #known: (MediaHosts & { until: number }) | undefined;
  #asking: Promise<MediaHosts> | undefined;

  constructor(sock: Pick<WASocket, 'query'>, clock: Clock) {
    this.#sock = sock;
    this.#clock = clock;
  }

  /** @throws GatewayError `send_rejected` when the network does not answer */
  async get(): Promise<MediaHosts> {
    return this.#known && this.#known.until > this.#clock.now() ? this.#known : this.renew();
  }

  /** Queries the hosts, even before they expire. @throws GatewayError `send_rejected` */
  renew(): Promise<MediaHosts> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<MediaHosts> {
    const answer: BinaryNode | undefined = await this.#sock
      .query({
        tag: 'iq',
        attrs: { type: 'set', xmlns: 'w:m', to: '@s.whatsapp.net' },
        content: [{ tag: 'media_conn', attrs: {} }],
      })
      .catch(untold);
    const node = getBinaryNodeChild(answer, 'media_conn');
    const names = getBinaryNodeChildren(node, 'host').flatMap(({ attrs }) => attrs.hostname ?? []);
    const { auth, ttl } = node?.attrs ?? {};
    if (!auth || names.length === 0) return untold();
    this.#known = { names, auth, until: this.#clock.now() + Number(ttl) * 1000 };
    return this.#known;
  }
}

function untold(cause?: unknown): never {
  throw new GatewayError(
    'send_rejected',
    'The network did not say where files go, so nothing was sent. Try again.',
    { cause },
  );
}
