import { connect as connectSocket, isIP, type TcpNetConnectOpts } from 'node:net';
import type { Clock } from '../../../../domain/clock.js';
import { hostInUrl } from '../../../../domain/host.js';
import type { NatsDestination } from '../destinations.js';
import { PUBLISH_TIMEOUT_MS, type SinkConnection } from '../sink.js';
import { notInstalled, OPEN_TIMEOUT_MS, type OpenOptions, RefusedEventError } from './client.js';
import type { Publication } from './messages.js';

/** Error code for an event above the limit of a stream: `JSStreamMessageExceedsMaximumErr`. */
const TOO_LARGE_FOR_STREAM = 10_054;

/**
 * NATS JetStream. The server drops repeats by `Nats-Msg-Id`, within the stream's window.
 * @throws Error of the client
 */
export async function openNats(
  { host, port, username, password, isTls, subject, stream }: NatsDestination,
  { clock, signal, lost }: OpenOptions,
): Promise<SinkConnection> {
  const missing = notInstalled('NATS', '@nats-io/transport-node@3.3 @nats-io/jetstream@3.3');
  const { connect, headers: newHeaders, errors } = await import('@nats-io/transport-node').catch(missing);
  const { jetstream, JetStreamApiError } = await import('@nats-io/jetstream').catch(missing);
  const { address, demandsTls } = await greetedAt({ host, port, signal }, clock);
  // verify the certificate against the host name, not the resolved address
  const name = isIP(host) ? { host } : { servername: host };
  const nats = await connect({
    servers: `${hostInUrl(address)}:${port}`,
    name: 'switchboard',
    // a user name without a password is a token
    ...(password ? { user: username, pass: password } : username && { token: username }),
    tls: isTls || demandsTls ? { handshakeFirst: false, ...name } : null,
    timeout: OPEN_TIMEOUT_MS,
    reconnect: false,
    // connect only to the server in the address, not to other servers of its cluster
    ignoreClusterUpdates: true,
  });
  void nats.closed().then(lost);
  signal.addEventListener('abort', () => void nats.close(), { once: true });
  if (signal.aborted) await nats.close();
  const client = jetstream(nats);

  const publish = async (publication: Publication) => {
    const { deliveryId, body, headers } = publication;
    const sent = newHeaders();
    for (const [name, value] of Object.entries(headers)) sent.set(name, value);
    const target = subject.of(publication);
    try {
      await client.publish(target, body, {
        msgID: deliveryId,
        headers: sent,
        timeout: PUBLISH_TIMEOUT_MS,
        ...(stream && { expect: { streamName: stream } }),
      });
    } catch (cause) {
      if (cause instanceof Error && cause.cause instanceof errors.NoRespondersError)
        throw noStream(target, cause);
      if (cause instanceof Error && cause.name === 'JetStreamNotEnabled') throw noStream(target, cause);
      if (cause instanceof JetStreamApiError && cause.code === TOO_LARGE_FOR_STREAM) {
        throw new RefusedEventError(`the stream refuses it: ${cause.message}`, { cause });
      }
      // the client checks the size, with headers, before it sends; a server would close the connection for all events
      if (cause instanceof errors.InvalidArgumentError && cause.message.includes('max_payload')) {
        throw new RefusedEventError('it is above the max_payload of the server', { cause });
      }
      throw cause;
    }
  };
  return { publish, close: () => nats.close() };
}

const GREETING_BYTES = 64 * 1024;

/**
 * Waits for the greeting of a server with a limit of time, because the client would keep a silent connection open for
 * ever.
 * @returns the reached IP address, and whether the server demands TLS
 */
async function greetedAt(
  reach: TcpNetConnectOpts,
  clock: Clock,
): Promise<{ address: string; demandsTls: boolean }> {
  const socket = connectSocket(reach);
  const silence = new Error(`no greeting within ${OPEN_TIMEOUT_MS / 1_000} s`);
  const cancel = clock.after(OPEN_TIMEOUT_MS, () => socket.destroy(silence));
  let greeting = '';
  let address = '';
  try {
    for await (const chunk of socket) {
      address = socket.remoteAddress ?? '';
      greeting += String(chunk);
      if (greeting.includes('\r\n') || greeting.length > GREETING_BYTES) break;
    }
  } finally {
    cancel();
    socket.destroy();
  }
  if (!greeting.startsWith('INFO ')) throw new Error('the server does not speak the protocol of NATS');
  return { address, demandsTls: /"tls_required": *true/.test(greeting) };
}

function noStream(subject: string, cause: Error): Error {
  return new Error(`no stream takes the subject ${subject}, or JetStream is off`, { cause });
}
