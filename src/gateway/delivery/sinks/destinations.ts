import { bareHost } from '../../../domain/host.js';

/** A broker's address breaks a rule. The message names the rule and contains no secret. */
export class InvalidSinkUrl extends Error {}

/** The parsed and checked address of a broker. Parsing opens no connection. */
export type Destination = NatsDestination | KafkaDestination | AmqpDestination | RedisDestination;

interface Reached extends SinkAddress {
  isTls: boolean;
}

export interface NatsDestination extends Reached {
  protocol: 'nats';
  subject: Template;
  /** The stream that must take the subject; undefined for any. */
  stream: string | undefined;
}

export interface KafkaDestination extends Reached {
  protocol: 'kafka';
  /** Further brokers. */
  others: readonly KafkaBroker[];
  topic: Template;
  sasl: Sasl | undefined;
}

export interface AmqpDestination extends Reached {
  protocol: 'amqp';
  exchange: Template;
  key: Template;
}

export interface RedisDestination extends Reached {
  protocol: 'redis';
  stream: Template;
  /** Approximate number of entries that the stream keeps; undefined for all. */
  maxlen: number | undefined;
}

interface KafkaBroker {
  host: string;
  port: number;
}

interface Sasl {
  mechanism: (typeof MECHANISMS)[keyof typeof MECHANISMS];
  username: string;
  password: string;
}

/** The addresses of one protocol. */
interface Protocol {
  /** URL schemes, with the colon; the second is with TLS. */
  schemes: readonly [plain: string, tls: string];
  /** The form of an address, for people. */
  form: string;
  /** @throws InvalidSinkUrl */
  read(url: URL, isTls: boolean): Destination;
}

const SUBJECT = {
  pattern: /^[^\s.*>{}]+(\.[^\s.*>{}]+)*$/,
  rule: 'must be names separated by dots, without spaces and wildcards',
};
const TOPIC = { pattern: /^[A-Za-z0-9._-]{1,249}$/, rule: 'must have 1 to 249 of A-Z a-z 0-9 . _ -' };
/** AMQP names are short strings. */
const AMQP_NAME = { pattern: /^[^{}]{0,255}$/, rule: 'must have at most 255 characters' };
const REDIS_STREAM = { pattern: /^[^{}]{1,512}$/, rule: 'must have 1 to 512 characters' };
const KAFKA_PORT = 9092;
const KAFKA_BROKER = /^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/;
/** SASL mechanisms: as the address names them, and as the protocol does. */
const MECHANISMS = {
  plain: 'PLAIN',
  'scram-sha-256': 'SCRAM-SHA-256',
  'scram-sha-512': 'SCRAM-SHA-512',
} as const;

const PROTOCOLS: readonly Protocol[] = [
  {
    schemes: ['nats:', 'tls:'],
    form: 'nats://USER:PASSWORD@HOST:4222/SUBJECT',
    read(url, isTls) {
      const address = addressOf(url, 4222, ['stream']);
      if (address.path === '') throw new InvalidSinkUrl('the path must name a subject');
      const subject = new Template('the subject', address.path, SUBJECT);
      return { protocol: 'nats', ...address, isTls, subject, stream: address.query.get('stream') };
    },
  },
  {
    schemes: ['kafka:', 'kafka+ssl:'],
    form: 'kafka://USER:PASSWORD@HOST:9092/TOPIC',
    read(url, isTls) {
      const address = addressOf(url, KAFKA_PORT, ['brokers', 'sasl']);
      const topic = new Template('the topic in the path', address.path, TOPIC);
      const others = address.query.get('brokers')?.split(',') ?? [];
      if (!others.every((broker) => KAFKA_BROKER.test(broker))) {
        throw new InvalidSinkUrl('brokers must be further HOST:PORT, separated by commas');
      }
      const sasl = saslOf(address);
      return { protocol: 'kafka', ...address, isTls, topic, sasl, others: others.map(kafkaBroker) };
    },
  },
  {
    schemes: ['amqp:', 'amqps:'],
    form: 'amqp://USER:PASSWORD@HOST:5672/VHOST?exchange=NAME&key=ROUTING.KEY',
    read(url, isTls) {
      const address = addressOf(url, isTls ? 5671 : 5672, ['exchange', 'key']);
      const exchange = address.query.get('exchange') ?? '';
      const key = address.query.get('key') ?? '';
      if (exchange === '' && key === '') {
        throw new InvalidSinkUrl('exchange=NAME, or key=QUEUE for the default exchange, is missing');
      }
      const places = {
        exchange: new Template('exchange', exchange, AMQP_NAME),
        key: new Template('key', key, AMQP_NAME),
      };
      return { protocol: 'amqp', ...address, isTls, ...places };
    },
  },
  {
    schemes: ['redis:', 'rediss:'],
    form: 'redis://USER:PASSWORD@HOST:6379/DATABASE?stream=NAME',
    read(url, isTls) {
      const address = addressOf(url, 6379, ['stream', 'maxlen']);
      const { path, query } = address;
      if (!/^\d{0,4}$/.test(path)) throw new InvalidSinkUrl('the path must be the number of a database');
      const name = query.get('stream');
      if (name === undefined) throw new InvalidSinkUrl('stream=NAME is missing');
      const stream = new Template('stream', name, REDIS_STREAM);
      const maxlen = query.get('maxlen');
      if (maxlen !== undefined && !/^[1-9]\d{0,11}$/.test(maxlen)) {
        throw new InvalidSinkUrl('maxlen must be a whole number of entries');
      }
      return {
        protocol: 'redis',
        ...address,
        isTls,
        stream,
        maxlen: maxlen === undefined ? undefined : Number(maxlen),
      };
    },
  },
];

