import type { Readable } from 'node:stream';
import type { Clock } from '../../domain/clock.js';
import { GatewayError } from '../../domain/errors.js';
import type { OutgoingFile } from '../../kinds/kind.js';
import type { Logger } from '../../log.js';
import type { FilePayload, FileSource, SpooledFile } from '../services.js';
import { type FetchedFile, Fetcher } from './fetch.js';
import { fileNameOf } from './file-name.js';
import { essenceOf, typeOfName, weighTypes } from './file-types.js';
import { Inspector } from './inspect/inspector.js';
import { Spool } from './spool.js';

const STICKER_TYPE = 'image/webp';

export interface MediaOptions {
  /** Folder for files on their way; may be shared with other processes. */
  spoolDir: string;
  /** Permits `downloadUrl`s with http, and inside the own network. */
  allowPrivate: boolean;
  clock: Clock;
  log: Logger;
  /** Folders in which ffmpeg and ffprobe are looked for; those of `PATH` unless said otherwise. */
  searchPath?: string;
}

/** What is to be sent: a file, until it is discarded, or a text in its place. */
export type PreparedFile =
  | { file: OutgoingFile; discard(): Promise<void> }
  | { fallback: { /** The caption, if there is one, and the link. */ text: string } };

/** Gets files ready to be sent: brings them to this machine's disk and finds out what phones show of them. */
export class Media {
  readonly #spool: Spool;
  readonly #fetcher: Fetcher;
  readonly #inspector: Inspector;

  constructor({ spoolDir, allowPrivate, clock, log, searchPath = process.env.PATH ?? '' }: MediaOptions) {
    this.#spool = new Spool(spoolDir);
    this.#fetcher = new Fetcher({ allowPrivate, spool: this.#spool, clock });
    this.#inspector = new Inspector({ clock, log, searchPath });
  }

  /** Makes the folder, and removes what runs that died have left in it. */
  async start(): Promise<void> {
    await this.#spool.start();
  }

  /** Breaks off what is under way and removes the folder. */
  async stop(): Promise<void> {
    this.#inspector.stop();
    await this.#fetcher.stop();
    await this.#spool.stop();
  }

  /** Takes an uploaded stream to disk. @throws media_too_large, store_unavailable; then nothing is left behind */
  spool(stream: Readable): Promise<SpooledFile> {
    return this.#spool.take(stream);
  }

  /**
   * Gets a file ready. `discard` removes what this made of it; an uploaded file stays its caller's.
   * @throws invalid_request, media_unfetchable, media_unsupported, store_unavailable; then nothing is left behind
   */
  async prepare(payload: FilePayload, source: FileSource): Promise<PreparedFile> {
    if ('file' in source) return this.#describe(payload, source.file, []);
    const fetched = await this.#fetcher.fetch(source.downloadUrl);
    if (fetched === 'too-large') return { fallback: { text: textOf(payload.caption, source.downloadUrl) } };
    return this.#describe(payload, fetched, [fetched]);
  }

  /** @param own what is discarded with the file, or when it cannot be described */
  async #describe(payload: FilePayload, file: Arrived, own: Discardable[]): Promise<PreparedFile> {
    const discard = async () => {
      for (const one of own) await one.discard();
    };
    try {
      const described = payload.asSticker
        ? await this.#makeSticker(payload, file, own)
        : await this.#look(payload, file);
      return { file: described, discard };
    } catch (error) {
      await discard();
      throw error;
    }
  }

  async #look(
    payload: FilePayload,
    { path, size, contentType = '', fileName = '' }: Arrived,
  ): Promise<OutgoingFile> {
    const names = [payload.fileName, fileName];
    const mimeType = payload.mimeType || (await this.#typeOf(path, contentType, names));
    const facts = await this.#inspector.look(path, mimeType, payload.asVoice);
    return { path, size, mimeType, fileName: fileNameOf(names, mimeType), ...facts };
  }

  async #typeOf(path: string, contentType: string, names: string[]): Promise<string> {
    const shown = await this.#inspector.typeOf(path);
    return weighTypes([shown, essenceOf(contentType), ...names.map(typeOfName)]);
  }

  async #makeSticker(payload: FilePayload, file: Arrived, own: Discardable[]): Promise<OutgoingFile> {
    const target = this.#spool.newFile();
    own.push(target);
    const made = await this.#inspector.sticker(file.path, target.path).catch((error: unknown) => {
      throw unsupported('takes a picture: JPEG, PNG, WebP, GIF, TIFF or AVIF; this file is none', error);
    });
    if (!made) throw unsupported('takes a picture that fits into 1 MB as a WebP; this one does not');
    const { converted, ...facts } = made;
    return {
      ...facts,
      path: converted ? target.path : file.path,
      mimeType: STICKER_TYPE,
      fileName: fileNameOf([payload.fileName, file.fileName ?? ''], STICKER_TYPE),
    };
  }
}

type Discardable = Pick<SpooledFile, 'discard'>;

/** A file on this machine's disk, and what its host said of it. */
type Arrived = Pick<SpooledFile, 'path' | 'size'> & Partial<Pick<FetchedFile, 'contentType' | 'fileName'>>;

function textOf(caption: string, link: string): string {
  return caption === '' ? link : `${caption}\n${link}`;
}

function unsupported(rule: string, cause?: unknown): GatewayError {
  return new GatewayError('media_unsupported', `asSticker ${rule}`, { cause });
}
