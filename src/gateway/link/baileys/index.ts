// must come first: it silences libsignal before another import loads it
import '../../../quiet-console.js';

import { proto } from '@whiskeysockets/baileys';
import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import type { LinkFactory } from '../link.js';
import type { LinkContext } from './connection.js';
import { watchRejections } from './faults.js';
import { exportCredentials, readForeignCredentials, readForeignKeys } from './foreign-state.js';
import { historyPartOf } from './history/part.js';
import { restoreMessages, restoreUnreadable } from './incoming.js';
import { decodeCredentials, exportKey, isFinishedPairing } from './keys.js';
import { BaileysLink } from './link.js';
import { download } from './media/download.js';
import { mediaRoute } from './media/route.js';
import { openSecret } from './message-secrets.js';
import { trustRoot } from './socket.js';
import { Tunnel, TunnelAgent } from './tunnel.js';

export type { NetworkAddress } from './socket.js';

/** Number of proxies whose connections are kept; above that, a proxy needs a new connection. */
const PROXIES_KEPT = 1_000;

type Route = Pick<LinkContext, 'media' | 'agent'>;

/** The routes to the network: the direct one, and one for each proxy. */
class Routes {
  readonly #direct: Route;
  readonly #proxied: LRUCache<string, Route>;

  constructor(mediaUrl: string | undefined, timeoutMs: number | undefined) {
    this.#direct = { media: mediaRoute(mediaUrl, undefined), agent: undefined };
    this.#proxied = new LRUCache<string, Route>({
      max: PROXIES_KEPT,
      memoMethod: (proxy) => {
        const tunnel = new Tunnel(proxy, timeoutMs);
        return { media: mediaRoute(mediaUrl, tunnel), agent: new TunnelAgent(tunnel) };
      },
    });
  }

  /** @param proxy empty for the direct route */
  of(proxy: string): Route {
    return proxy ? this.#proxied.memo(proxy) : this.#direct;
  }
}

/** The dispatcher for requests on behalf of a session. @param proxy of that session; empty for a direct connection */
export function dispatcherOver(proxy: string): Dispatcher {
  return mediaRoute(undefined, proxy ? new Tunnel(proxy) : undefined).dispatcher;
}

/** Links to the real network or to a sandbox, through the Baileys library. */
export function createBaileysLinks(options: Omit<LinkContext, 'media' | 'agent'>): LinkFactory {
  trustRoot(options.network);
  watchRejections(options.log);
  const routes = new Routes(options.network.mediaUrl, options.proxyTimeoutMs);
  return {
    load: async () => undefined,
    open(linkOptions) {
      const link = new BaileysLink(linkOptions, { ...options, ...routes.of(linkOptions.proxy) });
      link.begin();
      return link;
    },
    isPaired: async (keys) => isFinishedPairing(decodeCredentials(await keys.credentials())),
    decode: (encoded) => proto.Message.decode(encoded),
    encode: (content) => proto.Message.encode(content).finish(),
    openSecret,
    download: (source, proxy, signal) => download(routes.of(proxy).media, source, signal),
    history: (entry, proxy) => historyPartOf(entry, routes.of(proxy).media, options.log),
    readForeignCredentials,
    readForeignKeys,
    exportCredentials,
    exportKey,
    restore: restoreMessages,
    restoreUnreadable,
  };
}
