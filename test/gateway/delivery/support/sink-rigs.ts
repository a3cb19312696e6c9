import { jetstreamManager } from '@nats-io/jetstream';
import { connect as connectNats } from '@nats-io/transport-node';
import { createClient } from '@redis/client';
import { connect as connectAmqp } from 'amqplib';
import {
  type KafkaBroker,
  SECRET,
  SECRET_IN_URL,
  startDurableRedis,
  startKafka,
  startNats,
  startRabbitMq,
  USER,
} from '../../../support/brokers.js';
import { startTcpProxy } from '../../../support/tcp-proxy.js';

/** An event as a reader of the broker gets it. */
export interface ReadEvent {
  headers: Record<string, string>;
  body: string;
}

/** A broker with a place for events, and what the tests of every sink need of it. */
export interface SinkRig {
  /** The address of the place, and its port. */
  url: string;
  port: number;
  /** The address of a place that does not exist, and how the broker says so. */
  noPlace?: { url: string; reason: string };
  /** Takes one megabyte for one value at most, from now on. */
  limit?(): Promise<void>;
  /** How the broker refuses a wrong password. */
  wrongPassword: string;
  /** Events at the place, oldest first. */
  read(): Promise<ReadEvent[]>;
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
}

const userAt = (port: number) => `${USER}:${SECRET_IN_URL}@127.0.0.1:${port}`;

/** NATS with a stream that takes `wa.>`. */
export async function natsRig(): Promise<SinkRig> {
  const broker = await startNats();
  const base = `nats://${userAt(broker.port)}`;
  const manage = async <T>(work: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<T>) => {
    const nats = await connectNats({ servers: `127.0.0.1:${broker.port}`, user: USER, pass: SECRET });
    try {
      return await work(await jetstreamManager(nats));
    } finally {
      await nats.close();
    }
  };
  await manage(({ streams }) => streams.add({ name: 'EVENTS', subjects: ['wa.>'] }));
  return {
    ...broker,
    url: `${base}/wa.{clientId}.{type}?stream=EVENTS`,
    noPlace: { url: `${base}/elsewhere.{clientId}`, reason: 'no stream takes the subject elsewhere.acme' },
    wrongPassword: 'Authorization Violation',
    read: () =>
      manage(async ({ streams }) => {
        const { state } = await streams.info('EVENTS');
        const events: ReadEvent[] = [];
        // an empty stream has no first message
        for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq++) {
          const message = await streams.getMessage('EVENTS', { seq });
          if (message?.subject !== 'wa.acme.text') throw new Error('it is not the subject');
          const headers = Object.fromEntries(
            message.header.keys().map((name) => [name, message.header.get(name)]),
          );
          events.push({ headers, body: message.string() });
        }
        return events;
      }),
  };
}

/** Redis with streams of at most about 1,000 entries. */
export async function redisRig(): Promise<SinkRig> {
  const broker = await startDurableRedis();
  const base = `redis://:${SECRET_IN_URL}@127.0.0.1:${broker.port}/1`;
  const connect = () => createClient({ url: base }).connect();
  const client = await connect();
  await client.set('text', 'no stream');
  client.destroy();
  return {
    ...broker,
    url: `${base}?stream=wa.{clientId}&maxlen=1000`,
    noPlace: { url: `${base}?stream=text`, reason: 'WRONGTYPE' },
    wrongPassword: 'WRONGPASS',
    async limit() {
      const manager = await connect();
      await manager.sendCommand(['CONFIG', 'SET', 'proto-max-bulk-len', '1mb']);
      manager.destroy();
    },
    async read() {
      const reader = await connect();
      const entries = await reader.xRange('wa.acme', '-', '+');
      reader.destroy();
      return entries.map(({ message: { body = '', ...headers } }) => ({ headers, body }));
    },
  };
}

/** RabbitMQ with a queue that an exchange fills. It starts slowly: for the gateway it is down while its relay is cut. */
export async function amqpRig(): Promise<SinkRig> {
  const broker = await startRabbitMq();
  const relay = await startTcpProxy('127.0.0.1', broker.port);
  const connection = await connectAmqp({
    hostname: '127.0.0.1',
    port: broker.port,
    username: USER,
    password: SECRET,
  });
  const channel = await connection.createChannel();
  await channel.assertQueue('events', { durable: true });
  await channel.bindQueue('events', 'amq.topic', 'wa.*.text');
  const base = `amqp://${userAt(relay.port)}/%2F`;
  const events: ReadEvent[] = [];
  return {
    port: relay.port,
    url: `${base}?exchange=amq.topic&key=wa.{clientId}.{type}`,
    noPlace: { url: `${base}?exchange=none&key=a`, reason: "no exchange 'none' in vhost '/'" },
    wrongPassword: 'ACCESS_REFUSED',
    async read() {
      for (;;) {
        const message = await channel.get('events', { noAck: true });
        if (!message) return events;
        const { headers, messageId, deliveryMode, type } = message.properties;
        // stored on the disk
        if (deliveryMode !== 2 || type !== 'text') throw new Error('it is not the event that was sent');
        const body = message.content.toString();
        const texts = Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)]);
        if (messageId !== headers?.['x-sn-delivery']) throw new Error('it is not its id');
        events.push({ headers: Object.fromEntries(texts), body });
      }
    },
    down: async () => relay.cut(),
    up: async () => relay.restore(),
    async stop() {
      await connection.close();
      await relay.stop();
      await broker.stop();
    },
  };
}

/** Kafka with a topic of three partitions. The broker of librdkafka has no users. */
export async function kafkaRig(): Promise<SinkRig & { broker: KafkaBroker }> {
  const broker = await startKafka();
  await broker.makeTopic('wa', 3);
  await broker.makeTopic('missing', 1);
  await broker.hideTopic('missing');
  const base = `kafka://127.0.0.1:${broker.port}`;
  return {
    broker,
    port: broker.port,
    url: `${base}/wa`,
    noPlace: { url: `${base}/missing`, reason: 'Unknown topic missing' },
    wrongPassword: '',
    async read() {
      const messages = await broker.read('wa');
      return messages.map(({ key, partition, headers, payload }) => {
        const named = Object.fromEntries(
          headers.flatMap((text, index) => (index % 2 ? [] : [[text, headers[index + 1] ?? '']])),
        );
        return { headers: { ...named, key, partition: String(partition) }, body: payload };
      });
    },
    down: () => broker.down(),
    up: () => broker.up(),
    stop: () => broker.stop(),
  };
}
