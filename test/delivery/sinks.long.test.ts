import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { PUBLISH_TIMEOUT_MS } from '../../src/delivery/sinks/sink.js';
import { type SinkEvent, Sinks } from '../../src/delivery/sinks/sinks.js';
import { signature } from '../../src/delivery/webhook-headers.js';
import { type Clock, systemClock } from '../../src/domain/clock.js';
import { SECRET, SECRET_IN_URL } from '../support/brokers.js';
import { ManualClock } from '../support/manual-clock.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';
import { amqpRig, kafkaRig, natsRig, redisRig, type SinkRig } from './support/sink-rigs.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TOKEN = 'receiver-token';
const DELIVERED = { outcome: 'delivered', status: 0, reason: '' };
const IDLE_MS = 60_000;
const PLACES: Readonly<Record<string, string>> = {
  nats: '/a',
  kafka: '/a',
  redis: '/0?stream=a',
  amqp: '/?key=a',
};

let made = 0;
/** A new event of a chat, with its number as body. */
function eventOf(chat = 'acme-1-2', body?: string): SinkEvent {
  const deliveryId = `01JD${++made}`;
  const written = Buffer.from(body ?? JSON.stringify({ made }));
  return { token: TOKEN, deliveryId, type: 'text', attempt: 1, body: written, clientId: 'acme', chat };
}

/** A machine that is slow must not end an attempt: their time stands still. */
const newSinks = (clock: Clock = new ManualClock()) =>
  new Sinks({ clock, signing: systemClock, allowPrivate: true });

