import type { LookupFunction } from 'node:net';
import { boundedCache } from '../../domain/bounded-cache.js';
import { isBrokerUrl } from '../../domain/brokers.js';
import type { Clock } from '../../domain/clock.js';
import { GatewayError } from '../../domain/errors.js';
import { originOf, shownUrl } from '../../domain/text.js';
import { PrivateAddressError, requirePublicUrl } from '../guard.js';
import { type CallResult, describeFailure, readTarget, type Target } from '../webhook.js';
import { AMQP } from './amqp.js';
import { KAFKA } from './kafka.js';
import { NATS } from './nats.js';
import { REDIS } from './redis.js';
import { SharedConnection } from './shared-connection.js';
import {
  InvalidSinkUrl,
  RefusedEventError,
  type Sink,
  type SinkEvent,
  type SinkKind,
  sinkHeaders,
} from './sink.js';

export type { SinkEvent };

const KINDS: ReadonlyMap<string, SinkKind> = new Map(
  [NATS, KAFKA, AMQP, REDIS].flatMap((kind) => kind.schemes.map((scheme) => [scheme, kind] as const)),
);

/** HTTP's status for an event that is too large: no retry can help. */
const TOO_LARGE = 413;

const STOPPED: CallResult = {
  outcome: 'failed',
  status: 0,
  reason: 'aborted because the gateway stops',
};

/** The addresses that were used last: each event asks for one. */
const targets = boundedCache<Target>(1_000);

/** Parses a receiver's address, of a webhook or of a broker; undefined if it is neither. */
export function targetOf(url: string): Target | undefined {
  const known = targets.get(url);
  if (known) return known;
  const target = isBrokerUrl(url)
    ? { origin: originOf(url), path: '', shown: shownUrl(url), broker: url }
    : readTarget(url);
  if (target) targets.set(url, target);
  return target;
}

/**
 * Checks a broker's address.
 * @param field names the address in the error
 * @param url an address for which `isBrokerUrl` holds
 * @throws GatewayError invalid_request, which names the rule that it breaks
 */
function requireSinkUrl(field: string, url: string, allowPrivate: boolean): void {
  try {
    const { others = [] } = readSink(url);
    if (allowPrivate) return;
    for (const address of [url, ...others.map((host) => `kafka://${host}`)]) requirePublicUrl(field, address);
  } catch (error) {
    if (!(error instanceof InvalidSinkUrl)) throw error;
    throw new GatewayError('invalid_request', `${field}: ${error.message}`);
  }
}

/** @throws InvalidSinkUrl */
function readSink(url: string): Sink {
  const parsed = new URL(url);
  const kind = KINDS.get(parsed.protocol);
  if (!kind) throw new InvalidSinkUrl('it has not the scheme of a broker');
  try {
    return kind.read(parsed);
  } catch (error) {
    if (!(error instanceof InvalidSinkUrl)) throw error;
    throw new InvalidSinkUrl(`${error.message} (the form is ${kind.form})`);
  }
}

/**
 * Checks the address of a receiver.
 * @param field names the address in the error
 * @param url valid and absolute, or with the scheme of a broker
 * @throws GatewayError invalid_request
 */
export function requireReceiverUrl(field: string, url: string, allowPrivate: boolean): void {
  if (isBrokerUrl(url)) requireSinkUrl(field, url, allowPrivate);
  else if (!allowPrivate) requirePublicUrl(field, url);
}

interface SinksOptions {
  clock: Clock;
  /** Dates signatures. */
  signing: Clock;
  allowPrivate: boolean;
  /** Replaces the system's resolver. */
  lookup?: LookupFunction;
}

/**
 * Publishes events to brokers. Events with the same address share a connection, which is opened for the first of them and closed
 * after a minute without any. A connection on which an event failed is replaced for the next attempt.
 */
export class Sinks {
  readonly #options: SinksOptions;
  readonly #connections = new Map<string, SharedConnection>();
  /** Connections that get no further events, until they are closed. */
  readonly #closing = new Map<SharedConnection, Promise<void>>();
  #stopped = false;

  constructor(options: SinksOptions) {
    this.#options = options;
  }

  /** Number of connections that are open, being opened or being closed. */
  get size(): number {
    return this.#connections.size + this.#closing.size;
  }

  /** Makes one attempt: `delivered` once the broker has stored the event. Never rejects. */
  async publish(url: string, event: SinkEvent): Promise<CallResult> {
    if (this.#stopped) return STOPPED;
    const { clock, signing } = this.#options;
    try {
      const shared = this.#connections.get(url) ?? this.#open(url);
      const headers = sinkHeaders(event, clock.now(), signing.now());
      await shared.use((connection) => connection.publish({ event, headers }));
      return { outcome: 'delivered', status: 0, reason: '' };
    } catch (error) {
      return this.#stopped ? STOPPED : resultOf(error, url);
    }
  }

  /** Aborts what is in flight and closes all connections. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const shared of [...this.#connections.values(), ...this.#closing.keys()]) shared.abort();
    await Promise.all(this.#closing.values());
  }

  /** @throws InvalidSinkUrl */
  #open(url: string): SharedConnection {
    const { clock, allowPrivate, lookup } = this.#options;
    const sink = readSink(url);
    const shared: SharedConnection = new SharedConnection({
      clock,
      open: (signal, lost) => sink.open({ clock, allowPrivate, lookup, signal, lost }),
      retired: (closed) => {
        if (this.#connections.get(url) === shared) this.#connections.delete(url);
        this.#closing.set(
          shared,
          closed.then(() => void this.#closing.delete(shared)),
        );
      },
    });
    this.#connections.set(url, shared);
    return shared;
  }
}

function resultOf(error: unknown, url: string): CallResult {
  const reason = describeFailure(error);
  if (error instanceof InvalidSinkUrl) return { outcome: 'rejected', status: 0, reason };
  if (error instanceof PrivateAddressError) return { outcome: 'rejected', status: 0, reason };
  const clean = withoutSecrets(reason, url);
  if (error instanceof RefusedEventError) return { outcome: 'rejected', status: TOO_LARGE, reason: clean };
  return { outcome: 'failed', status: 0, reason: clean };
}

/** A client's error may quote what it was given. */
function withoutSecrets(text: string, url: string): string {
  const { username, password } = new URL(url);
  // without a password the name can be a token
  const secret = password || username;
  return secret ? text.replaceAll(secret, '***').replaceAll(decodeURIComponent(secret), '***') : text;
}
