import { expect } from 'chai';
import Doctor from '../../commands/doctor.js';
import FailedList from '../../commands/failed/list.js';
import ReceiversList from '../../commands/receivers/list.js';
import ReceiversTest from '../../commands/receivers/test.js';
import { verifyWebhook } from '../../src/client/verify.js';
import type { Answer, Receiver } from '../../src/contract/index.js';
import { natsRig, type ReadEvent, redisRig, type SinkRig } from '../gateway/delivery/support/sink-rigs.js';
import { SECRET, SECRET_IN_URL } from '../support/brokers.js';
import { eventIn } from '../support/receiver.js';
import { runCommand } from '../support/run-command.js';
import { until } from '../support/until.js';
import { ALICE, BOB, CAROL, startKillableWorld, TOKEN, type World } from '../support/world.js';

const BROKER_TOKEN = 'broker-token';
/** Each of two people writes so many messages. */
const MESSAGES = 8;

describe('a session with brokers as receivers', function () {
  this.timeout(180_000);
  let world: World;
  let nats: SinkRig;
  let redis: SinkRig;
  /** By broker. */
  const ids = { nats: '', redis: '' };
  /** Message ids by author. */
  const written = new Map<string, string[]>([
    [BOB.number, []],
    [CAROL.number, []],
  ]);

  before(async () => {
    nats = await natsRig();
    redis = await redisRig();
    world = await startKillableWorld({ leaseSeconds: 8 });
    await world.phones.addPhone(CAROL);
  });
  after(async () => {
    await world.stop();
    await nats.stop();
    await redis.stop();
  });

  const add = async (settings: object) => {
    const filter = { types: ['text'] };
    const { status, body } = await world.api.post('/receivers', { clientId: 'acme', filter, ...settings });
    if (status !== 200) return { status, error: String(body.error) };
    const answer: Answer<'addReceiver'> = JSON.parse(JSON.stringify(body));
    return { status, receiver: answer.receiver };
  };
  const list = async (): Promise<Receiver[]> => {
    const answer: Answer<'listReceivers'> = JSON.parse(
      JSON.stringify((await world.api.get('/receivers?clientId=acme')).body),
    );
    return answer.receivers;
  };
  const one = async (id: string) => (await list()).find((receiver) => receiver.id === id);
  const nothingWaits = async (id: string) => {
    const receiver = await one(id);
    return receiver !== undefined && receiver.waiting === undefined;
  };
  /** Both people write in turn. */
  const write = async (what: string) => {
    for (let n = 0; n < MESSAGES; n++) {
      for (const [author, messages] of written) {
        const { messageId } = await world.phones.write(author, {
          to: ALICE.number,
          text: `${what} ${n}`,
        });
        messages.push(messageId);
      }
    }
  };
  /** Message ids of one author, in the order of the broker, without repeats. */
  const idsIn = (events: readonly ReadEvent[], phone: string) => {
    const all = events.map(({ body }) => JSON.parse(body));
    return [...new Set(all.filter((event) => event.remotePhone === phone).map((event) => event.messageId))];
  };
  const total = () => [...written.values()].flat().length;
  const hasAll = async (rig: SinkRig) =>
    new Set((await rig.read()).map(({ headers }) => headers['x-sn-delivery'])).size >= total();
  const webhookHasAll = () =>
    until('the events at the webhook', async () => {
      const got = new Set(world.receiver.calls.map((call) => eventIn(call)?.messageId));
      return [...written.values()].flat().every((id) => got.has(id));
    });
  /** Everything is there, in each chat in the order in which the daemon announced it. */
  const expectOrder = async (rig: SinkRig) => {
    const announced = world.tail.entries.flatMap((entry) =>
      entry.kind === 'event' && 'messageId' in entry.event ? [entry.event.messageId] : [],
    );
    const events = await rig.read();
    for (const [author, messages] of written) {
      const stored = idsIn(events, author);
      expect(stored, author).to.have.members(messages);
      const inOrder = [...new Set(announced)].filter((id) => messages.includes(id));
      expect(inOrder, author).to.have.length.above(0);
      expect(
        stored.filter((id) => inOrder.includes(id)),
        author,
      ).to.deep.equal(inOrder);
    }
  };

  it('refuses an address that breaks a rule, and retries that are not durable', async () => {
    expect(await add({ url: 'nats://nats.example' })).to.deep.equal({
      status: 400,
      error: 'url: the path must name a subject (the form is nats://USER:PASSWORD@HOST:4222/SUBJECT)',
    });
    expect(await add({ url: nats.url, retry: 'contract' })).to.deep.equal({
      status: 400,
      error: 'retry: a broker always has durable retries; leave it out',
    });
    expect((await add({ url: 'ftp://example.com' })).error).to.contain(
      'url must be an absolute http(s) URL, or one of a broker: nats, tls, kafka',
    );
  });

  it('sends each broker the signed events, and never shows the password', async () => {
    const settings = { schedule: { pauses: [1] }, token: BROKER_TOKEN };
    for (const [name, rig] of [
      ['nats', nats],
      ['redis', redis],
    ] as const) {
      const { receiver } = await add({ url: rig.url, name, ...settings });
      expect(receiver).to.include({ retry: 'durable', url: rig.url.replace(/\/\/.*@/, '//***@') });
      ids[name] = receiver?.id ?? '';
    }
    await write('both up');
    await until('the events at NATS', () => hasAll(nats));
    await until('the events at Redis', () => hasAll(redis));
    await expectOrder(nats);
    await expectOrder(redis);
    const [event] = await nats.read();
    if (!event) throw new Error('unreachable: the events were read');
    const headers = { ...event.headers, authorization: `Bearer ${BROKER_TOKEN}` };
    expect(
      verifyWebhook({
        headers,
        body: event.body,
        token: BROKER_TOKEN,
        toleranceSeconds: Number.POSITIVE_INFINITY,
      }),
    ).to.include({ clientId: 'acme', type: 'text' });
    const env = { SWITCHBOARD_URL: world.api.url, SWITCHBOARD_TOKEN: TOKEN };
    const { stdout } = await runCommand(ReceiversList, ['acme'], env);
    expect(stdout)
      .to.match(/ nats +works +durable /)
      .and.match(/ redis +works +durable /);
    const shown = [stdout, JSON.stringify(world.tail.entries), JSON.stringify(await list())];
    for (const path of ['/fleet', '/health/clients', '/failed-deliveries']) {
      shown.push(JSON.stringify((await world.api.get(path)).body));
    }
    for (const secret of [SECRET, SECRET_IN_URL, BROKER_TOKEN]) {
      expect(shown.join('\n')).not.to.contain(secret);
    }
  });

  it('delays no other receiver while one broker is down, and shows the waiting events', async () => {
    await nats.down();
    await write('NATS is down');
    await webhookHasAll();
    await until('the events at Redis', () => hasAll(redis));
    await until('the waiting events', async () => {
      const { waiting } = (await one(ids.nats)) ?? {};
      return waiting?.events === 2 * MESSAGES && waiting.circuit === 'open';
    });
    expect(await one(ids.redis)).not.to.have.property('waiting');
    const { body } = await world.api.get('/fleet');
    expect(JSON.stringify(body)).to.contain(`"origin":"nats://127.0.0.1:${nats.port}"`);
    expect((await world.api.get('/failed-deliveries')).body).to.deep.equal({ failedDeliveries: [] });
    const env = { SWITCHBOARD_URL: world.api.url, SWITCHBOARD_TOKEN: TOKEN };
    const failed = await runCommand(FailedList, ['--session', 'acme', '--receiver', ids.nats], env);
    expect(failed.stderr).to.contain(`${2 * MESSAGES} events wait`);
    // exits with 1 for what it finds
    const doctor = await runCommand(Doctor, ['--session', 'acme', '--no-send'], env);
    expect(doctor.stdout).to.contain(`receiver ${ids.nats}: ${2 * MESSAGES} events wait`);
    expect(failed.stderr + doctor.stdout + doctor.stderr).not.to.contain(SECRET_IN_URL);
  });

  it('delivers every event in the order of each chat after the daemon was killed meanwhile', async () => {
    await world.killDaemon();
    await nats.up();
    await world.startDaemon();
    await world.connected();
    await write('after');
    await webhookHasAll();
    for (const id of Object.values(ids)) await until('an empty queue', () => nothingWaits(id));
    await until('the events at NATS', () => hasAll(nats));
    await expectOrder(nats);
    await expectOrder(redis);
  });

  it('can be tested by hand, and reports the reason of the broker', async () => {
    const env = { SWITCHBOARD_URL: world.api.url, SWITCHBOARD_TOKEN: TOKEN };
    const test = () => runCommand(ReceiversTest, ['acme', ids.nats], env);
    expect(await test()).to.include({ exitCode: 0 });
    const { url = '' } = nats.noPlace ?? {};
    await world.api.post('/receivers/update', { clientId: 'acme', id: ids.nats, url });
    const { stdout, stderr, exitCode } = await test();
    expect(exitCode).not.to.equal(0);
    expect(stdout + stderr).to.contain('no stream takes the subject elsewhere.acme');
  });
});