/** What every broker must do. */
function itPublishes(start: () => Promise<SinkRig>): void {
  let rig: SinkRig;
  let sinks: Sinks;
  before(async () => {
    rig = await start();
  });
  after(() => rig.stop());
  beforeEach(() => {
    sinks = newSinks();
  });
  afterEach(() => sinks.stop());

  it('stores an event with its headers, and none of them is the token', async () => {
    const event = { ...eventOf(), attempt: 3 };
    expect(await sinks.publish(rig.url, event)).to.deep.equal(DELIVERED);
    const [stored] = await rig.read();
    const { headers, body } = stored ?? { headers: {}, body: '' };
    expect(body).to.equal(event.body.toString());
    expect(headers).to.include({
      'x-sn-event': 'text',
      'x-sn-delivery': event.deliveryId,
      'x-sn-attempt': '3',
      'webhook-id': event.deliveryId,
    });
    const timestamp = Number(headers['webhook-timestamp']);
    expect(headers['webhook-signature']).to.equal(signature(TOKEN, event.deliveryId, timestamp, event.body));
    expect(JSON.stringify(headers)).not.to.contain(TOKEN);
  });

  it('keeps the order of each chat while several publish', async () => {
    const chats = ['acme-1-2', 'acme-1-3', 'acme-1-4', 'acme-1-5'];
    const sent = await Promise.all(
      chats.map(async (chat) => {
        const bodies: string[] = [];
        for (let count = 0; count < 15; count++) {
          const event = eventOf(chat);
          expect(await sinks.publish(rig.url, event)).to.deep.equal(DELIVERED);
          bodies.push(event.body.toString());
        }
        return bodies;
      }),
    );
    const read = (await rig.read()).map(({ body }) => body);
    for (const bodies of sent) {
      expect(read.filter((body) => bodies.includes(body))).to.deep.equal(bodies);
    }
  });

  it('fails while the broker is down, and stores the event once it is back', async () => {
    expect(await sinks.publish(rig.url, eventOf())).to.deep.equal(DELIVERED);
    await rig.down();
    const event = eventOf();
    const failed = await sinks.publish(rig.url, event);
    expect(failed).to.include({ outcome: 'failed', status: 0 });
    expect(failed.reason).to.be.a('string').with.length.above(0);
    await rig.up();
    expect(await sinks.publish(rig.url, event)).to.deep.equal(DELIVERED);
    const read = (await rig.read()).map(({ body }) => body);
    expect(read).to.include(event.body.toString());
  });

  it('says why the broker takes nothing at a place', async () => {
    const { url = '', reason = '' } = rig.noPlace ?? {};
    const result = await sinks.publish(url, eventOf());
    expect(result).to.include({ outcome: 'failed', status: 0 });
    expect(result.reason).to.contain(reason);
  });

  it('closes a connection after a minute without events', async () => {
    const clock = new ManualClock();
    const idle = newSinks(clock);
    expect(await idle.publish(rig.url, eventOf())).to.deep.equal(DELIVERED);
    expect(idle.size).to.equal(1);
    clock.advance(IDLE_MS);
    await until('the end of the connection', async () => idle.size === 0);
    expect(await idle.publish(rig.url, eventOf())).to.deep.equal(DELIVERED);
    await idle.stop();
    expect(idle.size).to.equal(0);
  });

  it('leaves nothing open that would keep the process alive', async () => {
    const script = `
      import { Sinks } from './src/delivery/sinks/sinks.ts';
      import { systemClock as clock } from './src/domain/clock.ts';
      const sinks = new Sinks({ clock, signing: clock, allowPrivate: true });
      const event = { token: '', deliveryId: 'a', type: 'text', attempt: 1, body: Buffer.from('{}'), clientId: 'acme', chat: 'a' };
      console.log((await sinks.publish(process.env.SINK, event)).outcome);
      await sinks.stop();`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      cwd: ROOT,
      env: { ...process.env, SINK: rig.url },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [printed, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    expect({ printed, exitCode }).to.deep.equal({ printed: 'delivered\n', exitCode: 0 });
  });
}

/** What brokers with users, and with one address, must do. */
function itKeepsSecretsAndPatience(start: () => SinkRig): void {
  it('gives up after 15 s while the broker hangs, and stores the event once it answers', async () => {
    const { url, port, read } = start();
    const relay = await startTcpProxy('127.0.0.1', port);
    const clock = new ManualClock();
    const sinks = newSinks(clock);
    const relayed = url.replace(`:${port}`, `:${relay.port}`);
    expect(await sinks.publish(relayed, eventOf())).to.deep.equal(DELIVERED);
    relay.freeze();
    const event = eventOf();
    const publishing = sinks.publish(relayed, event);
    clock.advance(PUBLISH_TIMEOUT_MS);
    expect((await publishing).reason).to.equal('no answer within 15 s');
    relay.restore();
    expect(await sinks.publish(relayed, event)).to.deep.equal(DELIVERED);
    await sinks.stop();
    expect(sinks.size).to.equal(0);
    await relay.stop();
    expect((await read()).map(({ body }) => body)).to.include(event.body.toString());
  });

  it('says that the password is wrong, and shows neither this nor the right one', async () => {
    const sinks = newSinks();
    const { url, wrongPassword } = start();
    const result = await sinks.publish(url.replace(SECRET_IN_URL, 'Wr0ng%2Fword'), eventOf());
    await sinks.stop();
    expect(result).to.include({ outcome: 'failed', status: 0 });
    expect(result.reason).to.contain(wrongPassword);
    for (const secret of [SECRET, SECRET_IN_URL, 'Wr0ng', TOKEN])
      expect(result.reason).not.to.contain(secret);
  });
}

describe('sinks', function () {
  this.timeout(120_000);

  const starting = (start: () => Promise<SinkRig>) => {
    const started: { rig?: SinkRig } = {};
    return {
      start: async () => {
        started.rig = await start();
        return started.rig;
      },
      rig: () => {
        if (!started.rig) throw new Error('unreachable: the rig was started before');
        return started.rig;
      },
    };
  };

  describe('NATS JetStream', () => {
    const { start, rig } = starting(natsRig);
    itPublishes(start);
    itKeepsSecretsAndPatience(rig);

    it('stores an event once that was acknowledged too late', async () => {
      const sinks = newSinks();
      const event = eventOf();
      await sinks.publish(rig().url, event);
      expect(await sinks.publish(rig().url, { ...event, attempt: 2 })).to.deep.equal(DELIVERED);
      await sinks.stop();
      const copies = (await rig().read()).filter(({ body }) => body === event.body.toString());
      expect(copies.map(({ headers }) => headers['Nats-Msg-Id'])).to.deep.equal([event.deliveryId]);
    });

    it('gives an event up that is above the limit of the server', async () => {
      const sinks = newSinks();
      expect(await sinks.publish(rig().url, eventOf('acme-1-2', 'x'.repeat(70_000)))).to.deep.equal({
        outcome: 'rejected',
        status: 413,
        reason: 'it is above the max_payload of the server',
      });
      expect(await sinks.publish(rig().url, eventOf())).to.deep.equal(DELIVERED);
      await sinks.stop();
    });
  });

  describe('Redis streams', () => {
    const { start, rig } = starting(redisRig);
    itPublishes(start);
    itKeepsSecretsAndPatience(rig);
  });

  describe('RabbitMQ', () => {
    const { start, rig } = starting(amqpRig);
    itPublishes(start);
    itKeepsSecretsAndPatience(rig);

    it('does not take an event for delivered that no queue gets', async () => {
      const sinks = newSinks();
      const url = rig().url.replace('wa.{clientId}', 'other.{clientId}');
      expect(await sinks.publish(url, eventOf())).to.deep.equal({
        outcome: 'failed',
        status: 0,
        reason: 'no queue is bound to exchange amq.topic for key other.acme.text',
      });
      await sinks.stop();
    });

    it('gives an event up that is above the limit of the broker', async () => {
      const sinks = newSinks();
      const result = await sinks.publish(rig().url, eventOf('acme-1-2', 'x'.repeat(70_000)));
      expect(result).to.include({ outcome: 'rejected', status: 413 });
      expect(result.reason).to.contain('is larger than configured max size 65536');
      expect(await sinks.publish(rig().url, eventOf())).to.deep.equal(DELIVERED);
      await sinks.stop();
    });
  });

  describe('Kafka', () => {
    let kafka: Awaited<ReturnType<typeof kafkaRig>>;
    itPublishes(async () => {
      kafka = await kafkaRig();
      return kafka;
    });

    it('gives the events of a chat one partition, by the chat as key', async () => {
      const sinks = newSinks();
      for (const chat of ['acme-7-1', 'acme-7-2', 'acme-7-1', 'acme-7-2', 'acme-7-1']) {
        await sinks.publish(kafka.url, eventOf(chat));
      }
      await sinks.stop();
      for (const chat of ['acme-7-1', 'acme-7-2']) {
        const read = (await kafka.read()).filter(({ headers }) => headers.key === chat);
        expect(new Set(read.map(({ headers }) => headers.partition)).size).to.equal(1);
      }
    });

    it('gives an event up that is above the limit of the topic', async () => {
      const sinks = newSinks();
      await sinks.publish(kafka.url, eventOf());
      await kafka.broker.refuse('tooLarge');
      expect(await sinks.publish(kafka.url, eventOf())).to.include({ outcome: 'rejected', status: 413 });
      await kafka.broker.refuse('notAuthorized');
      const refused = await sinks.publish(kafka.url, eventOf());
      expect(refused).to.include({ outcome: 'failed', status: 0 });
      expect(refused.reason).to.match(/^topic wa: .*authorized/i);
      await sinks.stop();
    });

    it('shows no password when the broker knows no users', async () => {
      const sinks = newSinks();
      const { outcome, reason } = await sinks.publish(kafka.url.replace('//', '//me:s3cr3t@'), eventOf());
      await sinks.stop();
      expect(outcome).to.equal('failed');
      expect(reason).not.to.contain('s3cr3t');
    });
  });

  for (const scheme of ['nats', 'redis', 'amqp', 'kafka']) {
    it(`fail after 15 s at a ${scheme} address where a server says nothing`, async () => {
      const clock = new ManualClock();
      const sinks = newSinks(clock);
      const sockets: Socket[] = [];
      const server = createServer((socket) => sockets.push(socket.resume().on('error', () => undefined)));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : 0;
      const connected = once(server, 'connection');
      const url = `${scheme}://127.0.0.1:${port}${PLACES[scheme] ?? ''}`;
      const publishing = sinks.publish(url, eventOf());
      await connected;
      clock.advance(PUBLISH_TIMEOUT_MS);
      expect(await publishing).to.deep.equal({
        outcome: 'failed',
        status: 0,
        reason: 'no answer within 15 s',
      });
      const closed = sockets.map((socket) => socket.closed || once(socket, 'close'));
      await sinks.stop();
      await Promise.all(closed);
      server.close();
    });
  }
});
