import type { Dispatcher } from 'undici';
import { collectGarbage, inSmallYoungGeneration } from '../../../domain/heap.js';
import type { LinkFactory } from '../link.js';
import type { createBaileysLinks } from './index.js';

/** Links whose library is loaded by `load`: the library would take a third of memory and start time of a daemon without sessions. */
export function createLazyLinks(options: Parameters<typeof createBaileysLinks>[0]): LinkFactory {
  let loaded: LinkFactory | undefined;
  const links = () => {
    if (!loaded) throw new Error('the protocol library is not loaded');
    return loaded;
  };
  return {
    async load() {
      library ??= loadLibrary();
      const { createBaileysLinks } = await library;
      loaded ??= createBaileysLinks(options);
    },
    open: (linkOptions) => links().open(linkOptions),
    isPaired: (keys) => links().isPaired(keys),
    decode: (encoded) => links().decode(encoded),
    encode: (content) => links().encode(content),
    openSecret: (secret) => links().openSecret(secret),
    download: (media, proxy, signal) => links().download(media, proxy, signal),
    history: (entry, proxy) => links().history(entry, proxy),
    readForeignCredentials: (stored) => links().readForeignCredentials(stored),
    readForeignKeys: (keys) => links().readForeignKeys(keys),
    exportCredentials: (stored) => links().exportCredentials(stored),
    exportKey: (type, stored) => links().exportKey(type, stored),
    restore: (entries, me) => links().restore(entries, me),
    restoreUnreadable: (entries, me) => links().restoreUnreadable(entries, me),
  };
}

/** The library, loaded once per process. */
let library: ReturnType<typeof loadLibrary> | undefined;

async function loadLibrary() {
  const loaded = await inSmallYoungGeneration(() => import('./index.js'));
  // ignore a failure, which only costs memory
  await collectGarbage().catch(() => undefined);
  return loaded;
}

/** The dispatcher for requests on behalf of a session. @param proxy of that session; empty for a direct connection */
export async function dispatcherOver(proxy: string): Promise<Dispatcher> {
  return (await import('./index.js')).dispatcherOver(proxy);
}
