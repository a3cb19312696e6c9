import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** A server that does to its clients what a test tells. */
export interface HostileServer {
  port: number;
  /** Connections so far. */
  readonly taken: number;
  stop(): Promise<void>;
}

/** Starts one on this machine; `treat` gets each connection. */
export async function hostileServer(treat: (socket: Socket) => void): Promise<HostileServer> {
  const sockets = new Set<Socket>();
  let taken = 0;
  const server = createServer((socket) => {
    taken++;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    treat(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    get taken() {
      return taken;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Writes the same bytes as fast as the client takes them. */
export function flood(socket: Socket, bytes: Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}

/** Speaks as much of Redis as a publisher needs: every command has succeeded. */
export function playRedis(socket: Socket): void {
  socket.on('data', (chunk) => {
    const commands = String(chunk).match(/^\*\d+\r\n\$\d+\r\n(\w+)/gm) ?? [];
    for (const command of commands) socket.write(command.endsWith('XADD') ? '$3\r\n1-1\r\n' : '+OK\r\n');
  });
}

/** Options of a broker process whose sockets do what bytes that they receive say, as a broken client would. */
export const BROKEN_BY_BYTES = preload(`
  import { Socket } from 'node:net';
  const { emit } = Socket.prototype;
  const kept = [];
  Socket.prototype.emit = function (name, chunk, ...rest) {
    const text = name === 'data' ? String(chunk) : '';
    if (text.includes('CRASH')) throw new RangeError('Attempt to access memory outside buffer bounds');
    if (text.includes('BLOCK')) for (;;);
    if (text.includes('GROW')) setInterval(() => kept.push(Buffer.alloc(16 * 1024 * 1024, 1)), 5);
    return emit.call(this, name, chunk, ...rest);
  };`);

/** Options of Node.js that run a script before the program. */
export function preload(script: string): string[] {
  return ['--import', `data:text/javascript,${encodeURIComponent(script)}`];
}
