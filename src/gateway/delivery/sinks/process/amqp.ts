import { connect as connectSocket, isIP } from 'node:net';
import type { ChannelModel, ConfirmChannel, Options } from 'amqplib';
import { USER_AGENT } from '../../../../domain/webhook-headers.js';
import type { AmqpDestination } from '../destinations.js';
import type { SinkConnection } from '../sink.js';
import { notInstalled, type OpenOptions, RefusedEventError } from './client.js';
import type { Publication } from './messages.js';

type Places = Pick<AmqpDestination, 'exchange' | 'key'>;

/** Seconds between heartbeats, to detect a broker that has gone. */
const HEARTBEAT_S = 30;
/** Reply codes that close a channel because of one message: content too large (311), and precondition failed (406), such as a limit of bytes. */
const REFUSES_EVENT: ReadonlySet<number> = new Set([311, 406]);

/** RabbitMQ: AMQP 0-9-1 with publisher confirms. A message that reaches no queue counts as not delivered. @throws Error of the client */
export async function openAmqp(
  destination: AmqpDestination,
  { signal, lost }: OpenOptions,
): Promise<SinkConnection> {
  const { host, port, username, password, path, isTls } = destination;
  const { connect } = await import('amqplib').catch(notInstalled('RabbitMQ', 'amqplib@2'));
  const socket = { host, port, signal };
  const name = isIP(host) === 0 && { servername: host };
  const server: Options.Connect = {
    ...{ protocol: isTls ? 'amqps' : 'amqp', hostname: host, port, heartbeat: HEARTBEAT_S },
    ...(path !== '' && { vhost: encodeURIComponent(path) }),
    ...((username || password) && { username, password }),
  };
  const connection = await connect(server, isTls ? { socket: connectSocket(socket), ...name } : socket).catch(
    (cause: unknown) => {
      // the client does not report why the last step of the handshake failed
      const isVhost = cause instanceof Error && cause.message.startsWith('Expected ConnectionOpenOk');
      throw isVhost ? new Error(`the broker refuses vhost ${path || '/'}`, { cause }) : cause;
    },
  );
  return publisher(connection, destination, lost);
}

/**
 * Publishes with confirms. A broker that refuses one message closes the whole channel without naming the message, so all
 * unconfirmed messages of that channel fail. First attempts share a channel; a repeated attempt gets its own channel,
 * where it cannot fail other messages.
 */
async function publisher(
  connection: ChannelModel,
  places: Places,
  lost: () => void,
): Promise<SinkConnection> {
  const channels = new Set<EventChannel>();
  const ended = (error: Error) => {
    for (const channel of channels) channel.fail(error);
    lost();
  };
  connection.on('error', ended);
  connection.on('close', () => ended(new Error('the broker closed the connection')));
  const opened = async () => {
    const channel = new EventChannel(await connection.createConfirmChannel(), places);
    channels.add(channel);
    return channel;
  };
  const shared = await opened();
  shared.onEnd(lost);
  return {
    async publish(publication) {
      if (publication.attempt === 1) return shared.publish(publication);
      const own = await opened();
      try {
        await own.publish(publication);
      } finally {
        channels.delete(own);
        await own.close();
      }
    },
    close: () => connection.close(),
  };
}

/** A channel and its unconfirmed messages. */
class EventChannel {
  readonly #channel: ConfirmChannel;
  readonly #places: Places;
  readonly #unconfirmed = new Set<(error: Error) => void>();
  /** Ids of messages that the broker returned because they reached no queue. */
  readonly #returned = new Set<string>();

  constructor(channel: ConfirmChannel, places: Places) {
    this.#channel = channel;
    this.#places = places;
    channel.on('error', (error: Error) => this.fail(reasonOf(error, this.#unconfirmed.size)));
    channel.on('return', ({ properties }) => this.#returned.add(String(properties.messageId)));
  }

  onEnd(ended: () => void): void {
    this.#channel.on('error', ended);
  }

  fail(error: Error): void {
    for (const reject of this.#unconfirmed) reject(error);
    this.#unconfirmed.clear();
  }

  publish(publication: Publication): Promise<void> {
    const { deliveryId, type, body, headers } = publication;
    return new Promise((resolve, reject) => {
      this.#unconfirmed.add(reject);
      const places = [this.#places.exchange.of(publication), this.#places.key.of(publication)] as const;
      const options = {
        ...{ persistent: true, mandatory: true, contentType: 'application/json', appId: USER_AGENT },
        ...{ messageId: deliveryId, type, headers },
      };
      this.#channel.publish(...places, Buffer.from(body), options, (error: unknown) => {
        this.#unconfirmed.delete(reject);
        // a message is returned before it is confirmed
        if (this.#returned.delete(deliveryId)) return reject(unroutable(...places));
        if (error) return reject(error instanceof Error ? error : new Error('the broker did not store it'));
        resolve();
      });
    });
  }

  /** Closes the channel; ignores the error if the broker has closed it already. */
  close(): Promise<void> {
    return this.#channel.close().catch(() => undefined);
  }
}

/** The reason why a channel ended. @param events number of unconfirmed events: only a single one is known to be the refused event */
function reasonOf(error: Error, events: number): Error {
  const code = 'code' in error && typeof error.code === 'number' ? error.code : 0;
  if (!REFUSES_EVENT.has(code)) return error;
  if (events === 1) return new RefusedEventError(error.message, { cause: error });
  return new Error(`the broker refused one of ${events} events, perhaps another one: ${error.message}`, {
    cause: error,
  });
}

function unroutable(exchange: string, key: string): Error {
  const where = exchange === '' ? 'there is no queue' : `no queue is bound to exchange ${exchange} for key`;
  return new Error(`${where} ${key}`);
}
