import { isIP } from 'node:net';
import type { Producer } from '@platformatic/kafka';
import type { KafkaDestination } from '../destinations.js';
import { PUBLISH_TIMEOUT_MS, type SinkConnection } from '../sink.js';
import {
  notInstalled,
  OPEN_TIMEOUT_MS,
  type OpenOptions,
  RefusedEventError,
  UnsupportedNodeError,
} from './client.js';
import type { Publication } from './messages.js';

/** Error types of the protocol that refuse one event: each request holds one. */
const REFUSES_EVENT: readonly string[] = ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD'];
/** The oldest Node.js on which the client runs. */
const NODE = [22, 22] as const;

/**
 * Apache Kafka. The chat is the key, so that the events of a chat share a partition and keep their order.
 * @throws UnsupportedNodeError, Error of the client
 */
export async function openKafka(
  { host, port, others, topic, sasl, isTls }: KafkaDestination,
  { lost }: OpenOptions,
): Promise<SinkConnection> {
  requireNode();
  const client = await import('@platformatic/kafka').catch(notInstalled('Kafka', '@platformatic/kafka@2'));
  const producer: Producer<string, Buffer, string, string> = new client.Producer({
    clientId: 'switchboard',
    bootstrapBrokers: [{ host, port }, ...others],
    serializers: {
      key: client.stringSerializer,
      value: (body) => body,
      headerKey: client.stringSerializer,
      headerValue: client.stringSerializer,
    },
    ...(sasl && { sasl }),
    // TLS accepts no IP address as server name
    ...(isTls && { tls: {}, tlsServerName: isIP(host) === 0 }),
    connectTimeout: OPEN_TIMEOUT_MS,
    requestTimeout: PUBLISH_TIMEOUT_MS,
    timeout: PUBLISH_TIMEOUT_MS,
    // the durable queue retries instead, because it knows the state of the receiver
    retries: 0,
    repeatOnStaleMetadata: false,
    autocreateTopics: false,
    acks: client.ProduceAcks.ALL,
    // the same partition for a key as the Java clients choose
    partitioner: client.compatibilityPartitioner,
  });
  producer.on('client:broker:disconnect', lost);
  return {
    async publish(publication: Publication) {
      const to = topic.of(publication);
      const { chat, clientId, body, headers } = publication;
      const message = { topic: to, key: chat || clientId, value: Buffer.from(body), headers };
      try {
        await producer.send({ messages: [message] });
      } catch (error) {
        throw explanation(error, to);
      }
    },
    close: () => producer.close(),
  };
}

/** @throws UnsupportedNodeError */
function requireNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > NODE[0] || (major === NODE[0] && minor >= NODE[1])) return;
  throw new UnsupportedNodeError(
    `Kafka needs Node.js ${NODE.join('.')} or newer, and the gateway runs on ${process.versions.node}`,
  );
}

/** An error with the text of the protocol or network error that the client has wrapped. */
function explanation(error: unknown, topic: string): Error {
  const causes = causesOf(error);
  for (const cause of causes) {
    const type = 'apiId' in cause ? cause.apiId : undefined;
    if (typeof type !== 'string') continue;
    const text = `${type}: ${cause.message}`;
    return REFUSES_EVENT.includes(type)
      ? new RefusedEventError(`topic ${topic} refuses it: ${text}`, { cause })
      : new Error(`topic ${topic}: ${text}`, { cause });
  }
  const innermost = causes.at(-1);
  return new Error(innermost?.message ?? String(error), { cause: error });
}

const DEPTH = 8;

/** An error and its causes, outermost first. */
function causesOf(error: unknown, depth = 0): Error[] {
  if (!(error instanceof Error) || depth > DEPTH) return [];
  const inner = error instanceof AggregateError ? error.errors : [];
  return [error, ...[...inner, error.cause].flatMap((one) => causesOf(one, depth + 1))];
}
