import { execFile } from 'node:child_process';
import type { LookupFunction } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { requireReceiverUrl, type SinkEvent, Sinks } from '../../src/delivery/sinks/sinks.js';
import { isBrokerUrl, withoutCredentials } from '../../src/domain/brokers.js';
import { systemClock } from '../../src/domain/clock.js';
import { GatewayError } from '../../src/domain/errors.js';
import { originOf, shownUrl } from '../../src/domain/text.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const EVENT: SinkEvent = {
  token: 'receiver-token',
  deliveryId: '01JD',
  type: 'text',
  attempt: 1,
  body: Buffer.from('{}'),
  clientId: 'acme',
  chat: 'acme-1-2',
};

/** A place at each kind of broker. */
const PLACES = ['nats://HOST/wa', 'kafka://HOST/wa', 'amqp://HOST/?key=wa', 'redis://HOST/0?stream=wa'];

/** What is wrong with an address; empty if nothing is. */
function faultOf(url: string): string {
  try {
    requireReceiverUrl('url', url, false);
    return '';
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return error.message;
  }
}

describe('the addresses of sinks', () => {
  for (const url of [
    'nats://user:pw@nats.example/wa.events',
    'nats://token@nats.example:4222/wa.{clientId}.{type}?stream=EVENTS',
    'tls://nats.example/wa',
    'kafka://kafka.example/wa-events',
    'kafka+ssl://user:pw@kafka.example:9093/wa.{clientId}?sasl=scram-sha-512&brokers=b.example:9093,c.example',
    'amqp://rabbit.example?key=events',
    'amqps://user:pw@rabbit.example/%2Fvhost?exchange=wa&key=wa.{clientId}.{type}',
    'redis://:pw@redis.example/3?stream=wa:{clientId}&maxlen=100000',
    'rediss://user:pw@[2001:4860:4860::8888]:6380?stream=wa',
  ]) {
    it(`may be ${url}`, () => {
      expect(isBrokerUrl(url)).to.equal(true);
      expect(faultOf(url)).to.equal('');
    });
  }

  const FAULTS: Readonly<Record<string, string>> = {
    'nats://nats.example': 'the path must name a subject',
    'nats://nats.example/wa.*': 'the subject must be names separated by dots, without spaces and wildcards',
    'nats://nats.example/wa..a': 'the subject must be names separated by dots',
    'nats://nats.example/wa.{chat}': 'the subject may contain {clientId} and {type}, and no other braces',
    'nats://nats.example/wa?strem=A': 'its query has an unknown name; known is stream',
    'nats:///wa': 'the address has no host',
    'kafka://kafka.example/': 'the topic in the path must have 1 to 249 of A-Z a-z 0-9 . _ -',
    'kafka://kafka.example/a/b': 'the topic in the path must have 1 to 249 of A-Z a-z 0-9 . _ -',
    'kafka://u:p@kafka.example/wa?sasl=gssapi': 'sasl must be one of plain, scram-sha-256, scram-sha-512',
    'kafka://kafka.example/wa?sasl=plain': 'sasl needs a user and a password',
    'kafka://kafka.example/wa?brokers=b%20c': 'brokers must be further HOST:PORT, separated by commas',
    'amqp://rabbit.example/vhost': 'exchange=NAME, or key=QUEUE for the default exchange, is missing',
    'amqp://rabbit.example/?key=a&key=b': 'key must stand once, with a value',
    'redis://redis.example/0': 'stream=NAME is missing',
    'redis://redis.example/wa?stream=wa': 'the path must be the number of a database',
    'redis://redis.example/0?stream=wa&maxlen=0': 'maxlen must be a whole number of entries',
    'redis://redis.example/0?stream=wa#x': '# must be written as %23',
    'redis://:p%ZZ@redis.example/0?stream=wa': 'a % must be followed by two hexadecimal digits',
    'nats://127.0.0.1/wa': '127.0.0.1 is a loopback, link-local, private or reserved address',
    'redis://[::1]/0?stream=wa': '::1 is a loopback, link-local, private or reserved address',
    'amqp://localhost/?key=a': 'localhost is a loopback, link-local, private or reserved address',
    'kafka://kafka.example/wa?brokers=b.example,10.0.0.1:9092': '10.0.0.1 is a loopback, link-local, private',
  };
  for (const [url, rule] of Object.entries(FAULTS)) {
    it(`may not be ${url}`, () => {
      expect(faultOf(url)).to.contain(`url: ${rule}`);
    });
  }

  it('are those of brokers only', () => {
    for (const url of ['https://example.com/hook', 'mongodb://example.com', 'nats', '']) {
      expect(isBrokerUrl(url)).to.equal(false);
    }
  });

  it('are refused without their password', () => {
    for (const url of ['redis://:s3cr3t@redis.example', 'kafka://u:s3cr3t@kafka.example/?sasl=x']) {
      expect(faultOf(url))
        .to.match(/the form is /)
        .and.not.contain('s3cr3t');
    }
  });

  it('are shown without user, password and query', () => {
    const url = 'kafka+ssl://user:s3cr3t@kafka.example:9093/wa?sasl=plain';
    expect(shownUrl(url)).to.equal('kafka+ssl://kafka.example:9093/wa');
    expect(originOf(url)).to.equal('kafka+ssl://kafka.example:9093');
    expect(withoutCredentials(url)).to.equal('kafka+ssl://***@kafka.example:9093/wa?sasl=plain');
    for (const plain of ['redis://r.example/0?stream=a@b', 'https://user:pw@h.example/']) {
      expect(withoutCredentials(plain)).to.equal(plain);
    }
  });
});

