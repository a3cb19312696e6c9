import { connect as connectSocket, isIP } from 'node:net';
import type { RedisDestination } from '../destinations.js';
import type { SinkConnection } from '../sink.js';
import { notInstalled, OPEN_TIMEOUT_MS, type OpenOptions, RefusedEventError } from './client.js';
import type { Publication } from './messages.js';

/** Redis streams. Each event is an entry: `body`, and its headers as fields. @throws Error of the client */
export async function openRedis(
  { host, port, username, password, path, isTls, stream, maxlen }: RedisDestination,
  { signal, lost }: OpenOptions,
): Promise<SinkConnection> {
  const { createClient } = await import('@redis/client').catch(notInstalled('Redis', '@redis/client@5'));
  const reach = { host, port, signal };
  const once = { connectTimeout: OPEN_TIMEOUT_MS, reconnectStrategy: false } as const;
  const name = isIP(host) === 0 && { servername: host };
  const client = createClient({
    // pass the signal to the socket, because a client that is still connecting does not close its socket
    socket: isTls
      ? { ...once, ...name, host, tls: true, socket: connectSocket(reach) }
      : { ...once, ...reach },
    ...(username && { username }),
    ...(password && { password }),
    database: Number(path),
    disableOfflineQueue: true,
  });
  // report the connection as lost; every call fails by itself
  client.on('error', () => lost());
  await Promise.race([client.connect(), brokenOff(client)]);

  const trim = maxlen !== undefined && {
    TRIM: { strategy: 'MAXLEN', strategyModifier: '~', threshold: maxlen } as const,
  };
  return {
    async publish(publication: Publication) {
      const fields = { ...publication.headers, body: publication.body };
      await client.xAdd(stream.of(publication), '*', fields, trim || undefined).catch((cause: unknown) => {
        const error = explained(cause);
        // the server closes a connection after it has refused an event on it
        if (error instanceof RefusedEventError) lost();
        throw error;
      });
    },
    close: () => client.close(),
  };
}

/** Rejects when the connection ends, because a client that is still connecting does not report that. */
function brokenOff(client: {
  on(event: 'error' | 'end', listener: (error?: Error) => void): unknown;
}): Promise<never> {
  return new Promise((_, reject) => {
    client.on('error', reject);
    client.on('end', () => reject(new Error('the server closed the connection')));
  });
}

/** Recognises the answer to an event that is too large; it belongs to this event because Redis answers in order. */
function explained(cause: unknown): unknown {
  const isTooLarge = cause instanceof Error && cause.message.includes('invalid bulk length');
  return isTooLarge
    ? new RefusedEventError('it is above the proto-max-bulk-len of the server', { cause })
    : cause;
}
