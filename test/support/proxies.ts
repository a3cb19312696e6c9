import { execFileSync } from 'node:child_process';
import { lookup } from 'node:dns';
import { readFileSync } from 'node:fs';
import type { LookupFunction } from 'node:net';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { Server as HttpProxyServer } from 'proxy-chain';
import { freePort } from './tcp-proxy.js';
import { makeTempDir } from './temp-dir.js';

/** A host name that no resolver knows; only the proxies of the tests do, as this machine. */
export const HIDDEN_HOST = 'network.invalid';
const HERE = '127.0.0.1';

export interface ProxyOptions {
  /** Demanded of clients. */
  user?: string;
  password?: string;
  /** The address that its connections come from, so that the network can tell them apart; Linux has all of 127.0.0.0/8. */
  from?: string;
}

/** A proxy that a test can stop and start again under the same address. */
export interface TestProxy {
  /** With user and password. */
  url: string;
  port: number;
  /** `host:port` of every connection that was asked for, as the client named it. */
  targets: string[];
  /** Refuses new connections to the network, but keeps those that are open. */
  refuseNew(refuse: boolean): void;
  /** Cuts all connections, and listens no more. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

function urlOf(scheme: string, host: string, port: number, { user, password }: ProxyOptions): string {
  const credentials = user ? `${user}:${encodeURIComponent(password ?? '')}@` : '';
  return `${scheme}://${credentials}${host}:${port}`;
}

const answerHere: LookupFunction = (_name, options, done) => {
  if (options.all) done(null, [{ address: HERE, family: 4 }]);
  else done(null, HERE, 4);
};
/** Every host is this machine. The properties are those that the package's type demands. */
const resolveHere = Object.assign(answerHere, lookup);

/** An HTTP proxy, or with a certificate an HTTPS proxy, of the package `proxy-chain`. */
export async function startHttpProxy(
  options: ProxyOptions = {},
  tls?: { key: string; cert: string },
): Promise<TestProxy> {
  const port = await freePort();
  const targets: string[] = [];
  let isRefusing = false;
  const prepareRequestFunction = (asked: {
    hostname: string;
    port: number;
    username: string;
    password: string;
  }) => {
    targets.push(`${asked.hostname}:${asked.port}`);
    const isKnown = asked.username === (options.user ?? '') && asked.password === (options.password ?? '');
    if (isRefusing) throw new Error('no new connections');
    return {
      requestAuthentication: !isKnown,
      dnsLookup: resolveHere,
      ...(options.from && { localAddress: options.from }),
    };
  };
  const made = () =>
    new HttpProxyServer({
      host: HERE,
      port,
      prepareRequestFunction,
      ...(tls ? { serverType: 'https' as const, httpsOptions: tls } : { serverType: 'http' as const }),
    });
  let server = made();
  await server.listen();
  return {
    url: tls ? urlOf('https', 'localhost', port, options) : urlOf('http', HERE, port, options),
    port,
    targets,
    refuseNew(refuse) {
      isRefusing = refuse;
    },
    stop: () => server.close(true),
    async start() {
      server = made();
      await server.listen();
    },
  };
}

/** A certificate for `localhost` that is its own authority. */
export async function makeCertificate(): Promise<{ key: string; cert: string; file: string }> {
  const folder = await makeTempDir();
  const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', cert, ...subject], {
    stdio: 'ignore',
  });
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8'), file: cert };
}

const SOCKS = 5;
const NO_AUTHENTICATION = 0;
const PASSWORD = 2;
const NO_METHOD = 0xff;
const [CONNECTED, NOT_ALLOWED, HOST_UNREACHABLE] = [0, 2, 4];
const NAME = 3;

/** A SOCKS5 proxy (RFC 1928 and 1929): CONNECT to names and IPv4 addresses. */
export async function startSocksProxy(options: ProxyOptions = {}): Promise<TestProxy> {
  const port = await freePort();
  const targets: string[] = [];
  const sockets = new Set<Socket>();
  let isRefusing = false;

  async function serve(client: Socket): Promise<void> {
    const read = reader(client);
    const [, methods = 0] = await read(2);
    const offered = await read(methods);
    const method = options.user ? PASSWORD : NO_AUTHENTICATION;
    client.write(Buffer.from([SOCKS, offered.includes(method) ? method : NO_METHOD]));
    if (!offered.includes(method)) return void client.end();
    if (options.user) {
      const [, userLength = 0] = await read(2);
      const user = (await read(userLength)).toString();
      const [passwordLength = 0] = await read(1);
      const password = (await read(passwordLength)).toString();
      const isKnown = user === options.user && password === (options.password ?? '');
      client.write(Buffer.from([1, isKnown ? 0 : 1]));
      if (!isKnown) return void client.end();
    }
    const [, , , kind] = await read(4);
    const host =
      kind === NAME ? (await read((await read(1))[0] ?? 0)).toString() : [...(await read(4))].join('.');
    const toPort = (await read(2)).readUInt16BE();
    targets.push(`${host}:${toPort}`);
    const answer = (code: number) => client.write(Buffer.from([SOCKS, code, 0, 1, 0, 0, 0, 0, 0, 0]));
    if (isRefusing) {
      answer(NOT_ALLOWED);
      return void client.end();
    }
    const from = options.from ? { localAddress: options.from } : {};
    const upstream = createConnection({ host: kind === NAME ? HERE : host, port: toPort, ...from });
    track(upstream);
    upstream.once('connect', () => {
      answer(CONNECTED);
      read.rest((chunk) => upstream.write(chunk));
      upstream.pipe(client);
    });
    upstream.once('error', () => {
      answer(HOST_UNREACHABLE);
      client.end();
    });
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  }

  function track(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  }

  const server = createServer((client) => {
    track(client);
    serve(client).catch(() => client.destroy());
  });
  const start = () => listening(server, port);
  await start();
  return {
    url: urlOf('socks5', HERE, port, options),
    port,
    targets,
    refuseNew(refuse) {
      isRefusing = refuse;
    },
    stop: () => closed(server, sockets),
    start,
  };
}

/** Reads a socket by counts of bytes; `rest` passes on everything after them. */
function reader(socket: Socket) {
  let held = Buffer.alloc(0);
  let wake: () => void = () => undefined;
  let pass: ((chunk: Buffer) => void) | undefined;
  socket.on('data', (chunk) => {
    if (pass) pass(chunk);
    else held = Buffer.concat([held, chunk]);
    wake();
  });
  socket.on('close', () => wake());
  const read = async (count: number): Promise<Buffer> => {
    while (held.length < count) {
      if (socket.destroyed) throw new Error('the client has gone');
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const taken = held.subarray(0, count);
    held = held.subarray(count);
    return taken;
  };
  const rest = (next: (chunk: Buffer) => void) => {
    if (held.length > 0) next(held);
    pass = next;
  };
  return Object.assign(read, { rest });
}

/** A server that accepts connections and is no proxy: it answers with `says`, or never. */
export async function startNoProxy(says: string | undefined): Promise<Pick<TestProxy, 'port' | 'stop'>> {
  const port = await freePort();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => undefined);
    client.on('data', () => says !== undefined && client.end(says));
  });
  await listening(server, port);
  return { port, stop: () => closed(server, sockets) };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HERE, resolve);
  });
}

function closed(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const done = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of sockets) socket.destroy();
  return done;
}