/** Reads the address of a broker. @throws InvalidSinkUrl */
export function readDestination(url: string): Destination {
  const parsed = new URL(url);
  const protocol = PROTOCOLS.find(({ schemes }) => schemes.includes(parsed.protocol));
  if (!protocol) throw new InvalidSinkUrl('it has not the scheme of a broker');
  try {
    return protocol.read(parsed, parsed.protocol === protocol.schemes[1]);
  } catch (error) {
    if (!(error instanceof InvalidSinkUrl)) throw error;
    throw new InvalidSinkUrl(`${error.message} (the form is ${protocol.form})`);
  }
}

function saslOf({ username, password, query }: SinkAddress): Sasl | undefined {
  const name = query.get('sasl') ?? 'plain';
  const [, mechanism] = Object.entries(MECHANISMS).find(([one]) => one === name) ?? [];
  if (!mechanism) throw new InvalidSinkUrl(`sasl must be one of ${Object.keys(MECHANISMS).join(', ')}`);
  if (username === '' && password === '') {
    if (query.has('sasl')) throw new InvalidSinkUrl('sasl needs a user and a password');
    return undefined;
  }
  return { mechanism, username, password };
}

/** A broker as the address names it: HOST or HOST:PORT. */
function kafkaBroker(text: string): KafkaBroker {
  const { hostname, port } = new URL(`kafka://${text}`);
  return { host: bareHost(hostname), port: port === '' ? KAFKA_PORT : Number(port) };
}

/** The parts of a broker's address that all protocols share. */
interface SinkAddress {
  host: string;
  port: number;
  username: string;
  password: string;
  /** Path without its first slash. */
  path: string;
  query: ReadonlyMap<string, string>;
}

/** Parses an address. @param known allowed names in the query @throws InvalidSinkUrl */
function addressOf(url: URL, defaultPort: number, known: readonly string[]): SinkAddress {
  const host = bareHost(url.hostname);
  if (host === '') throw new InvalidSinkUrl('the address has no host');
  if (url.hash !== '') throw new InvalidSinkUrl('# must be written as %23');
  const query = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (!known.includes(name)) {
      throw new InvalidSinkUrl(
        `its query has an unknown name; known ${known.length > 1 ? 'are' : 'is'} ${known.join(', ')}`,
      );
    }
    if (query.has(name) || value === '') throw new InvalidSinkUrl(`${name} must stand once, with a value`);
    query.set(name, value);
  }
  const port = url.port === '' ? defaultPort : Number(url.port);
  const [username, password, path] = [url.username, url.password, url.pathname.slice(1)].map(decoded);
  return { host, port, username: username ?? '', password: password ?? '', path: path ?? '', query };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new InvalidSinkUrl('a % must be followed by two hexadecimal digits');
  }
}

const PLACEHOLDER = /\{(.*?)\}/g;

/** A template for the name of a topic, subject, stream, exchange or routing key; may contain `{clientId}` and `{type}`. */
export class Template {
  readonly #template: string;

  /** @throws InvalidSinkUrl */
  constructor(what: string, template: string, { pattern, rule }: { pattern: RegExp; rule: string }) {
    for (const [, name] of template.matchAll(PLACEHOLDER)) {
      if (name !== 'clientId' && name !== 'type') {
        throw new InvalidSinkUrl(`${what} may contain {clientId} and {type}, and no other braces`);
      }
    }
    this.#template = template;
    if (!pattern.test(this.of({ clientId: 'a', type: 'a' }))) throw new InvalidSinkUrl(`${what} ${rule}`);
  }

  of(event: { clientId: string; type: string }): string {
    return this.#template.replaceAll('{clientId}', event.clientId).replaceAll('{type}', event.type);
  }
}
