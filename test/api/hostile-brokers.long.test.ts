import { expect } from 'chai';
import { flood, type HostileServer, hostileServer } from '../gateway/delivery/support/hostile.js';
import { playKafka } from '../gateway/delivery/support/played-kafka.js';
import { newerNode } from '../support/newer-node.js';
import { eventOf } from '../support/receiver.js';
import { until } from '../support/until.js';
import { ALICE, BOB, linkSession, startWorld, type World } from '../support/world.js';

/** Milliseconds for an answer of `/health/live` on a machine that does other things, too. */
const LIVE_MS = Number(process.env.LIVE_MS ?? 2_000);
const INFO =
  'INFO {"server_id":"a","version":"2.10.0","headers":true,"max_payload":1048576,"jetstream":true}\r\n';

interface Shown {
  id: string;
  pauseCode?: string;
  waiting?: { events: number };
  last?: { outcome: string };
}

describe('a daemon with hostile brokers', function () {
  this.timeout(180_000);
  let world: World;
  const servers: HostileServer[] = [];
  before(async () => {
    const brokers = { process: { execPath: newerNode() } };
    world = await startWorld({ settings: { allowPrivateUrls: true }, overrides: { brokers } });
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme');
  });
  after(async () => {
    await world.stop();
    for (const server of servers) await server.stop();
  });

  const list = async (): Promise<Shown[]> =>
    JSON.parse(JSON.stringify((await world.api.get('/receivers?clientId=acme')).body)).receivers;
  const one = async (id: string) => (await list()).find((receiver) => receiver.id === id);
  const add = async (scheme: string, rest: string, treat: (socket: import('node:net').Socket) => void) => {
    const server = await hostileServer(treat);
    servers.push(server);
    const settings = { schedule: { pauses: [1] }, url: `${scheme}://127.0.0.1:${server.port}${rest}` };
    const { status, body } = await world.api.post('/receivers', { clientId: 'acme', ...settings });
    expect(status, JSON.stringify(body)).to.equal(200);
    return String(JSON.parse(JSON.stringify(body)).receiver.id);
  };
  const write = async (text: string) =>
    (await world.phones.write(BOB.number, { to: ALICE.number, text })).messageId;

  it('answers, delivers to other receivers, pauses the hostile ones, and survives a restart', async () => {
    const zeros = await add('kafka', '/wa', (socket) => void socket.write(Buffer.alloc(400)));
    const negative = await add(
      'kafka',
      '/wa',
      (socket) => void socket.write(Buffer.from('ffffff9c00000001', 'hex')),
    );
    const breaking = await add('kafka', '/wa', (socket) =>
      playKafka(socket, { host: '127.0.0.1', port: socket.localPort ?? 0, partitions: 0 }),
    );
    const pings = await add('nats', '/wa', (socket) => {
      socket.write(INFO);
      flood(socket, Buffer.from('PING\r\n'.repeat(4_096)));
    });
    let longest = 0;
    let asks = true;
    const asking = (async () => {
      while (asks) {
        const before = performance.now();
        expect((await fetch(`${world.daemon.url}/health/live`)).status).to.equal(200);
        longest = Math.max(longest, performance.now() - before);
      }
    })();
    await eventOf(world.receiver, await write('to all of them'));
    await until('the pause of both', async () => {
      const [flooding, crashing] = [await one(pings), await one(breaking)];
      return flooding?.pauseCode === 'broker_flood' && crashing?.pauseCode === 'broker_crash';
    });
    await eventOf(world.receiver, await write('and another one'));
    asks = false;
    await asking;
    expect(longest).to.be.below(LIVE_MS);
    // whether nonsense breaks the client is up to the client: each is judged by itself, and none for another one
    for (const id of [zeros, negative]) {
      await until('an attempt', async () => (await one(id))?.last !== undefined);
      expect((await one(id))?.pauseCode ?? 'broker_crash').to.equal('broker_crash');
    }
    const fleet = JSON.parse(JSON.stringify((await world.api.get('/fleet')).body));
    const codes = fleet.sessions[0].receivers.map(({ pauseCode = '' }) => pauseCode);
    expect(codes.slice(2)).to.deep.equal(['broker_crash', 'broker_flood']);

    await world.stopDaemon();
    await world.startDaemon();
    await world.connected();
    await eventOf(world.receiver, await write('after the restart'));
    expect((await one(pings))?.pauseCode).to.equal('broker_flood');
    expect((await one(breaking))?.pauseCode).to.equal('broker_crash');
    expect((await one(breaking))?.waiting?.events).to.equal(3);
  });
});
