import type { Readable } from 'node:stream';
import type { SendPayload } from '../../../contract/sends/send-request.js';
import type { Clock } from '../../../domain/clock.js';
import { GatewayError, isGatewayError } from '../../../domain/errors.js';
import type { FileWishes, LinkPreview, OutgoingFile } from '../../kinds/kind.js';
import type { Logger } from '../../log.js';
import { essenceOf, fileNameOf, givenNameOf, typeOfName, weighTypes } from './file-types.js';
import { Inspector } from './inspect/inspector.js';
import { LinkPreviews } from './link-previews.js';
import { type LocalFile, Spool, type SpooledFile } from './spool.js';
import { type FetchedFile, UrlFetcher } from './url-fetcher.js';

const STICKER_TYPE = 'image/webp';

/** The request to send a file. */
export interface FilePayload extends SendPayload, FileWishes {
  /** Overrides the detected type; empty when not given. */
  mimeType: string;
  /** Empty when not given. */
  fileName: string;
}

/** Where a file comes from. */
export type FileSource = { downloadUrl: string } | { file: SpooledFile };

interface MediaOptions {
  /** Folder for temporary files; may be shared with other processes. */
  spoolDir: string;
  /** Permits `downloadUrl`s with http, and in private networks. */
  allowPrivate: boolean;
  clock: Clock;
  log: Logger;
  /** Folders that hold ffmpeg and ffprobe, as in `PATH`, the default. */
  searchPath?: string;
  /** Called for a file that goes out uninspected, because its inspection took too long. */
  uninspected?(): void;
}

/** A file to send, until it is discarded; or a text to send instead. */
export type PreparedFile =
  | {
      file: OutgoingFile;
      /** File name from the caller or the file's host; empty if neither gave one, and for a sticker. */
      givenName: string;
      discard(): Promise<void>;
    }
  | { fallback: { /** The caption, if there is one, and the link. */ text: string } };

/** Prepares files for sending: downloads them to this machine's disk and finds out what phones show of them. */
export class Media {
  readonly #spool: Spool;
  readonly #fetcher: UrlFetcher;
  readonly #inspector: Inspector;
  readonly #previews: LinkPreviews;

  constructor({
    spoolDir,
    allowPrivate,
    clock,
    log,
    searchPath = process.env.PATH ?? '',
    uninspected = () => undefined,
  }: MediaOptions) {
    this.#spool = new Spool(spoolDir);
    this.#fetcher = new UrlFetcher({ allowPrivate, spool: this.#spool, clock });
    this.#inspector = new Inspector({ clock, log, searchPath, uninspected });
    this.#previews = new LinkPreviews({
      fetcher: this.#fetcher,
      spool: this.#spool,
      inspector: this.#inspector,
      clock,
      log,
    });
  }

  /** Creates the folder, and removes the files of crashed runs. */
  async start(): Promise<void> {
    await this.#spool.start();
  }

  /** Aborts downloads and inspections in flight, and removes the folder. */
  async stop(): Promise<void> {
    this.#inspector.stop();
    await this.#fetcher.stop();
    await this.#spool.stop();
  }

  /** The files on disk while they are sent or stored in the library, and their bytes. */
  onDisk(): { files: number; bytes: number } {
    return this.#spool.onDisk();
  }

  /** The preview of a link; undefined when there is none, or it could not be fetched in time. Never throws. */
  preview(clientId: string, url: string): Promise<LinkPreview | undefined> {
    return this.#previews.of(clientId, url);
  }

  /** Keeps a file that is being sent until it is discarded here too. @param sha256 in hex @returns undefined when it is not kept */
  hold(clientId: string, sha256: string): LocalFile | undefined {
    return this.#spool.hold(clientId, sha256);
  }

  /** Writes an uploaded stream to disk. @throws media_too_large, too_many_uploads, store_unavailable; no file is left behind */
  spool(clientId: string, stream: Readable): Promise<SpooledFile> {
    return this.#spool.take(clientId, stream);
  }

  /**
   * Prepares a file. `discard` removes the files that this created; an uploaded file is discarded by its caller.
   * @throws invalid_request, media_unfetchable, media_unsupported, media_busy, too_many_uploads, store_unavailable; no file is
   * left behind
   */
  async prepare(payload: FilePayload, source: FileSource): Promise<PreparedFile> {
    if ('file' in source) return this.#describe(payload, source.file, []);
    const fetched = await this.#fetcher.fetch(payload.clientId, source.downloadUrl);
    if (fetched === 'too-large') return { fallback: { text: textOf(payload.caption, source.downloadUrl) } };
    return this.#describe(payload, fetched, [fetched]);
  }

  /**
   * Makes a profile picture: a square JPEG. An uploaded file is discarded by its caller.
   * @throws invalid_request, media_unfetchable, media_unsupported, media_too_large, media_busy, too_many_uploads,
   * store_unavailable
   */
  async portrait(clientId: string, source: FileSource): Promise<Uint8Array> {
    if ('file' in source) return this.#portrait(clientId, source.file.path);
    const fetched = await this.#fetcher.fetch(clientId, source.downloadUrl);
    if (fetched === 'too-large')
      throw new GatewayError(
        'media_too_large',
        'downloadUrl leads to a file that is too large for a picture',
      );
    try {
      return await this.#portrait(clientId, fetched.path);
    } finally {
      await fetched.discard();
    }
  }

  async #portrait(clientId: string, path: string): Promise<Uint8Array> {
    try {
      return await this.#inspector.portrait(clientId, path);
    } catch (cause) {
      if (isGatewayError(cause)) throw cause;
      const text = 'the picture must be a JPEG, PNG, WebP, GIF, TIFF or AVIF; this file is none of them';
      throw new GatewayError('media_unsupported', text, { cause });
    }
  }

  /** @param own files to discard with the prepared file, or when it fails */
  async #describe(payload: FilePayload, file: Arrived, own: Discardable[]): Promise<PreparedFile> {
    const discard = async () => {
      for (const one of own) await one.discard();
    };
    try {
      const described = payload.asSticker
        ? await this.#makeSticker(payload, file, own)
        : await this.#look(payload, file);
      const names = payload.asSticker ? [] : [payload.fileName, file.fileName ?? ''];
      return { file: described, givenName: givenNameOf(names, described.mimeType), discard };
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
    const { clientId, asVoice } = payload;
    const typeOf = (shown: string) => weighTypes([shown, essenceOf(contentType), ...names.map(typeOfName)]);
    const facts = await this.#inspector.look(clientId, path, payload.mimeType || typeOf, asVoice);
    return { path, size, fileName: fileNameOf(names, facts.mimeType), ...facts };
  }

  async #makeSticker(payload: FilePayload, file: Arrived, own: Discardable[]): Promise<OutgoingFile> {
    const target = this.#spool.newFile();
    own.push(target);
    const made = await this.#inspector
      .sticker(payload.clientId, file.path, target.path)
      .catch((error: unknown) => {
        if (isGatewayError(error)) throw error;
        throw unsupported(
          'takes a picture: JPEG, PNG, WebP, GIF, TIFF or AVIF; this file is none of them',
          error,
        );
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

/** A file on this machine's disk, with the facts that its host sent. */
type Arrived = Pick<SpooledFile, 'path' | 'size'> & Partial<Pick<FetchedFile, 'contentType' | 'fileName'>>;

function textOf(caption: string, link: string): string {
  return caption === '' ? link : `${caption}\n${link}`;
}

function unsupported(rule: string, cause?: unknown): GatewayError {
  return new GatewayError('media_unsupported', `asSticker ${rule}`, { cause });
}
