import { expect } from 'chai';
import { newerNode } from '../../support/newer-node.js';
import { published } from './support/published.js';
import { eventOf, newSinks, resolvingTo } from './support/test-sinks.js';

/** A place at each kind of broker. */
const PLACES = ['nats://HOST/wa', 'kafka://HOST/wa', 'amqp://HOST/?key=wa', 'redis://HOST/0?stream=wa'];

describe('sinks at private addresses', () => {
  for (const place of PLACES) {
    it(`are not called at ${place}`, async () => {
      const execArgv = resolvingTo('10.0.0.7');
      const sinks = newSinks({ process: { allowPrivate: false, execPath: newerNode(), execArgv } });
      const literal = await published(sinks, place.replace('HOST', '127.0.0.1'), eventOf());
      const resolved = await published(sinks, place.replace('HOST', 'broker.example'), eventOf());
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

describe('a client of brokers', () => {
  it('is named with its package if it is missing', async () => {
    const script = `
      import { register } from 'node:module';
      register('data:text/javascript,' + encodeURIComponent(\`
        const CLIENTS = ['@nats-io/transport-node', '@platformatic/kafka', 'amqplib', '@redis/client'];
        export const resolve = async (name, context, next) => {
          if (CLIENTS.includes(name)) throw new Error('Cannot find package');
          return next(name, context);
        };\`));`;
    const execArgv = ['--import', `data:text/javascript,${encodeURIComponent(script)}`];
    const sinks = newSinks({ process: { allowPrivate: true, execPath: newerNode(), execArgv } });
    const reasons: string[] = [];
    for (const url of PLACES) {
      const { outcome, reason } = await published(sinks, url.replace('HOST', '127.0.0.1:1'), eventOf());
      reasons.push(`${outcome} ${reason}`);
    }
    await sinks.stop();
    expect(reasons).to.deep.equal([
      'failed the client of NATS is not installed: npm install -g @nats-io/transport-node@3.3 @nats-io/jetstream@3.3',
      'failed the client of Kafka is not installed: npm install -g @platformatic/kafka@2',
      'failed the client of RabbitMQ is not installed: npm install -g amqplib@2',
      'failed the client of Redis is not installed: npm install -g @redis/client@5',
    ]);
  });
});
