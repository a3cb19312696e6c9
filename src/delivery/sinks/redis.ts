import { connect as connectSocket, isIP } from 'node:net';
import { guardedLookup, requireAllowedHost } from '../guard.js';
import {
  addressOf,
  InvalidSinkUrl,
  notInstalled,
  OPEN_TIMEOUT_MS,
  type OpenOptions,
  Place,
  type Publication,
  type SinkAddress,
  type SinkConnection,
  type SinkKind,
} from './sink.js';

const PORT = 6379;
const STREAM = { pattern: /^[^{}]{1,512}$/, rule: 'must have 1 to 512 characters' };

/** Redis streams. Each event is an entry: `body`, and its headers as fields. */
export const REDIS: SinkKind = {
  schemes: ['redis:', 'rediss:'],
  form: 'redis://USER:PASSWORD@HOST:6379/DATABASE?stream=NAME',
  read(url) {
    const address = addressOf(url, PORT, ['stream', 'maxlen']);
    const { path, query } = address;
    if (!/^\d{0,4}$/.test(path)) throw new InvalidSinkUrl('the path must be the number of a database');
    const name = query.get('stream');
    if (name === undefined) throw new InvalidSinkUrl('stream=NAME is missing');
    const stream = new Place('stream', name, STREAM);
    const maxlen = query.get('maxlen');
    if (maxlen !== undefined && !/^[1-9]\d{0,11}$/.test(maxlen)) {
      throw new InvalidSinkUrl('maxlen must be a whole number of entries');
    }
    const isTls = url.protocol === 'rediss:';
    return { open: (options) => open(address, isTls, stream, maxlen, options) };
  },
};

async function open(
  { host, port, username, password, path }: SinkAddress,
  isTls: boolean,
  stream: Place,
  maxlen: string | undefined,
  { allowPrivate, lookup, signal, lost }: OpenOptions,
): Promise<SinkConnection> {
  const { createClient } = await import('@redis/client').catch(notInstalled('Redis', '@redis/client@5'));
  requireAllowedHost(host, allowPrivate);
  const reach = { host, port, lookup: guardedLookup({ allowPrivate, lookup }), signal };
  const once = { connectTimeout: OPEN_TIMEOUT_MS, reconnectStrategy: false } as const;
  const name = isIP(host) === 0 && { servername: host };
  const client = createClient({
    // the signal is for Node's sockets: a client that is still connecting does not end its own
    socket: isTls
      ? { ...once, ...name, host, tls: true, socket: connectSocket(reach) }
      : { ...once, ...reach },
    ...(username && { username }),
    ...(password && { password }),
    database: Number(path),
    disableOfflineQueue: true,
  });
  // every call fails too
  client.on('error', () => lost());
  await client.connect();

  const trim = maxlen && {
    TRIM: { strategy: 'MAXLEN', strategyModifier: '~', threshold: Number(maxlen) } as const,
  };
  return {
    async publish({ event, headers }: Publication) {
      const fields = { ...headers, body: Buffer.from(event.body) };
      await client.xAdd(stream.of(event), '*', fields, trim || undefined);
    },
    close: () => client.close(),
  };
}
