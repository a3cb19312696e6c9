import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { parseJson } from '../../../src/domain/json.js';
import type { FromCalls } from './peer.js';

/** Milliseconds until a call must come. */
const PATIENCE_MS = 120_000;

/** A webhook receiver that answers at once and keeps every call. */
export interface PeerReceiver {
  url: string;
  fromCalls: FromCalls;
  /** Calls so far. */
  count(): number;
  stop(): Promise<void>;
}

export async function startPeerReceiver(): Promise<PeerReceiver> {
  const calls: unknown[] = [];
  const lookers = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    response.end();
    calls.push(parseJson(body));
    for (const look of [...lookers]) look();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}/`,
    fromCalls: (pick) =>
      new Promise((resolve, reject) => {
        let seen = 0;
        const look = () => {
          for (; seen < calls.length; seen++) {
            const found = pick(calls[seen]);
            if (found === undefined) continue;
            lookers.delete(look);
            clearTimeout(timer);
            resolve(found);
            return;
          }
        };
        const timer = setTimeout(() => {
          lookers.delete(look);
          reject(new Error(`waited in vain for a webhook call; ${calls.length} came`));
        }, PATIENCE_MS);
        lookers.add(look);
        look();
      }),
    count: () => calls.length,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
