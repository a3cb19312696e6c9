import { connect as connectSocket, isIP, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory, SASLOptions } from 'kafkajs';
import { guardedLookup, PrivateAddressError, requireAllowedHost } from '../guard.js';
import {
  addressOf,
  InvalidSinkUrl,
  notInstalled,
  OPEN_TIMEOUT_MS,
  type OpenOptions,
  Place,
  PUBLISH_TIMEOUT_MS,
  type Publication,
  RefusedEventError,
  type SinkAddress,
  type SinkConnection,
  type SinkKind,
} from './sink.js';

const PORT = 9092;
const TOPIC = { pattern: /^[A-Za-z0-9._-]{1,249}$/, rule: 'must have 1 to 249 of A-Z a-z 0-9 . _ -' };
const BROKER = /^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/;
const MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
type Mechanism = (typeof MECHANISMS)[number];
/** All replicas that are in sync have the event. */
const ALL = -1;
/** Error types of the protocol that refuse one event. */
const REFUSES_EVENT: readonly string[] = ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD'];

/** Apache Kafka. The chat is the key, so that the events of a chat share a partition and keep their order. */
export const KAFKA: SinkKind = {
  schemes: ['kafka:', 'kafka+ssl:'],
  form: 'kafka://USER:PASSWORD@HOST:9092/TOPIC',
  read(url) {
    const address = addressOf(url, PORT, ['brokers', 'sasl']);
    const topic = new Place('the topic in the path', address.path, TOPIC);
    const more = address.query.get('brokers')?.split(',') ?? [];
    if (!more.every((broker) => BROKER.test(broker))) {
      throw new InvalidSinkUrl('brokers must be further HOST:PORT, separated by commas');
    }
    const sasl = saslOf(address);
    const isTls = url.protocol === 'kafka+ssl:';
    return { others: more, open: (options) => open(address, more, { topic, sasl, isTls }, options) };
  },
};

function saslOf({ username, password, query }: SinkAddress): SASLOptions | undefined {
  const name = query.get('sasl') ?? 'plain';
  const mechanism = MECHANISMS.find((one) => one === name);
  if (!mechanism) throw new InvalidSinkUrl(`sasl must be one of ${MECHANISMS.join(', ')}`);
  if (username === '' && password === '') {
    if (query.has('sasl')) throw new InvalidSinkUrl('sasl needs a user and a password');
    return undefined;
  }
  return saslWith(mechanism, { username, password });
}

function saslWith(mechanism: Mechanism, user: { username: string; password: string }): SASLOptions {
  if (mechanism === 'plain') return { mechanism, ...user };
  return mechanism === 'scram-sha-256' ? { mechanism, ...user } : { mechanism, ...user };
}

async function open(
  { host, port }: SinkAddress,
  more: readonly string[],
  { topic, sasl, isTls }: { topic: Place; sasl: SASLOptions | undefined; isTls: boolean },
  options: OpenOptions,
): Promise<SinkConnection> {
  const { Kafka, logLevel, Partitioners } = await import('kafkajs').catch(notInstalled('Kafka', 'kafkajs@2'));
  const sockets = new GuardedSockets(options);
  const kafka = new Kafka({
    clientId: 'switchboard',
    brokers: [`${isIP(host) === 6 ? `[${host}]` : host}:${port}`, ...more.map(withPort)],
    ...(sasl && { sasl }),
    ssl: isTls,
    socketFactory: sockets.factory,
    connectionTimeout: OPEN_TIMEOUT_MS,
    authenticationTimeout: OPEN_TIMEOUT_MS,
    requestTimeout: PUBLISH_TIMEOUT_MS,
    retry: { retries: 0 },
    logLevel: logLevel.NOTHING,
  });
  const producer = kafka.producer({
    allowAutoTopicCreation: false,
    // where the clients of Java put a key, too
    createPartitioner: Partitioners.DefaultPartitioner,
    retry: { retries: 0 },
  });

  const explained = (error: unknown, to: string) => sockets.refused ?? explanation(error, to);
  try {
    await producer.connect();
  } catch (error) {
    throw explained(error, '');
  }
  return {
    async publish({ event, headers }: Publication) {
      const to = topic.of(event);
      const message = { key: event.chat || event.clientId, value: Buffer.from(event.body), headers };
      try {
        await producer.send({ topic: to, acks: ALL, timeout: PUBLISH_TIMEOUT_MS, messages: [message] });
      } catch (error) {
        throw explained(error, to);
      }
    },
    close: () => producer.disconnect(),
  };
}

/** What the protocol's error means for the event. The client wraps it when it gives up. */
function explanation(error: unknown, topic: string): unknown {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error) || !('type' in cause) || typeof cause.type !== 'string') return cause;
  if (REFUSES_EVENT.includes(cause.type)) {
    return new RefusedEventError(`topic ${topic} refuses it: ${cause.message}`, { cause });
  }
  return topic ? new Error(`topic ${topic}: ${cause.message}`, { cause }) : cause;
}

function withPort(broker: string): string {
  return /:\d+$/.test(broker) ? broker : `${broker}:${PORT}`;
}

/** Makes all connections of a client: also those to brokers that a broker named. */
class GuardedSockets {
  readonly #options: OpenOptions;
  readonly #open = new Set<Socket>();
  /** Why a connection was refused. */
  refused: PrivateAddressError | undefined;

  constructor(options: OpenOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.#destroy(), { once: true });
  }

  readonly factory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
    const socket = this.#connect(host, port, Boolean(ssl), onConnect);
    this.#open.add(socket);
    socket.on('close', () => this.#open.delete(socket));
    socket.on('error', (error) => {
      if (error instanceof PrivateAddressError) this.refused = error;
    });
    return socket;
  };

  #connect(host: string, port: number, isTls: boolean, onConnect: () => void): Socket {
    const { allowPrivate, lookup, signal } = this.#options;
    try {
      requireAllowedHost(host, allowPrivate);
    } catch (error) {
      return new Socket().destroy(error instanceof Error ? error : undefined);
    }
    if (signal.aborted) return new Socket().destroy(new Error('the connection is closed'));
    const options = { host, port, lookup: guardedLookup({ allowPrivate, lookup }), keepAlive: true };
    if (!isTls) return connectSocket(options, onConnect);
    return connectTls({ ...options, ...(isIP(host) === 0 && { servername: host }) }, onConnect);
  }

  #destroy(): void {
    for (const socket of this.#open) socket.destroy(new Error('the connection is closed'));
  }
}
