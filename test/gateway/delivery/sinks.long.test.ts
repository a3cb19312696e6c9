import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Clock } from '../../../src/domain/clock.js';
import { signature } from '../../../src/domain/webhook-headers.js';
import { PUBLISH_TIMEOUT_MS } from '../../../src/gateway/delivery/sinks/sink.js';
import type { Sinks } from '../../../src/gateway/delivery/sinks/sinks.js';
import { SECRET, SECRET_IN_URL } from '../../support/brokers.js';
import { ManualClock } from '../../support/manual-clock.js';
import { newerNode } from '../../support/newer-node.js';
import { startTcpProxy } from '../../support/tcp-proxy.js';
import { until } from '../../support/until.js';
import { published } from './support/published.js';
import { amqpRig, kafkaRig, natsRig, redisRig, type SinkRig } from './support/sink-rigs.js';
import { eventOf, newSinks } from './support/test-sinks.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const TOKEN = 'receiver-token';
/** Attempts of an event whose answer can be lost. */
const TRIES = 10;
const DELIVERED = { outcome: 'delivered', status: 0, reason: '' };
const IDLE_MS = 60_000;
const PLACES: Readonly<Record<string, string>> = {
  nats: '/a',
  kafka: '/a',
  redis: '/0?stream=a',
  amqp: '/?key=a',
};

/** A machine that is slow must not end an attempt: their time stands still. */
const stillSinks = (clock: Clock = new ManualClock()) => newSinks({ clock });

