import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { buildConnector, Dispatcher } from 'undici';
import type { Clock } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import { LIMITS } from '../../../domain/limits.js';
import { shownUrl } from '../../../domain/text.js';
import { PrivateAddressError } from '../../delivery/guard.js';
import { LazyAgent } from '../../delivery/lazy-agent.js';
import { nameOfDisposition, nameOfUrl } from './file-types.js';
import type { Passage, Spool, SpooledFile } from './spool.js';

const USER_AGENT = 'Switchboard/1';
const MAX_REDIRECTS = 5;
/** Bytes of a file that may wait for the disk, so that a host may close the connection meanwhile (`domain/contained.ts`). */
const WAITING_BYTES = 4 * 1024 * 1024;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Some hosts send stored content compressed, whatever `accept-encoding` says. */
const DECOMPRESSORS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** A downloaded file on this machine's disk. */
export interface FetchedFile extends SpooledFile {
  /** From the host's header; may be empty. */
  contentType: string;
  /** From the host's header or the URL; may be empty. */
  fileName: string;
}

/** The beginning of a file, in memory. */
interface Beginning {
  /** After redirects. */
  url: string;
  /** From the host's header; may be empty. */
  contentType: string;
  bytes: Buffer;
  /** False when the file is longer. */
  isWhole: boolean;
}

/** The result of a fetch; a file that is `too-large` can only be sent as a link. */
export type Fetched = FetchedFile | 'too-large';

/** Fetches files and pages from URLs that callers choose: never from private networks, and limited in time and bytes. */
export class UrlFetcher {
  readonly #options;
  readonly #agent: LazyAgent;

  constructor(options: {
    /** Permits http, and hosts in private networks. */
    allowPrivate: boolean;
    spool: Pick<Spool, 'write'>;
    clock: Clock;
    /** Replaces the guarded connector, for tests. */
    connect?: buildConnector.connector;
  }) {
    const { allowPrivate, connect } = options;
    this.#options = options;
    // not shorter than the deadline that each fetch sets itself
    this.#agent = new LazyAgent({ allowPrivate, timeoutMs: LIMITS.mediaFetchMs, connect });
  }

  /**
   * Streams a file to disk.
   * @throws invalid_request when the URL is not allowed, media_unfetchable, too_many_uploads, store_unavailable; no file is left
   * behind
   */
  async fetch(clientId: string, downloadUrl: string): Promise<Fetched> {
    const url = this.#readUrl(downloadUrl);
    const deadline = new AbortController();
    const cancel = this.#options.clock.after(LIMITS.mediaFetchMs, () =>
      deadline.abort(failed(url, `it took longer than ${LIMITS.mediaFetchMs / 1_000} s`)),
    );
    try {
      const { response, url: last } = await this.#follow(url, deadline.signal);
      return await this.#take(clientId, response, last);
    } catch (error) {
      if (deadline.signal.aborted) throw deadline.signal.reason;
      throw error instanceof GatewayError ? error : failed(url, describe(error), error);
    } finally {
      cancel();
    }
  }

  /**
   * Reads the beginning of a file into memory.
   * @throws invalid_request when the URL is not allowed, media_unfetchable, or the signal's reason
   */
  async beginning(
    address: string,
    { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
  ): Promise<Beginning> {
    const first = this.#readUrl(address);
    const { response, url } = await this.#follow(first, signal);
    const { statusCode, headers, body } = response;
    if (statusCode !== 200) {
      discard(response);
      throw failed(first, `the host answered ${statusCode}`);
    }
    const encoding = textOf(headers['content-encoding']).trim().toLowerCase();
    const decompress = DECOMPRESSORS.get(encoding);
    const chunks: Buffer[] = [];
    let size = 0;
    // leaving the loop closes the connection
    for await (const chunk of decompress ? decompressed(body, decompress()) : body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) break;
    }
    return {
      url: url.href,
      contentType: textOf(headers['content-type']),
      bytes: Buffer.concat(chunks).subarray(0, maxBytes),
      isWhole: size <= maxBytes,
    };
  }

  /** Aborts what is in flight and closes all connections. */
  async stop(): Promise<void> {
    await this.#agent.destroy();
  }

  #readUrl(downloadUrl: string): URL {
    if (!URL.canParse(downloadUrl)) throw invalid('must be an absolute https address');
    const url = new URL(downloadUrl);
    const refusal = this.#refusalOf(url);
    if (refusal) throw invalid(refusal);
    return url;
  }

  /** The reason to refuse a URL; undefined if the URL is allowed. */
  #refusalOf({ protocol, username, password }: URL): string | undefined {
    const { allowPrivate } = this.#options;
    if (protocol !== 'https:' && !(allowPrivate && protocol === 'http:')) {
      return 'must be an https address; http is taken with --allow-private-urls only';
    }
    return username || password ? 'must not hold a user name or password' : undefined;
  }

  /** The first answer that is no redirect, and its address. */
  async #follow(first: URL, signal: AbortSignal): Promise<{ response: Dispatcher.ResponseData; url: URL }> {
    let url = first;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = await this.#get(url, url === first, signal);
      const next = redirectOf(response, url);
      if (!next) return { response, url };
      discard(response);
      const refusal = this.#refusalOf(next);
      if (refusal) throw failed(first, `it redirects to ${shownUrl(next.href)}, which ${refusal}`);
      url = next;
    }
    throw failed(first, `it redirects more than ${MAX_REDIRECTS} times`);
  }

  async #get(url: URL, isFirst: boolean, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    try {
      return await this.#agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'GET',
        headers: { 'user-agent': USER_AGENT, accept: '*/*', 'accept-encoding': 'identity' },
        highWaterMark: WAITING_BYTES,
        signal,
      });
    } catch (error) {
      // the caller chose only the first address; the host chose the others
      if (isFirst && error instanceof PrivateAddressError) throw invalid(`is refused: ${error.message}`);
      throw error;
    }
  }

  async #take(clientId: string, response: Dispatcher.ResponseData, url: URL): Promise<Fetched> {
    const { statusCode, headers, body } = response;
    const decompress = DECOMPRESSORS.get(textOf(headers['content-encoding']).trim().toLowerCase());
    const announced = decompress ? 0 : Number(textOf(headers['content-length']));
    const refusal = refusalOfAnswer(statusCode, announced);
    if (refusal) {
      discard(response);
      throw failed(url, refusal);
    }
    if (announced > LIMITS.mediaFallbackBytes) {
      discard(response);
      return 'too-large';
    }
    const source = decompress ? decompressed(body, decompress()) : body;
    const spooled = await this.#options.spool
      .write(clientId, source, counting(url))
      .catch((error: unknown) => {
        if (error instanceof TooLargeToSend) return 'too-large' as const;
        throw error;
      });
    if (spooled === 'too-large') return spooled;
    if (spooled.size === 0) {
      await spooled.discard();
      throw failed(url, 'it is empty');
    }
    return {
      ...spooled,
      contentType: textOf(headers['content-type']),
      fileName: nameOfDisposition(textOf(headers['content-disposition'])) || nameOfUrl(url),
    };
  }
}