describe('sinks at private addresses', () => {
  const inside: LookupFunction = (_host, _options, callback) =>
    callback(null, [{ address: '10.0.0.7', family: 4 }]);

  for (const place of PLACES) {
    it(`are not called at ${place}`, async () => {
      const options = { clock: systemClock, signing: systemClock, allowPrivate: false, lookup: inside };
      const sinks = new Sinks(options);
      const literal = await sinks.publish(place.replace('HOST', '127.0.0.1'), EVENT);
      const resolved = await sinks.publish(place.replace('HOST', 'broker.example'), EVENT);
      await sinks.stop();
      const reason =
        'is a loopback, link-local, private or reserved address; --allow-private-urls permits it';
      expect([literal, resolved]).to.deep.equal([
        { outcome: 'rejected', status: 0, reason: `127.0.0.1 ${reason}` },
        { outcome: 'rejected', status: 0, reason: `broker.example (10.0.0.7) ${reason}` },
      ]);
    });
  }
});

describe('sinks', () => {
  it('answer for an address that breaks a rule', async () => {
    const sinks = new Sinks({ clock: systemClock, signing: systemClock, allowPrivate: true });
    expect(await sinks.publish('redis://:s3cr3t@127.0.0.1', EVENT)).to.deep.equal({
      outcome: 'rejected',
      status: 0,
      reason: 'stream=NAME is missing (the form is redis://USER:PASSWORD@HOST:6379/DATABASE?stream=NAME)',
    });
    await sinks.stop();
  });

  it('take no event once they are stopped', async () => {
    const sinks = new Sinks({ clock: systemClock, signing: systemClock, allowPrivate: true });
    await sinks.stop();
    expect(await sinks.publish('redis://127.0.0.1:1/0?stream=wa', EVENT)).to.deep.equal({
      outcome: 'failed',
      status: 0,
      reason: 'aborted because the gateway stops',
    });
  });

  it('say which package is missing', async () => {
    const script = `
      import { register } from 'node:module';
      register('data:text/javascript,' + encodeURIComponent(\`
        const CLIENTS = ['@nats-io/transport-node', 'kafkajs', 'amqplib', '@redis/client'];
        export const resolve = async (name, context, next) => {
          if (CLIENTS.includes(name)) throw new Error('Cannot find package');
          return next(name, context);
        };\`));
      const { Sinks } = await import('./src/delivery/sinks/sinks.ts');
      const { systemClock: clock } = await import('./src/domain/clock.ts');
      const sinks = new Sinks({ clock, signing: clock, allowPrivate: true });
      const event = { token: '', deliveryId: 'a', type: 'text', attempt: 1, body: Buffer.from('{}'), clientId: 'a', chat: 'a' };
      for (const url of ${JSON.stringify(PLACES)}) {
        const { outcome, reason } = await sinks.publish(url.replace('HOST', '127.0.0.1:1'), event);
        console.log(outcome, reason);
      }
      await sinks.stop();`;
    const options = ['--import', 'tsx', '--input-type=module', '-e', script];
    const { stdout } = await promisify(execFile)(process.execPath, options, { cwd: ROOT });
    expect(stdout.trim().split('\n')).to.deep.equal([
      'failed the client of NATS is not installed: npm install -g @nats-io/transport-node@3.3 @nats-io/jetstream@3.3',
      'failed the client of Kafka is not installed: npm install -g kafkajs@2',
      'failed the client of RabbitMQ is not installed: npm install -g amqplib@2',
      'failed the client of Redis is not installed: npm install -g @redis/client@5',
    ]);
  });
});
