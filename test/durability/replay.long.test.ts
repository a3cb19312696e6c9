import { expect } from 'chai';
import type { Answer, KeptEvent } from '../../src/contract/index.js';
import { eventIn } from '../support/inbound.js';
import { answering, silent } from '../support/receiver.js';
import { until } from '../support/until.js';
import { ALICE, BOB, startKillableWorld, WEBHOOK_TOKEN, type World } from '../support/world.js';

const PATIENCE_MS = 120_000;
const always = '1970-01-01T00:00:00.000Z';

describe('kept events while the daemon is killed', function () {
  this.timeout(PATIENCE_MS);
  let world: World;

  before(async () => {
    world = await startKillableWorld({ leaseSeconds: 8 });
    await world.api.post('/set-retention', { clientId: 'acme', keepEvents: 1 });
  });
  after(() => world.stop());

  const kept = async (): Promise<KeptEvent[]> => {
    const { body } = await world.api.get('/kept-events?clientId=acme');
    const { keptEvents }: Answer<'listKeptEvents'> = JSON.parse(JSON.stringify(body));
    return keptEvents;
  };
  const write = async (text: string) =>
    (await world.phones.write(BOB.number, { to: ALICE.number, text })).messageId;
  const restart = async () => {
    await world.killDaemon();
    await world.startDaemon();
    await world.connected();
  };
  const callsOf = (messageId: string) =>
    world.receiver.calls.filter((call) => eventIn(call).messageId === messageId);

  it('are stored once when they are announced again after the kill', async () => {
    world.receiver.respond(silent);
    const messageId = await write('twice');
    await until('the kept event', async () => (await kept()).length === 1);
    await until('the first call', async () => callsOf(messageId).length > 0);
    const [before] = await kept();
    const calls = callsOf(messageId).length;
    await world.killDaemon();
    world.receiver.respond(answering(200));
    await world.startDaemon();
    await world.connected();
    await until('the second announcement', async () => callsOf(messageId).length > calls);
    const next = await write('next');
    await until('the next kept event', async () => (await kept())[0]?.messageId === next);
    expect((await kept()).slice(1)).to.deep.equal([before]);
  });

  it('are delivered after the kill to the durable receiver for which they waited, in order and with their header', async () => {
    await world.api.post('/set-webhook', {
      ...{ clientId: 'acme', webhookUrl: world.receiver.url, webhookToken: WEBHOOK_TOKEN, retry: 'durable' },
    });
    for (const text of ['one', 'two', 'three']) {
      const messageId = await write(text);
      await until('the call', async () => callsOf(messageId).length > 0);
      await until('the kept event', async () => (await kept())[0]?.messageId === messageId);
    }
    const events = (await kept()).reverse();
    world.receiver.respond(answering(503));
    const { body } = await world.api.post('/replay', { clientId: 'acme', from: always });
    expect(body).to.include({ replayed: events.length, filtered: 0 });
    await restart();
    const from = world.receiver.calls.length;
    world.receiver.respond(answering(200));
    const replayed = () =>
      world.receiver.calls.slice(from).flatMap(({ headers }) => headers['x-sn-replayed'] ?? []);
    await until('the replayed events', async () => new Set(replayed()).size === events.length);
    expect([...new Set(replayed())]).to.deep.equal(events.map(({ id }) => id));
  });
});
