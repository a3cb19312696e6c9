import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { expect } from 'chai';
import { systemClock } from '../../../src/domain/clock.js';
import { guardedAgent } from '../../../src/gateway/delivery/guarded-agent.js';
import { PollLookups } from '../../../src/gateway/delivery/poll-lookup.js';
import { readTarget, WebhookClient } from '../../../src/gateway/delivery/webhook.js';
import { mediaRoute } from '../../../src/gateway/link/baileys/media/route.js';
import { directConnector } from '../../../src/gateway/link/baileys/tunnel.js';
import { Spool } from '../../../src/gateway/services/files/spool.js';
import { UrlFetcher } from '../../../src/gateway/services/files/url-fetcher.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';

/** What the HTTP library lets wait by default: then it holds back, and nothing is left in the socket. */
const BYTES = 64 * 1024;

// an exception in the handler of a socket ends a daemon, and fails the test that runs
describe('a host that closes the connection while its answer waits for a reader', () => {
  let folder: TempDir;
  let server: Server;
  let url: string;
  const sockets = new Set<Socket>();
  /** Ends a connection after its answer. */
  let close: (socket: Socket) => void;

  before(async () => {
    folder = await makeTempDir();
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${BYTES}\r\nConnection: close\r\n\r\n`);
        socket.write(Buffer.alloc(BYTES, 'a'));
        close(socket);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await folder.remove();
  });
  beforeEach(() => {
    close = (socket) => socket.end();
  });

  for (const [end, how] of [
    ['ends', (socket: Socket) => socket.end()],
    ['resets', (socket: Socket) => void later(50).then(() => socket.resetAndDestroy())],
  ] as const) {
    for (const [client, agentFor] of [
      ['addresses of callers', () => guardedAgent({ allowPrivate: true, timeoutMs: 5_000 })],
      ['the media host', () => mediaRoute(undefined, undefined).dispatcher],
    ] as const) {
      it(`causes a failure or a complete answer when it ${end} the connection, and the next request works, for ${client}`, async () => {
        close = how;
        const agent = agentFor();
        for (let attempt = 0; attempt < 3; attempt++) {
          const { body } = await agent.request({ origin: url, path: '/', method: 'GET' });
          await later(150);
          const read = await body.arrayBuffer().catch((error: unknown) => error);
          if (!(read instanceof Error)) expect(read).to.have.property('byteLength', BYTES);
        }
        close = (socket) => socket.end();
        const { body } = await agent.request({ origin: url, path: '/', method: 'GET', highWaterMark: BYTES });
        expect((await body.arrayBuffer()).byteLength).to.equal(BYTES);
        await agent.destroy();
      });
    }
  }

  it('lets an event be delivered, a poll look-up fail with a reason, and a file be fetched', async () => {
    const webhooks = new WebhookClient({
      clock: systemClock,
      signing: systemClock,
      allowPrivate: true,
      connections: 4,
    });
    const target = readTarget(`${url}/hook`);
    if (!target) throw new Error('unreachable: it is an address');
    const facts = { token: '', deliveryId: '01', type: 'text', attempt: 1, body: Buffer.from('{}') };
    for (let call = 0; call < 20; call++) {
      expect(await webhooks.post(target, facts)).to.deep.equal({
        outcome: 'delivered',
        status: 200,
      });
    }
    await webhooks.destroy();
    const polls = new PollLookups({ allowPrivate: true, clock: systemClock });
    const asked = { clientId: 'acme', chatRoomId: 'a-1-2', pollMessageId: '3EB0' };
    expect(await polls.ask({ url, token: '' }, asked))
      .to.have.property('reason')
      .that.includes('must be JSON');
    await polls.destroy();
    const spool = new Spool(join(folder.path, 'spool'));
    await spool.start();
    const fetcher = new UrlFetcher({ allowPrivate: true, spool, clock: systemClock });
    const file = await fetcher.fetch('acme', `${url}/file`);
    expect(file).to.have.property('size', BYTES);
    if (file !== 'too-large') await file.discard();
    await fetcher.stop();
  });

  it('ends no process that has a pool of connections to a proxy', async () => {
    const { Pool } = await import('undici');
    const pool = new Pool(url, { connect: directConnector(5_000) });
    const { body } = await pool.request({ path: '/', method: 'GET' });
    await later(150);
    await body.arrayBuffer().catch(() => undefined);
    await pool.destroy();
  });
});
