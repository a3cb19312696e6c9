import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { MEMORY_MB } from '../../../src/gateway/delivery/sinks/broker-process.js';
import type { Sinks } from '../../../src/gateway/delivery/sinks/sinks.js';
import { ManualClock } from '../../support/manual-clock.js';
import { newerNode } from '../../support/newer-node.js';
import { makeTempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import {
  BROKEN_BY_BYTES,
  flood,
  type HostileServer,
  hostileServer,
  playRedis,
  preload,
} from './support/hostile.js';
import { PUBLIC_NAME, playKafka } from './support/played-kafka.js';
import { published } from './support/published.js';
import { eventOf, newSinks } from './support/test-sinks.js';

const DELIVERED = { outcome: 'delivered', status: 0, reason: '' };
const ENDED = "the process with the broker's client ended:";

describe('the broker process', () => {
  /** Ends what a test started. */
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  const started = (sinks: Sinks) => {
    ends.push(() => sinks.stop());
    return sinks;
  };
  const broken = (marks?: string) =>
    started(
      newSinks({ marks, process: { allowPrivate: true, execPath: newerNode(), execArgv: BROKEN_BY_BYTES } }),
    );
  const server = async (treat: Parameters<typeof hostileServer>[0]): Promise<HostileServer> => {
    const one = await hostileServer(treat);
    ends.push(() => one.stop());
    return one;
  };
  const redis = ({ port }: HostileServer, stream = 'wa') => `redis://127.0.0.1:${port}/0?stream=${stream}`;
  /** A Redis whose first answer does something to a client that is broken in this way. */
  const answering = (text: string) =>
    server((socket) => void socket.once('data', () => socket.write(`+${text}\r\n`)));

  it('starts for the first event and ends after a pause without any', async () => {
    const clock = new ManualClock();
    const sinks = started(newSinks({ clock }));
    expect(sinks.pids).to.deep.equal([]);
    const good = await server(playRedis);
    expect(await published(sinks, redis(good), eventOf())).to.deep.equal(DELIVERED);
    expect(sinks.pids).to.have.length(1);
    clock.advance(60_000);
    await clock.scheduled(10_000);
    clock.advance(10_000);
    await until('the end of the process', async () => sinks.pids.length === 0);
    expect(await published(sinks, redis(good), eventOf())).to.deep.equal(DELIVERED);
  });

  it('is shared by brokers with different addresses', async () => {
    const sinks = started(newSinks());
    const [one, other] = [await server(playRedis), await server(playRedis)];
    expect(await published(sinks, redis(one), eventOf())).to.deep.equal(DELIVERED);
    expect(await published(sinks, redis(other), eventOf())).to.deep.equal(DELIVERED);
    expect(sinks.pids).to.have.length(1);
  });

  it('pauses the receiver of a broker that breaks it, and no other one', async () => {
    const sinks = broken();
    const [good, bad] = [await server(playRedis), await answering('CRASH')];
    expect(await published(sinks, redis(good), eventOf())).to.deep.equal(DELIVERED);
    const reason = `${ENDED} Attempt to access memory outside buffer bounds`;
    // nobody knows yet whose client it was
    expect(await published(sinks, redis(bad), eventOf())).to.deep.equal({
      outcome: 'failed',
      status: 0,
      reason,
    });
    expect(await published(sinks, redis(good), eventOf())).to.deep.equal(DELIVERED);
    expect(await published(sinks, redis(bad), eventOf())).to.deep.equal({
      ...{ outcome: 'failed', status: 0, reason },
      pause: 'broker_crash',
    });
    for (let count = 0; count < 3; count++) {
      expect(await published(sinks, redis(good), eventOf())).to.deep.equal(DELIVERED);
    }
  });

  it('tries suspected brokers at the same time, each in its own process', async () => {
    const sinks = broken();
    const bad = await answering('CRASH');
    const good = await Promise.all([1, 2, 3, 4].map(() => server(playRedis)));
    for (const one of good) expect(await published(sinks, redis(one), eventOf())).to.deep.equal(DELIVERED);
    await published(sinks, redis(bad), eventOf());
    const results = await Promise.all([bad, ...good].map((one) => published(sinks, redis(one), eventOf())));
    expect(results.map(({ pause = '' }) => pause)).to.deep.equal(['broker_crash', '', '', '', '']);
    expect(results.slice(1)).to.deep.equal(good.map(() => DELIVERED));
  });

  it('tries a suspected broker alone, for longer each time that it is suspected again', async () => {
    const sinks = broken();
    const good = await server(playRedis);
    const bad = await answering('CRASH');
    for (const alone of [1, 4]) {
      expect(await published(sinks, redis(good), eventOf())).to.deep.equal(DELIVERED);
      await published(sinks, redis(bad, `bad${alone}`), eventOf());
      const before = good.taken;
      for (let count = 0; count < alone; count++) {
        expect(await published(sinks, redis(good), eventOf())).to.deep.equal(DELIVERED);
      }
      // each had a connection of its own
      expect(good.taken - before).to.equal(alone);
    }
  });

  it('is ended when a client blocks it, and the daemon continues', async () => {
    const sinks = broken();
    const bad = await answering('BLOCK');
    let longest = 0;
    let before = performance.now();
    const beats = setInterval(() => {
      longest = Math.max(longest, performance.now() - before);
      before = performance.now();
    }, 20);
    const { outcome, reason } = await published(sinks, redis(bad), eventOf());
    clearInterval(beats);
    expect({ outcome, reason }).to.deep.equal({
      outcome: 'failed',
      reason: `${ENDED} a client blocked it for 4 s`,
    });
    expect(longest).to.be.below(1_000);
    expect((await published(sinks, redis(bad), eventOf())).pause).to.equal('broker_crash');
  });

  it('is ended when a client fills its memory', async () => {
    const sinks = broken();
    const { outcome, reason } = await published(sinks, redis(await answering('GROW')), eventOf());
    expect(outcome).to.equal('failed');
    expect(reason).to.equal(`${ENDED} it took more than ${MEMORY_MB} MB of memory`);
  });

  /** What servers send without end, after a greeting. */
  const FLOODS = {
    'nats://HOST/wa': [
      'INFO {"server_id":"a","version":"2.10.0","headers":true,"max_payload":1048576,"jetstream":true}\r\n',
      'PING\r\n',
    ],
    'redis://HOST/0?stream=wa': ['+', 'OK'],
    'kafka://HOST/wa': ['\0\xff\xff\xff', 'x'],
    'amqp://HOST/?key=wa': ['\x01\0\0\x03\x93\x87\0', 'x'],
  } as const;
  for (const [place, [greeting, again]] of Object.entries(FLOODS)) {
    it(`limits what the server at ${place} sends before its client reads it, and pauses the receiver`, async () => {
      const bad = await server((socket) => {
        socket.write(greeting, 'latin1');
        flood(socket, Buffer.from(again.repeat(4_096)));
      });
      const sinks = started(newSinks());
      const result = await published(sinks, place.replace('HOST', `127.0.0.1:${bad.port}`), eventOf());
      expect(result).to.deep.equal({
        ...{ outcome: 'failed', status: 0, pause: 'broker_flood' },
        reason: 'the broker sent more than 1 MB that nobody had asked for',
      });
      expect(sinks.pids).to.have.length(1);
    });
  }

  for (const host of ['10.0.0.7', 'inside.example', '127.0.0.1', '::ffff:127.0.0.1']) {
    it(`does not connect to ${host}, which a Kafka broker at a public address advertises`, async () => {
      const inside = await server(() => undefined);
      const bad = await server((socket) => playKafka(socket, { host, port: inside.port, partitions: 1 }));
      const process = { allowPrivate: false, execPath: newerNode(), execArgv: PUBLIC_NAME };
      const sinks = started(newSinks({ process }));
      const { outcome, reason } = await published(sinks, `kafka://public.example:${bad.port}/wa`, eventOf());
      expect(reason).to.contain('is a loopback, link-local, private or reserved address');
      expect(outcome).to.equal('rejected');
      expect(bad.taken).to.be.above(0);
      expect(inside.taken).to.equal(0);
    });
  }

  it('survives a Kafka broker whose answer breaks its client', async () => {
    const bad: HostileServer = await server((socket) =>
      playKafka(socket, { host: '127.0.0.1', port: bad.port, partitions: 0 }),
    );
    const sinks = started(newSinks());
    const url = `kafka://127.0.0.1:${bad.port}/wa`;
    const { outcome, reason, pause } = await published(sinks, url, eventOf());
    expect({ outcome, pause }).to.deep.equal({ outcome: 'failed', pause: undefined });
    expect(reason).to.contain(`${ENDED} Cannot read properties of undefined`);
    expect((await published(sinks, url, eventOf())).pause).to.equal('broker_crash');
  });

  it('tries a broker alone that was connected when the daemon died', async () => {
    const folder = await makeTempDir();
    ends.push(() => folder.remove());
    const marks = join(folder.path, 'connected-brokers.json');
    const [good, silent] = [await server(playRedis), await server(() => undefined)];
    const first = broken(marks);
    expect(await published(first, redis(good), eventOf())).to.deep.equal(DELIVERED);
    void first.publish(redis(silent), eventOf());
    await until('the connection', async () => silent.taken === 1);
    // the daemon is killed here: nothing is stopped
    const second = newSinks({
      marks,
      process: { allowPrivate: true, execPath: newerNode(), execArgv: BROKEN_BY_BYTES },
    });
    const before = silent.taken;
    const other = await server(playRedis);
    expect(await published(second, redis(other), eventOf())).to.deep.equal(DELIVERED);
    void second.publish(redis(silent), eventOf());
    await until('the connection', async () => silent.taken > before);
    expect(second.pids).to.have.length(2);
    await second.stop();
    // a clean stop leaves no suspects
    const third = started(newSinks({ marks }));
    expect(await published(third, redis(good), eventOf())).to.deep.equal(DELIVERED);
    expect(await published(third, redis(other), eventOf())).to.deep.equal(DELIVERED);
    expect(third.pids).to.have.length(1);
  });

  it('works even if the file of connected brokers cannot be read or written', async () => {
    const folder = await makeTempDir();
    ends.push(() => folder.remove());
    await writeFile(join(folder.path, 'file'), 'not JSON');
    const good = await server(playRedis);
    for (const marks of [join(folder.path, 'file'), join(folder.path, 'file', 'below')]) {
      expect(await published(started(newSinks({ marks })), redis(good), eventOf())).to.deep.equal(DELIVERED);
    }
  });

  it('reports which Node.js the client of Kafka needs', async () => {
    const execArgv = preload("Object.defineProperty(process.versions, 'node', { value: '20.20.2' });");
    const sinks = started(newSinks({ process: { allowPrivate: true, execPath: newerNode(), execArgv } }));
    expect(await published(sinks, 'kafka://127.0.0.1:1/wa', eventOf())).to.deep.equal({
      ...{ outcome: 'failed', status: 0 },
      reason: 'Kafka needs Node.js 22.22 or newer, and the gateway runs on 20.20.2',
    });
  });

  it('reports that it cannot be started', async () => {
    const sinks = started(newSinks({ process: { allowPrivate: true, execPath: '/nowhere/node' } }));
    const { outcome, reason, pause } = await published(sinks, 'redis://127.0.0.1:1/0?stream=wa', eventOf());
    expect({ outcome, pause }).to.deep.equal({ outcome: 'failed', pause: undefined });
    expect(reason).to.equal(`${ENDED} it did not start: spawn /nowhere/node ENOENT`);
  });

  /** Programs in place of the broker process that break the rules of its reports. */
  const IMPOSTORS: Readonly<Record<string, string>> = {
    'a text that is not a report': "write('hello\\n')",
    'a report of an unknown kind': 'write(\'{"report":"fine"}\\n\')',
    'the answer to an unknown request': 'write(\'{"report":"done","request":7}\\n\'.repeat(100))',
    'the loss of an unknown connection': 'write(\'{"report":"lost","connection":1}\\n\'.repeat(100))',
    'a text that is too long': 'write(JSON.stringify({ report: "broken", text: "x".repeat(1000) }) + "\\n")',
    'a line without an end': "for (let count = 0; count < 1000; count++) write('x'.repeat(65536))",
    'megabytes of pongs': 'write(\'{"report":"pong","rss":1}\\n\'.repeat(100000))',
  };
  for (const [what, script] of Object.entries(IMPOSTORS)) {
    it(`is ended when it reports ${what}`, async () => {
      const program = `
        const reports = new (require('node:net').Socket)({ fd: 3, readable: false });
        const write = (text) => reports.write(text);
        write('{"report":"ready"}\\n');
        process.stdin.once('data', () => { ${script} });`;
      const sinks = started(newSinks({ process: { allowPrivate: true, execArgv: ['-e', program, '--'] } }));
      const { outcome, reason } = await published(sinks, 'redis://127.0.0.1:1/0?stream=wa', eventOf());
      expect({ outcome, reason }).to.deep.equal({
        outcome: 'failed',
        reason: `${ENDED} it sent an unexpected report`,
      });
    });
  }
});
