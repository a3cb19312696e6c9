import { Agent } from 'undici';

/** The session that a number is linked as. */
export function clientIdOf(number: string): string {
  return `s${number.slice(1)}`;
}

/** Does something `count` times, `parallel` of them at a time. */
export async function inFlight(
  count: number,
  parallel: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: parallel }, lane));
}

/** Which session writes to whom, by their numbers. */
export interface Chat {
  from: string;
  to: string;
}

/**
 * Sends texts through the API over kept-alive connections, to each chat in its turn.
 * @param parallel how many are in flight, each on a connection of its own
 * @returns how many milliseconds all of them took
 */
export async function sendTexts(
  { url, token }: { url: string; token: string },
  chats: readonly Chat[],
  count: number,
  parallel: number,
): Promise<number> {
  const agent = new Agent({ connections: parallel, pipelining: 1 });
  const startedAt = performance.now();
  try {
    await inFlight(count, parallel, async (index) => {
      const { from, to } = chats[index % chats.length] ?? { from: '', to: '' };
      const { statusCode, body } = await agent.request({
        origin: url,
        path: '/send-message',
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ clientId: clientIdOf(from), to, body: `message ${index}` }),
      });
      const answer = await body.text();
      if (statusCode !== 200) throw new Error(`a send was answered ${statusCode}: ${answer}`);
    });
    return performance.now() - startedAt;
  } finally {
    await agent.destroy();
  }
}
