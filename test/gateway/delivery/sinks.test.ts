import { expect } from 'chai';
import { isBrokerUrl } from '../../../src/domain/brokers.js';
import { GatewayError } from '../../../src/domain/errors.js';
import { originOf, shownUrl } from '../../../src/domain/text.js';
import { withoutCredentials } from '../../../src/domain/url-credentials.js';
import { requireReceiverUrl } from '../../../src/gateway/delivery/sinks/addresses.js';
import type { SinkEvent } from '../../../src/gateway/delivery/sinks/sinks.js';
import { inWords } from '../../support/reasons.js';
import { newSinks } from './support/test-sinks.js';

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

  for (const host of [
    ...[
      '127.1',
      '2130706433',
      '0x7f000001',
      '0x7F.1',
      '0177.0.0.1',
      '0',
      'LOCALHOST',
      'LocalHost.',
      'a.localhost',
    ],
    ...[
      '127.0.0.1.',
      '10.1',
      '0xa9fea9fe',
      '%31%32%37.0.0.1',
      '１２７.0.0.1',
      '[::]',
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
    ],
    ...[
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::127.0.0.1]',
      '[fe80::1]',
      '[fd00::1]',
      '[64:ff9b::7f00:1]',
    ],
  ]) {
    for (const place of [...PLACES, 'kafka://kafka.example/wa?brokers=HOST']) {
      it(`may not be ${place} with ${host}, which is private in any spelling`, () => {
        expect(faultOf(place.replace('HOST', host))).to.match(
          /^url: (.* is a loopback, link-local, private or reserved address|.* is not a host name|brokers must be)/,
        );
      });
    }
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
    expect(withoutCredentials('https://user:pw@h.example/')).to.equal('https://***@h.example/');
    for (const plain of ['redis://r.example/0?stream=a@b', 'https://h.example/a@b?c=d@e']) {
      expect(withoutCredentials(plain)).to.equal(plain);
    }
  });
});

/** No process is started. */
const ANY_NODE = { allowPrivate: true, execPath: process.execPath };

describe('sinks', () => {
  it('report an address that breaks a rule', async () => {
    const sinks = newSinks({ process: ANY_NODE });
    expect(inWords(await sinks.publish('redis://:s3cr3t@127.0.0.1', EVENT))).to.deep.equal({
      outcome: 'rejected',
      status: 0,
      reason: 'stream=NAME is missing (the form is redis://USER:PASSWORD@HOST:6379/DATABASE?stream=NAME)',
    });
    await sinks.stop();
  });

  it('accept no event once they are stopped', async () => {
    const sinks = newSinks({ process: ANY_NODE });
    await sinks.stop();
    expect(inWords(await sinks.publish('redis://127.0.0.1:1/0?stream=wa', EVENT))).to.deep.equal({
      outcome: 'failed',
      status: 0,
      reason: 'aborted because the gateway stops',
    });
  });
});
