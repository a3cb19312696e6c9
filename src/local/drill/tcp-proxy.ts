import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';

/**
 * The treatment of a chunk for the server: `cut` drops it and every connection, `cut-answer` passes it on and cuts when
 * the server answers, `hold` keeps it until `letGo`.
 */
export type Verdict = 'pass' | 'cut' | 'cut-answer' | 'hold';

/** A TCP relay that can be broken and restored, so that the server behind it need not be stopped. */
export interface TcpProxy {
  port: number;
  /** Source address of each connection so far. */
  sources: string[];
  /** Drops all connections and refuses new ones. */
  cut(): void;
  /** Keeps all connections and accepts new ones, but passes nothing on. */
  freeze(): void;
  /** Passes data on again; frozen connections are dropped with their data. */
  restore(): void;
  /** Judges every chunk that a client sends, until `restore`. */
  watch(judge: (chunk: Buffer) => Verdict): void;
  /** Delays every chunk by `ms` milliseconds in each direction, from now on. */
  slow(ms: number): void;
  /** Passes on held chunks. */
  letGo(): void;
  stop(): Promise<void>;
}

/** Relays a free local port to the given address. */
export async function startTcpProxy(host: string, port: number): Promise<TcpProxy> {
  let state: 'open' | 'cut' | 'frozen' = 'open';
  let judge: (chunk: Buffer) => Verdict = () => 'pass';
  let latencyMs = 0;
  const sockets = new Set<Socket>();
  const sources: string[] = [];
  let held: (() => void)[] = [];
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  };
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  const proxy = {
    cut() {
      state = 'cut';
      drop();
    },
    freeze() {
      state = 'frozen';
    },
    restore() {
      if (state === 'frozen') drop();
      state = 'open';
      judge = () => 'pass';
    },
    watch(next: typeof judge) {
      judge = next;
    },
    slow(ms: number) {
      latencyMs = ms;
    },
    letGo() {
      for (const pass of held) pass();
      held = [];
    },
  };

  const later = (pass: () => void) => {
    if (latencyMs === 0) pass();
    else setTimeout(pass, latencyMs);
  };
  const forward = (chunk: Buffer, upstream: Socket) => {
    if (state !== 'open') return;
    const verdict = judge(chunk);
    if (verdict === 'cut') return proxy.cut();
    if (verdict === 'cut-answer') upstream.prependOnceListener('data', () => proxy.cut());
    if (verdict === 'hold') held.push(() => upstream.write(chunk));
    else later(() => upstream.write(chunk));
  };
  const server = createServer((client) => {
    track(client);
    sources.push(client.remoteAddress ?? '');
    if (state === 'cut') return client.destroy();
    const upstream = createConnection({ host, port });
    track(upstream);
    client.on('data', (chunk) => forward(chunk, upstream));
    upstream.on('data', (chunk) => state === 'open' && later(() => client.write(chunk)));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: portOf(server),
    sources,
    ...proxy,
    async stop() {
      drop();
      server.close();
      await once(server, 'close');
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return address.port;
}

/** The ports that no usual system gives to outgoing connections: Linux begins those at 32768, others at 49152. */
const FIRST_FREE_PORT = 10_000;
const FIRST_OUTGOING_PORT = 32_768;

/**
 * A free port, for a server that starts later or must come back on the same port: none that the system might meanwhile give
 * to an outgoing connection.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_FREE_PORT, FIRST_OUTGOING_PORT);
    if (await canListen(port)) return port;
  }
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
