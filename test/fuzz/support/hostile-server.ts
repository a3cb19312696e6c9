import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { mutated } from './mutations.js';
import { Prng } from './values.js';

/** Milliseconds after which a server that says nothing more closes the connection. */
const SILENCE_MS = 20;

/** Makes the bytes of an answer. */
export type MakeBytes = (prng: Prng) => Buffer;

/** A server that answers each piece of what it gets with the bytes of the next case. */
export class HostileServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(seed: number, make: MakeBytes): Promise<HostileServer> {
    let next = 0;
    const server = createServer();
    const hostile = new HostileServer(server);
    server.on('connection', (socket) => {
      hostile.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => hostile.#sockets.delete(socket));
      socket.on('data', () => answer(socket, Prng.forCase(seed, next++), make));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return hostile;
  }

  get port(): number {
    const address: AddressInfo | string | null = this.#server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Writes the bytes in some pieces, and ends the connection in one of several ways. */
function answer(socket: Socket, prng: Prng, make: MakeBytes): void {
  const bytes = make(prng);
  const cuts = Array.from({ length: prng.int(0, 3) }, () => prng.int(0, bytes.length)).sort((a, b) => a - b);
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    socket.write(bytes.subarray(from, cut));
    from = cut;
  }
  const end = prng.int(0, 3);
  if (end === 0) socket.end();
  else if (end === 1) socket.destroy();
  else if (end === 2) setTimeout(() => socket.resetAndDestroy(), SILENCE_MS).unref();
  else setTimeout(() => socket.destroy(), SILENCE_MS).unref();
}

const STATUSES = [
  ...[
    '200 OK',
    '200 OK',
    '200 OK',
    '204 No Content',
    '301 Moved',
    '302 Found',
    '307 Temporary',
    '101 Switching',
  ],
  ...[
    '100 Continue',
    '103 Early Hints',
    '400 Bad',
    '404 Not Found',
    '410 Gone',
    '429 Slow',
    '500 Broken',
    '999 Huge',
  ],
  ...['000 None', '20 Short', '2000 Long', 'OK', '', '-1 Negative'],
];
const LENGTHS = [
  '0',
  '1',
  '10',
  '100',
  '99999999999999999999',
  '-1',
  '1,1',
  'x',
  '0x10',
  ' 5',
  '5 5',
  '4294967296',
];
const ENCODINGS = ['gzip', 'deflate', 'br', 'x-gzip', 'zstd', 'gzip, gzip', 'identity', 'nonsense', ''];
const LOCATIONS = [
  ...[
    '/',
    '//127.0.0.1/',
    'http://127.0.0.1:1/',
    'http://169.254.169.254/latest',
    'file:///etc/passwd',
    'javascript:x',
  ],
  ...['http://[::1]/', 'http://', '?', '\u0000', 'http://user:pw@127.0.0.1/', 'data:text/html,x', 'ftp://x/'],
];
const TYPES = [
  ...[
    'text/html',
    'text/html; charset=utf-16',
    'text/html; charset="',
    'application/json',
    'image/png',
    'text/plain',
  ],
  ...['application/xhtml+xml; charset=iso-2022-jp', '', ';;;', 'text/html; charset=utf-8'],
];

/** An answer of HTTP that is right, odd or broken. @param body makes its content */
export function httpAnswer(prng: Prng, body: MakeBytes): Buffer {
  const content = encoded(prng, body(prng));
  const head = [`HTTP/${prng.pick(['1.1', '1.1', '1.1', '1.0', '2.0', '9', ''])} ${prng.pick(STATUSES)}`];
  head.push(`content-type: ${prng.pick(TYPES)}`);
  const isChunked = prng.chance(0.3);
  if (isChunked) head.push(`transfer-encoding: ${prng.pick(['chunked', 'chunked, gzip', 'chunked'])}`);
  if (!isChunked || prng.chance(0.1)) {
    head.push(`content-length: ${prng.chance(0.7) ? content.bytes.length : prng.pick(LENGTHS)}`);
  }
  if (content.encoding !== undefined) head.push(`content-encoding: ${content.encoding}`);
  if (prng.chance(0.3)) head.push(`location: ${prng.pick(LOCATIONS)}`);
  if (prng.chance(0.1))
    head.push(`content-disposition: attachment; filename*=UTF-8''${prng.text(9, '%Ea"/\\')}`);
  if (prng.chance(0.1)) head.push(`connection: ${prng.pick(['close', 'upgrade', 'keep-alive, close'])}`);
  if (prng.chance(0.05)) head.push(...Array.from({ length: prng.int(1, 200) }, (_, at) => `x-${at}: ${at}`));
  if (prng.chance(0.05)) head.push(`set-cookie: ${'a'.repeat(prng.int(1, 20_000))}`);
  if (prng.chance(0.05)) head.push(prng.text(20, ': \t\0\r\u00e4='));
  const parts = isChunked ? chunked(prng, content.bytes) : [content.bytes];
  const whole = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), ...parts]);
  return prng.chance(0.4) ? mutated(prng, whole) : whole;
}

function encoded(prng: Prng, bytes: Buffer): { bytes: Buffer; encoding?: string } {
  if (prng.chance(0.7)) return { bytes };
  const encoding = prng.pick(ENCODINGS);
  if (encoding !== 'gzip' || prng.chance(0.3)) return { bytes, encoding };
  const packed = gzipSync(bytes, { level: 1 });
  return { bytes: prng.chance(0.3) ? mutated(prng, packed) : packed, encoding };
}

function chunked(prng: Prng, bytes: Buffer): Buffer[] {
  const size = prng.pick([
    bytes.length.toString(16),
    bytes.length.toString(16),
    'ffffffffffffffffff',
    '-1',
    'z',
    '',
  ]);
  const extension = prng.chance(0.1) ? `;a=${'x'.repeat(prng.int(0, 500))}` : '';
  const trailer = prng.chance(0.1) ? 'x-trailer: 1\r\n' : '';
  return [Buffer.from(`${size}${extension}\r\n`), bytes, Buffer.from(`\r\n0\r\n${trailer}\r\n`)];
}