/** What every broker must do. */
function itPublishes(start: () => Promise<SinkRig>): void {
  let rig: SinkRig;
  let sinks: Sinks;
  before(async () => {
    rig = await start();
  });
  after(() => rig.stop());
  beforeEach(() => {
    sinks = stillSinks();
  });
  afterEach(() => sinks.stop());

  it('stores an event with its headers, and stores the token in none of them', async () => {
    const event = { ...eventOf(), attempt: 3 };
    expect(await published(sinks, rig.url, event)).to.deep.equal(DELIVERED);
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

  it('keeps the order of each chat while events of several chats are published at once', async () => {
    const chats = ['acme-1-2', 'acme-1-3', 'acme-1-4', 'acme-1-5'];
    const sent = await Promise.all(
      chats.map(async (chat) => {
        const bodies: string[] = [];
        for (let count = 0; count < 15; count++) {
          const event = eventOf(chat);
          expect(await published(sinks, rig.url, event)).to.deep.equal(DELIVERED);
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
    expect(await published(sinks, rig.url, eventOf())).to.deep.equal(DELIVERED);
    await rig.down();
    const event = eventOf();
    const failed = await published(sinks, rig.url, event);
    expect(failed).to.include({ outcome: 'failed', status: 0 });
    expect(failed.reason).to.be.a('string').with.length.above(0);
    await rig.up();
    expect(await published(sinks, rig.url, event)).to.deep.equal(DELIVERED);
    const read = (await rig.read()).map(({ body }) => body);
    expect(read).to.include(event.body.toString());
  });

  it('explains why the broker accepts nothing at a destination', async () => {
    const { url = '', reason = '' } = rig.noPlace ?? {};
    const result = await published(sinks, url, eventOf());
    expect(result).to.include({ outcome: 'failed', status: 0 });
    expect(result.reason).to.contain(reason);
  });

  it('closes a connection after a minute without events', async () => {
    const clock = new ManualClock();
    const idle = stillSinks(clock);
    expect(await published(idle, rig.url, eventOf())).to.deep.equal(DELIVERED);
    expect(idle.size).to.equal(1);
    clock.advance(IDLE_MS);
    await until('the end of the connection', async () => idle.size === 0);
    expect(await published(idle, rig.url, eventOf())).to.deep.equal(DELIVERED);
    await idle.stop();
    expect(idle.size).to.equal(0);
  });

  it('takes many events at a time without a warning of Node.js', async () => {
    const warnings: string[] = [];
    const note = ({ message }: Error) => warnings.push(message);
    process.on('warning', note);
    const sinks = stillSinks();
    const events = Array.from({ length: 30 }, (_, chat) => eventOf(`acme-1-${chat}`));
    const results = await Promise.all(events.map((event) => published(sinks, rig.url, event)));
    await sinks.stop();
    process.off('warning', note);
    expect(results).to.deep.equal(events.map(() => DELIVERED));
    expect(warnings).to.deep.equal([]);
  });

  it('leaves nothing open that would keep the process alive', async () => {
    const script = `
      import { Sinks } from './src/gateway/delivery/sinks/sinks.ts';
      import { systemClock as clock } from './src/domain/clock.ts';
      const log = { warn: () => undefined };
      const process_ = { allowPrivate: true, execPath: process.env.NODE };
      const sinks = new Sinks({ clock, signing: clock, log, process: process_ });
      const event = { token: '', deliveryId: 'a', type: 'text', attempt: 1, body: Buffer.from('{}'), clientId: 'acme', chat: 'a' };
      console.log((await sinks.publish(process.env.SINK, event)).outcome);
      await sinks.stop();`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      cwd: ROOT,
      env: { ...process.env, SINK: rig.url, NODE: newerNode() },
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
    const sinks = stillSinks(clock);
    const relayed = url.replace(`:${port}`, `:${relay.port}`);
    expect(await published(sinks, relayed, eventOf())).to.deep.equal(DELIVERED);
    relay.freeze();
    const event = eventOf();
    const publishing = published(sinks, relayed, event);
    await clock.scheduled(PUBLISH_TIMEOUT_MS);
    clock.advance(PUBLISH_TIMEOUT_MS);
    expect((await publishing).reason).to.equal('no answer within 15 s');
    relay.restore();
    expect(await published(sinks, relayed, event)).to.deep.equal(DELIVERED);
    await sinks.stop();
    expect(sinks.size).to.equal(0);
    await relay.stop();
    expect((await read()).map(({ body }) => body)).to.include(event.body.toString());
  });

  it('says that the password is wrong, and shows neither this nor the right one', async () => {
    const sinks = stillSinks();
    const { url, wrongPassword } = start();
    const result = await published(sinks, url.replace(SECRET_IN_URL, 'Wr0ng%2Fword'), eventOf());
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

    it('stores an event once even if it was acknowledged too late', async () => {
      const sinks = stillSinks();
      const event = eventOf();
      await published(sinks, rig().url, event);
      expect(await published(sinks, rig().url, { ...event, attempt: 2 })).to.deep.equal(DELIVERED);
      await sinks.stop();
      const copies = (await rig().read()).filter(({ body }) => body === event.body.toString());
      expect(copies.map(({ headers }) => headers['Nats-Msg-Id'])).to.deep.equal([event.deliveryId]);
    });

    it('refuses for good only the events that are too large among many concurrent ones, with their headers', async () => {
      const sinks = stillSinks();
      await published(sinks, rig().url, eventOf());
      // the second one is too large with its headers only
      const bodies = ['a', 'x'.repeat(70_000), 'b', 'x'.repeat(65_500), 'c'];
      const results = await Promise.all(
        bodies.map((body, chat) => published(sinks, rig().url, eventOf(`acme-1-${chat}`, body))),
      );
      await sinks.stop();
      expect(results.map(({ status }) => status)).to.deep.equal([0, 413, 0, 413, 0]);
      expect(results.filter(({ outcome }) => outcome === 'delivered')).to.have.length(3);
    });

    it('keeps its connection when the server refuses an event', async () => {
      const relay = await startTcpProxy('127.0.0.1', rig().port);
      const url = rig().url.replace(`:${rig().port}/`, `:${relay.port}/`);
      const sinks = stillSinks();
      try {
        expect(await published(sinks, url, eventOf())).to.deep.equal(DELIVERED);
        const connections = relay.sources.length;
        expect(await published(sinks, url, eventOf('acme-1-2', 'x'.repeat(70_000)))).to.include({
          status: 413,
        });
        expect(await published(sinks, url, eventOf())).to.deep.equal(DELIVERED);
        expect([relay.sources.length, sinks.size]).to.deep.equal([connections, 1]);
      } finally {
        await sinks.stop();
        await relay.stop();
      }
    });

    it('gives up an event that is above the limit of the server', async () => {
      const sinks = stillSinks();
      expect(await published(sinks, rig().url, eventOf('acme-1-2', 'x'.repeat(70_000)))).to.deep.equal({
        outcome: 'rejected',
        status: 413,
        reason: 'it is above the max_payload of the server',
      });
      expect(await published(sinks, rig().url, eventOf())).to.deep.equal(DELIVERED);
      await sinks.stop();
    });
  });

  describe('Redis streams', () => {
    const { start, rig } = starting(redisRig);
    itPublishes(start);
    itKeepsSecretsAndPatience(rig);

    it('refuses for good only the event that is above the limit of the server', async () => {
      const sinks = stillSinks();
      await rig().limit?.();
      const bodies = ['a', 'b', 'x'.repeat(1_500_000), 'c', 'd'];
      const publishAll = () =>
        Promise.all(bodies.map((body, chat) => published(sinks, rig().url, eventOf(`acme-1-${chat}`, body))));
      let results = await publishAll();
      // the server closes the connection with the body unread, so that its answer can be lost
      for (let n = 0; n < TRIES && results[2]?.outcome === 'failed'; n++) results = await publishAll();
      expect(results[2]).to.deep.equal({
        ...{ outcome: 'rejected', status: 413 },
        reason: 'it is above the proto-max-bulk-len of the server',
      });
      // what came later on that connection is tried again
      const others = results.filter((_, at) => at !== 2);
      expect(others.filter(({ outcome }) => outcome === 'rejected')).to.deep.equal([]);
      expect(await published(sinks, rig().url, eventOf())).to.deep.equal(DELIVERED);
      await sinks.stop();
    });
  });

  describe('RabbitMQ', () => {
    const { start, rig } = starting(amqpRig);
    itPublishes(start);
    itKeepsSecretsAndPatience(rig);

    it('does not count an event as delivered when no queue gets it', async () => {
      const sinks = stillSinks();
      const url = rig().url.replace('wa.{clientId}', 'other.{clientId}');
      expect(await published(sinks, url, eventOf())).to.deep.equal({
        outcome: 'failed',
        status: 0,
        reason: 'no queue is bound to exchange amq.topic for key other.acme.text',
      });
      await sinks.stop();
    });

    it('refuses for good only the event that is too large among many concurrent ones', async () => {
      const sinks = stillSinks();
      const events = Array.from({ length: 66 }, (_, chat) =>
        eventOf(`acme-1-${chat}`, chat === 30 ? 'x'.repeat(70_000) : undefined),
      );
      const tooLarge = events[30];
      const first = await Promise.all(events.map((event) => published(sinks, rig().url, event)));
      expect(first.filter(({ outcome }) => outcome === 'rejected')).to.deep.equal([]);
      expect(first.filter(({ outcome }) => outcome === 'failed')).to.have.length.above(1);
      // all at once again, as events of different sessions: each that failed is alone on its channel
      const again = await Promise.all(
        events.map((event, at) => {
          if (first[at]?.outcome === 'delivered') return DELIVERED;
          return published(sinks, rig().url, { ...event, attempt: 2 });
        }),
      );
      await sinks.stop();
      for (const [at, event] of events.entries()) {
        if (event === tooLarge) expect(again[at]).to.include({ outcome: 'rejected', status: 413 });
        else expect(again[at]).to.deep.equal(DELIVERED);
      }
      const read = (await rig().read()).map(({ body }) => body);
      expect(read).to.include.members(
        events.filter((one) => one !== tooLarge).map(({ body }) => body.toString()),
      );
    });

    it('gives up an event that is above the limit of the broker', async () => {
      const sinks = stillSinks();
      const result = await published(sinks, rig().url, eventOf('acme-1-2', 'x'.repeat(70_000)));
      expect(result).to.include({ outcome: 'rejected', status: 413 });
      expect(result.reason).to.contain('is larger than configured max size 65536');
      expect(await published(sinks, rig().url, eventOf())).to.deep.equal(DELIVERED);
      await sinks.stop();
    });
  });

  describe('Kafka', () => {
    let kafka: Awaited<ReturnType<typeof kafkaRig>>;
    itPublishes(async () => {
      kafka = await kafkaRig();
      return kafka;
    });

    it('sends the events of a chat to one partition, with the chat as key', async () => {
      const sinks = stillSinks();
      for (const chat of ['acme-7-1', 'acme-7-2', 'acme-7-1', 'acme-7-2', 'acme-7-1']) {
        await published(sinks, kafka.url, eventOf(chat));
      }
      await sinks.stop();
      for (const chat of ['acme-7-1', 'acme-7-2']) {
        const read = (await kafka.read()).filter(({ headers }) => headers.key === chat);
        expect(new Set(read.map(({ headers }) => headers.partition)).size).to.equal(1);
      }
    });

    it('gives up an event that is above the limit of the topic', async () => {
      const sinks = stillSinks();
      await published(sinks, kafka.url, eventOf());
      await kafka.broker.refuse('tooLarge');
      expect(await published(sinks, kafka.url, eventOf())).to.include({ outcome: 'rejected', status: 413 });
      await kafka.broker.refuse('notAuthorized');
      const refused = await published(sinks, kafka.url, eventOf());
      expect(refused).to.include({ outcome: 'failed', status: 0 });
      expect(refused.reason).to.match(/^topic wa: .*authorization failed/i);
      await sinks.stop();
    });

    it('shows no password when the broker knows no users', async () => {
      const sinks = stillSinks();
      const { outcome, reason } = await published(sinks, kafka.url.replace('//', '//me:s3cr3t@'), eventOf());
      await sinks.stop();
      expect(outcome).to.equal('failed');
      expect(reason).not.to.contain('s3cr3t');
    });
  });

  for (const scheme of ['nats', 'redis', 'amqp', 'kafka']) {
    it(`fail after 15 s at a ${scheme} address where a server says nothing`, async () => {
      const clock = new ManualClock();
      const sinks = stillSinks(clock);
      const sockets: Socket[] = [];
      const server = createServer((socket) => sockets.push(socket.resume().on('error', () => undefined)));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : 0;
      const connected = once(server, 'connection');
      const url = `${scheme}://127.0.0.1:${port}${PLACES[scheme] ?? ''}`;
      const publishing = published(sinks, url, eventOf());
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
