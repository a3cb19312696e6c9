import { connect as connectSocket, isIP } from 'node:net';
import type { ChannelModel, Options } from 'amqplib';
import { guardedLookup, requireAllowedHost } from '../guard.js';
import { USER_AGENT } from '../webhook-headers.js';
import {
  addressOf,
  InvalidSinkUrl,
  notInstalled,
  type OpenOptions,
  Place,
  type Publication,
  RefusedEventError,
  type SinkAddress,
  type SinkConnection,
  type SinkKind,
} from './sink.js';

const PORTS: Readonly<Record<string, number>> = { 'amqp:': 5672, 'amqps:': 5671 };
/** A name of AMQP is a short string. */
const NAME = { pattern: /^[^{}]{0,255}$/, rule: 'must have at most 255 characters' };
/** Seconds between signs of life, so that a broker that is gone is noticed. */
const HEARTBEAT_S = 30;
/** What closes a channel because of a message: content too large, and a precondition such as the limit of bytes. */
const REFUSES_EVENT: ReadonlySet<number> = new Set([311, 406]);

/** RabbitMQ: AMQP 0-9-1 with publisher confirms. A message that no queue gets has not arrived. */
export const AMQP: SinkKind = {
  schemes: ['amqp:', 'amqps:'],
  form: 'amqp://USER:PASSWORD@HOST:5672/VHOST?exchange=NAME&key=ROUTING.KEY',
  read(url) {
    const address = addressOf(url, PORTS[url.protocol] ?? 0, ['exchange', 'key']);
    const exchange = address.query.get('exchange') ?? '';
    const key = address.query.get('key') ?? '';
    if (exchange === '' && key === '') {
      throw new InvalidSinkUrl('exchange=NAME, or key=QUEUE for the default exchange, is missing');
    }
    const places = { exchange: new Place('exchange', exchange, NAME), key: new Place('key', key, NAME) };
    const isTls = url.protocol === 'amqps:';
    return { open: (options) => open(address, isTls, places, options) };
  },
};

async function open(
  { host, port, username, password, path }: SinkAddress,
  isTls: boolean,
  { exchange, key }: { exchange: Place; key: Place },
  { allowPrivate, lookup, signal, lost }: OpenOptions,
): Promise<SinkConnection> {
  const { connect } = await import('amqplib').catch(notInstalled('RabbitMQ', 'amqplib@2'));
  requireAllowedHost(host, allowPrivate);
  const socket = { host, port, lookup: guardedLookup({ allowPrivate, lookup }), signal };
  const name = isIP(host) === 0 && { servername: host };
  const server: Options.Connect = {
    ...{ protocol: isTls ? 'amqps' : 'amqp', hostname: host, port, heartbeat: HEARTBEAT_S },
    ...(path !== '' && { vhost: encodeURIComponent(path) }),
    ...((username || password) && { username, password }),
  };
  const connection = await connect(server, isTls ? { socket: connectSocket(socket), ...name } : socket).catch(
    (cause: unknown) => {
      // the client does not tell why the last step of the handshake failed
      const isVhost = cause instanceof Error && cause.message.startsWith('Expected ConnectionOpenOk');
      throw isVhost ? new Error(`the broker refuses vhost ${path || '/'}`, { cause }) : cause;
    },
  );
  return publisher(connection, { exchange, key }, lost);
}

/** Publishes on one channel with confirms. What ends the channel ends everything that is not confirmed yet. */
async function publisher(
  connection: ChannelModel,
  { exchange, key }: { exchange: Place; key: Place },
  lost: () => void,
): Promise<SinkConnection> {
  const unconfirmed = new Set<(error: Error) => void>();
  /** Ids of messages that came back because no queue gets them. */
  const returned = new Set<string>();
  const fail = (error: Error) => {
    for (const reject of unconfirmed) reject(error);
    lost();
  };
  connection.on('error', fail);
  connection.on('close', () => fail(new Error('the broker closed the connection')));
  const channel = await connection.createConfirmChannel();
  channel.on('error', (error) => fail(refusal(error)));
  channel.on('return', ({ properties }) => returned.add(String(properties.messageId)));

  const publish = ({ event, headers }: Publication) =>
    new Promise<void>((resolve, reject) => {
      unconfirmed.add(reject);
      const places = [exchange.of(event), key.of(event)] as const;
      const options = {
        ...{ persistent: true, mandatory: true, contentType: 'application/json', appId: USER_AGENT },
        ...{ messageId: event.deliveryId, type: event.type, headers },
      };
      channel.publish(...places, Buffer.from(event.body), options, (error: unknown) => {
        unconfirmed.delete(reject);
        // a message is returned before it is confirmed
        if (returned.delete(event.deliveryId)) return reject(unroutable(...places));
        if (error) return reject(error instanceof Error ? error : new Error('the broker did not store it'));
        resolve();
      });
    });
  return { publish, close: () => connection.close() };
}

/** A channel's end, as the broker explains it. */
function refusal(error: Error): Error {
  const code = 'code' in error && typeof error.code === 'number' ? error.code : 0;
  return REFUSES_EVENT.has(code) ? new RefusedEventError(error.message, { cause: error }) : error;
}

function unroutable(exchange: string, key: string): Error {
  const where = exchange === '' ? 'there is no queue' : `no queue is bound to exchange ${exchange} for key`;
  return new Error(`${where} ${key}`);
}
