import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

/** A webhook receiver that answers at once and counts. */
export interface Counter {
  url: string;
  /** Resolves when so many different messages have come since the last call. @returns when the first and the last came */
  messages(count: number): Promise<{ firstAt: number; lastAt: number }>;
  stop(): Promise<void>;
}

/** Milliseconds after which a round has failed. */
const PATIENCE_MS = 60_000;

export async function startCounter(): Promise<Counter> {
  let calls: { at: number; body: string }[] = [];
  let wanted = Number.POSITIVE_INFINITY;
  let reached: () => void = () => undefined;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    response.end();
    calls.push({ at: performance.now(), body });
    if (calls.length >= wanted) reached();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}/`,
    async messages(count) {
      calls = [];
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`only ${calls.length} of ${count} messages came`)),
          PATIENCE_MS,
        );
        reached = () => {
          clearTimeout(timer);
          resolve();
        };
        wanted = count;
      });
      wanted = Number.POSITIVE_INFINITY;
      const ids = new Set(calls.map(({ body }) => idOf(body)));
      if (ids.size !== count) throw new Error(`${count} calls brought ${ids.size} different messages`);
      return { firstAt: calls[0]?.at ?? Number.NaN, lastAt: calls.at(-1)?.at ?? Number.NaN };
    },
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Of the gateway's event, or of the library's message. */
function idOf(body: string): string {
  const { messageId, key } = JSON.parse(body);
  return messageId ?? key?.id;
}
