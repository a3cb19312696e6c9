import { proto } from '@whiskeysockets/baileys';
import type { Clock } from '../../domain/clock.js';
import type { Logger } from '../../log.js';
import type { LinkFactory } from '../link.js';
import { BaileysLink } from './baileys-link.js';
import { watchRejections } from './faults.js';
import { historyPartOf } from './history/part.js';
import { isFinishedPairing } from './identity.js';
import { decodeCredentials } from './key-codec.js';
import { download } from './media/download.js';
import { mediaRoute } from './media/route.js';
import { openSecret } from './message-secrets.js';
import { restoreMessages } from './restore.js';
import { type NetworkAddress, trustRoot } from './socket.js';

export interface BaileysLinksOptions {
  network: NetworkAddress;
  log: Logger;
  clock: Clock;
  /** Milliseconds that each QR code lives; the library's own times (60 s, then 20 s) when not given. */
  qrLifetimeMs?: number;
  /** Milliseconds between two pings of a link; 25 s when not given. */
  pingEveryMs?: number;
}

/** Links over the real protocol, by the Baileys library, to the real network or to a sandbox. */
export function createBaileysLinks(options: BaileysLinksOptions): LinkFactory {
  trustRoot(options.network);
  watchRejections(options.log);
  const media = mediaRoute(options.network.mediaUrl);
  return {
    open(linkOptions) {
      const link = new BaileysLink(linkOptions, { ...options, media });
      link.begin();
      return link;
    },
    isPaired: async (keys) => isFinishedPairing(decodeCredentials(await keys.credentials())),
    decode: (encoded) => proto.Message.decode(encoded),
    encode: (content) => proto.Message.encode(content).finish(),
    openSecret,
    download: (source, signal) => download(media, source, signal),
    history: (entry) => historyPartOf(entry, media, options.log),
    restore: restoreMessages,
  };
}
