import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Agent, type buildConnector, type Dispatcher } from 'undici';
import { guardedConnector, PrivateAddressError } from '../../delivery/guard.js';
import type { Clock } from '../../domain/clock.js';
import { GatewayError } from '../../domain/errors.js';
import { LIMITS } from '../../domain/limits.js';
import { shownUrl } from '../../domain/shown-url.js';
import type { SpooledFile } from '../services.js';
import { nameOfDisposition, nameOfUrl } from './file-name.js';
import type { Passage, Spool } from './spool.js';

const USER_AGENT = 'Switchboard/1';
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Some hosts pack what they keep packed, whatever is asked for. */
const UNPACKERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

export interface FetcherOptions {
  /** Permits http, and hosts inside the own network. */
  allowPrivate: boolean;
  spool: Pick<Spool, 'write'>;
  clock: Clock;
  /** Makes the connections in place of the guarded connector. */
  connect?: buildConnector.connector;
}

/** A file that is on this machine's disk now. */
export interface FetchedFile extends SpooledFile {
  /** As the host tells it; empty when it does not. */
  contentType: string;
  /** As the host or the address tells it; may be empty. */
  fileName: string;
}

/** What came of a fetch; `too-large` is one that can only be sent as a link. */
export type Fetched = FetchedFile | 'too-large';

/** Takes files from addresses that callers choose: guarded against the own network, bounded in time and bytes. */
export class Fetcher {
  readonly #options: FetcherOptions;
  readonly #agent: Agent;

  constructor(options: FetcherOptions) {
    const { allowPrivate, connect } = options;
    this.#options = options;
    this.#agent = new Agent({
      pipelining: 1,
      // the deadline of the fetch covers both
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: connect ?? guardedConnector({ allowPrivate, timeoutMs: LIMITS.mediaFetchMs }),
    });
  }

  /**
   * Fetches a file to disk, never as a whole in memory.
   * @throws invalid_request when the address is not one to fetch from, media_unfetchable, store_unavailable; nothing is left behind.
   */
  async fetch(downloadUrl: string): Promise<Fetched> {
    const url = this.#readUrl(downloadUrl);
    const deadline = new AbortController();
    const cancel = this.#options.clock.after(LIMITS.mediaFetchMs, () =>
      deadline.abort(failed(url, `it took longer than ${LIMITS.mediaFetchMs / 1_000} s`)),
    );
    try {
      return await this.#follow(url, deadline.signal);
    } catch (error) {
      if (deadline.signal.aborted) throw deadline.signal.reason;
      throw error instanceof GatewayError ? error : failed(url, describe(error), error);
    } finally {
      cancel();
    }
  }

  /** Breaks off what is under way and closes all connections. */
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

  /** Why an address is not fetched from; undefined when it is. */
  #refusalOf({ protocol, username, password }: URL): string | undefined {
    const { allowPrivate } = this.#options;
    if (protocol !== 'https:' && !(allowPrivate && protocol === 'http:')) {
      return 'must be an https address; http is taken with --allow-private-urls only';
    }
    return username || password ? 'must not hold a user name or password' : undefined;
  }

  async #follow(first: URL, signal: AbortSignal): Promise<Fetched> {
    let url = first;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = await this.#get(url, url === first, signal);
      const next = redirectOf(response, url);
      if (!next) return this.#take(response, url);
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
        signal,
      });
    } catch (error) {
      // later addresses are the host's choice, not the caller's
      if (isFirst && error instanceof PrivateAddressError) throw invalid(`is refused: ${error.message}`);
      throw error;
    }
  }

  async #take(response: Dispatcher.ResponseData, url: URL): Promise<Fetched> {
    const { statusCode, headers, body } = response;
    const unpack = UNPACKERS.get(textOf(headers['content-encoding']).trim().toLowerCase());
    const announced = unpack ? 0 : Number(textOf(headers['content-length']));
    const refusal = refusalOfAnswer(statusCode, announced);
    if (refusal) {
      discard(response);
      throw failed(url, refusal);
    }
    if (announced > LIMITS.mediaFallbackBytes) {
      discard(response);
      return 'too-large';
    }
    const source = unpack ? unpacked(body, unpack()) : body;
    const spooled = await this.#options.spool.write(source, counting(url)).catch((error: unknown) => {
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

/** The file can only be sent as a link. */
class TooLargeToSend extends Error {}

/** Counts what nobody announced: past one bound a file is only weighed on, past the other it is refused. */
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
  if (statusCode !== 200) return `it was answered ${statusCode}`;
  return announced > LIMITS.mediaFetchBytes ? overCap() : undefined;
}

function overCap(): string {
  return `it has more than ${LIMITS.mediaFetchBytes / 1024 / 1024} MB`;
}

/** Where an answer sends its reader; undefined when it is none of that kind. */
function redirectOf({ statusCode, headers }: Dispatcher.ResponseData, from: URL): URL | undefined {
  const location = textOf(headers.location);
  if (!REDIRECTS.has(statusCode) || !URL.canParse(location, from.href)) return undefined;
  return new URL(location, from);
}

/** The packed stream's failure becomes that of the unpacked one. */
function unpacked(body: Readable, unpacker: Transform): Readable {
  body.once('error', (error) => unpacker.destroy(error));
  unpacker.once('close', () => body.destroy());
  return body.pipe(unpacker);
}

/** Nobody reads on: costs the connection, but no time. */
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

/** Node's errors for several addresses at once have a code but no message. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.message || code || error.name;
}
