import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { eventOf, eventsOf } from '../support/events.js';
import { BOB, linkSession } from '../support/pairing.js';
import { silent, startReceiver, type TestReceiver } from '../support/receiver.js';
import { startWorld, type World } from '../support/world.js';

/** More than the calls that one receiver gets at the same time. */
const CROWD = 40;

describe('a receiver that is slow, down, or answers garbage', () => {
  let world: World;
  let slow: TestReceiver;
  let garbage: GarbageReceiver;
  before(async () => {
    world = await startWorld({ overrides: { stopGraceMs: 100 } });
    await world.phones.addPhone(BOB);
    slow = await startReceiver(silent);
    garbage = await startGarbageReceiver();
  });
  after(async () => {
    await world.stop();
    await slow.stop();
    await garbage.stop();
  });

  it('delays nobody else', async () => {
    const down = await startReceiver();
    await down.stop();
    const bad = [
      { clientId: 'slow', number: '+15550000011', url: slow.url },
      { clientId: 'down', number: '+15550000012', url: down.url },
      { clientId: 'garbage', number: '+15550000013', url: garbage.url },
    ];
    for (const { clientId, number, url } of bad) {
      const settings = { webhookUrl: url, pollLookupUrl: slow.url };
      await linkSession(world, clientId, { number, name: clientId }, settings);
    }
    const good = '+15550000014';
    await linkSession(world, 'good', { number: good, name: 'good' });
    const crowd = bad.flatMap(({ number }) => Array.from({ length: CROWD }, () => number));
    await Promise.all(crowd.map((to) => world.phones.write(BOB.number, { to, text: 'into the void' })));
    await slow.received(1);
    await garbage.reached;
    for (let index = 0; index < 5; index++) {
      const { messageId } = await world.phones.write(BOB.number, { to: good, text: `message ${index}` });
      expect(await eventOf(world.receiver, messageId)).to.include({
        clientId: 'good',
        body: `message ${index}`,
      });
      expect(eventsOf(world.receiver, messageId)).to.have.length(1);
    }
    // nobody waited for them to end
    expect((await openJournals(world)).slow).to.be.greaterThan(0);
  });
});

async function openJournals(world: World): Promise<Record<string, number>> {
  const { body } = await world.api.get('/health/clients');
  const clients: unknown = body.clients;
  if (!Array.isArray(clients)) throw new Error('clients is a list');
  return Object.fromEntries(clients.map(({ clientId, openJournal }) => [clientId, openJournal]));
}

interface GarbageReceiver {
  url: string;
  /** Resolves with the first call. */
  reached: Promise<unknown>;
  stop(): Promise<void>;
}

/** Answers with bytes that are no HTTP. */
async function startGarbageReceiver(): Promise<GarbageReceiver> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.once('data', () => socket.end(randomBytes(1_000)));
  });
  const reached = once(server, 'connection');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    reached,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
