import { Agent, type Dispatcher, interceptors } from 'undici';
import type { MediaSource } from '../../link.js';

/** The host that has every file, whichever took it. */
export const MEDIA_HOST = 'mmg.whatsapp.net';
const WHATSAPP_HOST = /(^|\.)whatsapp\.(net|com)$/;
/** Milliseconds to connect, until an answer begins, and between two pieces of it. */
const CONNECT_MS = 15_000;
const ANSWER_MS = 60_000;
const PIECE_MS = 30_000;
const MAX_REDIRECTS = 3;

/** The way to the network's media hosts; its connections are kept for the next file, and do not hold the process up. */
export interface MediaRoute {
  /** For what has a body, and for the library. */
  dispatcher: Dispatcher;
  /** Follows redirects. */
  following: Dispatcher;
}

/** @param mediaUrl where requests to WhatsApp's hosts go instead: the origin of a sandbox. Any other host is left alone. */
export function mediaRoute(mediaUrl?: string): MediaRoute {
  const agent = new Agent({
    connect: { timeout: CONNECT_MS },
    headersTimeout: ANSWER_MS,
    bodyTimeout: PIECE_MS,
  });
  const dispatcher = mediaUrl ? agent.compose(leadingTo(new URL(mediaUrl).origin)) : agent;
  return {
    dispatcher,
    following: dispatcher.compose(interceptors.redirect({ maxRedirections: MAX_REDIRECTS })),
  };
}

function leadingTo(origin: string): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    if (!isWhatsApp(options.origin)) return dispatch(options, handler);
    // the sandbox plays several hosts, and tells them by their names
    const headers = named(options.headers, new URL(options.origin).host);
    return dispatch({ ...options, origin, headers }, handler);
  };
}

function named(headers: Dispatcher.DispatchOptions['headers'], host: string) {
  return Array.isArray(headers) ? [...headers, 'host', host] : { ...headers, host };
}

/**
 * The address of a file. What a message says of it was written by a stranger: it never leads away from WhatsApp's hosts.
 * @returns undefined when it would, or when the message names no place
 */
export function addressOf({ url, directPath }: Pick<MediaSource, 'url' | 'directPath'>): string | undefined {
  const named = whatsAppUrl(url);
  if (!directPath) return named?.href;
  return whatsAppUrl(directPath, named?.origin ?? `https://${MEDIA_HOST}`)?.href;
}

function whatsAppUrl(address: string, base?: string): URL | undefined {
  if (!URL.canParse(address, base)) return undefined;
  const url = new URL(address, base);
  return url.protocol === 'https:' && isWhatsApp(url) ? url : undefined;
}

function isWhatsApp(origin: string | URL | undefined): origin is string | URL {
  return origin !== undefined && WHATSAPP_HOST.test(new URL(origin).hostname);
}