/** The file is larger than a file message may be, and can only be sent as a link. */
class TooLargeToSend extends Error {}

/**
 * Counts bytes of a file without `content-length`. Beyond the limit of a file message it keeps counting without storing
 * them; beyond the limit of a fetch it fails.
 */
function counting(url: URL): Passage {
  return async function* counted(source) {
    let size = 0;
    for await (const chunk of source) {
      size += chunk.length;
      if (size > LIMITS.mediaFetchBytes) throw failed(url, overCap());
      if (size <= LIMITS.mediaFallbackBytes) yield chunk;
    }
    if (size > LIMITS.mediaFallbackBytes) throw new TooLargeToSend();
  };
}

function refusalOfAnswer(statusCode: number, announced: number): string | undefined {
  if (statusCode !== 200) return `the host answered ${statusCode}`;
  return announced > LIMITS.mediaFetchBytes ? overCap() : undefined;
}

function overCap(): string {
  return `it has more than ${LIMITS.mediaFetchBytes / 1024 / 1024} MB`;
}

/** The target of a redirect; undefined for other responses. */
function redirectOf({ statusCode, headers }: Dispatcher.ResponseData, from: URL): URL | undefined {
  const location = textOf(headers.location);
  if (!REDIRECTS.has(statusCode) || !URL.canParse(location, from.href)) return undefined;
  return new URL(location, from);
}

/** Passes a failure of the compressed stream on to the decompressed one. */
function decompressed(body: Readable, decompressor: Transform): Readable {
  body.once('error', (error) => decompressor.destroy(error));
  decompressor.once('close', () => body.destroy());
  return body.pipe(decompressor);
}

/** Drops the rest of a response by closing its connection. */
function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => undefined);
  body.destroy();
}

function textOf(header: string | string[] | undefined): string {
  return (typeof header === 'string' ? header : header?.[0]) ?? '';
}

function invalid(rule: string): GatewayError {
  return new GatewayError('invalid_request', `downloadUrl ${rule}`);
}

function failed(url: URL, reason: string, cause?: unknown): GatewayError {
  const message = `downloadUrl could not be fetched: ${shownUrl(url.href)}: ${reason}`;
  return new GatewayError('media_unfetchable', message, { cause });
}

/** Node's errors for several addresses at once (happy eyeballs) have a code but no message. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.message || code || error.name;
}
