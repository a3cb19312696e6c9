import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** What the network says first in a connection: the upgrade, the handshake, and the first stanzas of the login. */
const LATE_CHUNKS = 8;
const LATE_MS = 40;

/** The simulated network as it is reached through this relay. */
export interface LateStart {
  wsUrl: string;
  stop(): Promise<void>;
}

/**
 * Relays to the network, and delays what it says first in each connection. Baileys 7.0.0-rc.9 sets its keys only after it
 * has sent the end of the handshake: an answer that comes at once, as no answer does on a real network, cannot be decrypted
 * then, and the login hangs.
 * @param wsUrl the WebSocket of the network
 */
export async function startLateStart(wsUrl: string): Promise<LateStart> {
  const { hostname, port, pathname } = new URL(wsUrl);
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket.setNoDelay(true));
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    const network = createConnection({ host: hostname, port: Number(port) });
    track(client);
    track(network);
    const late = lateAtFirst();
    client.on('close', () => network.destroy());
    // ends the client's connection after the last chunk, also if the network drops its own
    network.on('close', () => late.end());
    client.pipe(network);
    network.pipe(late).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const own = typeof address === 'object' ? address?.port : undefined;
  return {
    wsUrl: `ws://127.0.0.1:${own}${pathname}`,
    async stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** Passes chunks on in their order, the first ones late. */
function lateAtFirst(): Transform {
  let count = 0;
  return new Transform({
    transform(chunk, _encoding, done) {
      if (count++ < LATE_CHUNKS) setTimeout(done, LATE_MS, null, chunk);
      else done(null, chunk);
    },
  });
}
