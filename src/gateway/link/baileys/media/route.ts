import { Agent, type Dispatcher, request } from 'undici';
import type { MediaSource } from '../../link.js';
import { directConnector, type Tunnel, tunnelConnector } from '../tunnel.js';

/** The host that serves every file, whichever host took its upload. */
export const MEDIA_HOST = 'mmg.whatsapp.net';
const WHATSAPP_HOST = /(^|\.)whatsapp\.(net|com)$/;
/** Milliseconds to connect, until the response begins, and between two chunks. */
const CONNECT_MS = 15_000;
const ANSWER_MS = 60_000;
const PIECE_MS = 30_000;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECTS = 3;
/** Buffer between network and disk, in bytes, so that a host can close the connection while the rest waits for the disk (`domain/contained.ts`). */
const WAITING_BYTES = 4 * 1024 * 1024;

/** Dispatchers for the network's media hosts. They keep connections alive, but not the process. */
export interface MediaRoute {
  /** Dispatcher without redirects. */
  dispatcher: Dispatcher;
}

/**
 * @param mediaUrl origin of a sandbox, which gets the requests to WhatsApp's hosts; those to other hosts are unchanged
 * @param tunnel through the session's proxy; undefined for direct connections
 */
export function mediaRoute(mediaUrl: string | undefined, tunnel: Tunnel | undefined): MediaRoute {
  const agent = new Agent({
    connect: tunnel ? tunnelConnector(tunnel, CONNECT_MS) : directConnector(CONNECT_MS),
    headersTimeout: ANSWER_MS,
    bodyTimeout: PIECE_MS,
  });
  return { dispatcher: mediaUrl ? agent.compose(redirectTo(new URL(mediaUrl).origin)) : agent };
}

function redirectTo(origin: string): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    if (!isWhatsApp(options.origin)) return dispatch(options, handler);
    // the sandbox serves several hosts, and distinguishes them by the `host` header
    const headers = named(options.headers, new URL(options.origin).host);
    return dispatch({ ...options, origin, headers }, handler);
  };
}

function named(headers: Dispatcher.DispatchOptions['headers'], host: string) {
  return Array.isArray(headers) ? [...headers, 'host', host] : { ...headers, host };
}

/**
 * The address of a file. A stranger has written the message, so only WhatsApp's hosts are allowed.
 * @returns undefined for another host, or when the message names no address
 */
export function addressOf({ url, directPath }: Pick<MediaSource, 'url' | 'directPath'>): string | undefined {
  const named = whatsAppUrl(url);
  if (!directPath) return named?.href;
  return whatsAppUrl(directPath, named?.origin ?? `https://${MEDIA_HOST}`)?.href;
}

/**
 * Fetches a file. A stranger may have chosen its address, so redirects may also lead only to WhatsApp's hosts, over
 * https.
 * @returns the first answer that is no redirect
 * @throws Error for a redirect elsewhere, and what undici throws
 */
export async function fetchFile(
  address: string,
  { dispatcher }: MediaRoute,
  options: { headers?: Record<string, string>; signal?: AbortSignal },
): Promise<Dispatcher.ResponseData> {
  let next = address;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const answer = await request(next, { ...options, dispatcher, highWaterMark: WAITING_BYTES });
    if (!REDIRECTS.has(answer.statusCode)) return answer;
    await answer.body.dump();
    const { location } = answer.headers;
    const target = typeof location === 'string' && location !== '' ? whatsAppUrl(location, next) : undefined;
    if (!target) throw new Error('it redirects to another host, or without https');
    next = target.href;
  }
  throw new Error(`it redirects more than ${MAX_REDIRECTS} times`);
}

function whatsAppUrl(address: string, base?: string): URL | undefined {
  if (!URL.canParse(address, base)) return undefined;
  const url = new URL(address, base);
  return url.protocol === 'https:' && isWhatsApp(url) ? url : undefined;
}

function isWhatsApp(origin: string | URL | undefined): origin is string | URL {
  return origin !== undefined && WHATSAPP_HOST.test(new URL(origin).hostname);
}
