import type { LookupFunction } from 'node:net';
import type { Clock } from '../../domain/clock.js';
import { type WebhookFacts, webhookHeaders } from '../webhook-headers.js';

/** Milliseconds that a client may take to open a connection. */
export const OPEN_TIMEOUT_MS = 10_000;
/** Milliseconds for one event, from the name look-up to the acknowledgement. */
export const PUBLISH_TIMEOUT_MS = 15_000;

/** An event for a broker. */
export interface SinkEvent extends WebhookFacts {
  clientId: string;
  /** Events of one chat keep their order: Kafka gets it as key. */
  chat: string;
}

/** What a connection publishes. */
export interface Publication {
  event: SinkEvent;
  /** In lower case. */
  headers: Record<string, string>;
}

/** An open connection to a broker. */
export interface SinkConnection {
  /**
   * Resolves when the broker has stored the event.
   * @throws RefusedEventError if this event can never be stored; any other error if it may be stored later
   */
  publish(publication: Publication): Promise<void>;
  /** Says good-bye; the signal of `OpenOptions` ends a connection at once. */
  close(): Promise<void>;
}

export interface OpenOptions {
  clock: Clock;
  /** Switches the guard against private addresses off. */
  allowPrivate: boolean;
  /** Replaces the system's resolver. */
  lookup?: LookupFunction | undefined;
  /** Ends the connection at once, open or not. */
  signal: AbortSignal;
  /** Called when the broker ends the connection. */
  lost(): void;
}

/** A broker's address that was checked. */
export interface Sink {
  /** HOST:PORT of further brokers that the address names. */
  others?: readonly string[];
  /** @throws Error of the client; PrivateAddressError */
  open(options: OpenOptions): Promise<SinkConnection>;
}

/** The brokers of one protocol. */
export interface SinkKind {
  /** URL schemes, with the colon. */
  schemes: readonly string[];
  /** The form of its addresses, for people. */
  form: string;
  /** @throws InvalidSinkUrl */
  read(url: URL): Sink;
}

/** A broker's address breaks a rule. The message names the rule and contains no secret. */
export class InvalidSinkUrl extends Error {}

/** The broker can never store this event, such as one above its limit of bytes. */
export class RefusedEventError extends Error {}

/** What can be said about an error that every kind meets. */
export function notInstalled(client: string, packages: string): (cause: unknown) => never {
  return (cause) => {
    throw new Error(`the client of ${client} is not installed: npm install -g ${packages}`, { cause });
  };
}

/** The headers of a webhook call, without its bearer token: whoever reads the broker would learn it. */
export function sinkHeaders(event: SinkEvent, now: number, signedAt: number): Record<string, string> {
  const { authorization: _, 'user-agent': __, ...headers } = webhookHeaders(event, now, signedAt);
  return headers;
}

/** The parts of a broker's address that all kinds share. */
export interface SinkAddress {
  host: string;
  port: number;
  username: string;
  password: string;
  /** Without the first slash. */
  path: string;
  query: ReadonlyMap<string, string>;
}

/**
 * Takes an address apart.
 * @param known names of its query
 * @throws InvalidSinkUrl
 */
export function addressOf(url: URL, defaultPort: number, known: readonly string[]): SinkAddress {
  const host = url.hostname.replace(/^\[|\]$/g, '');
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

/** A place at a broker, whose name may contain `{clientId}` and `{type}`. */
export class Place {
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

  of(event: Pick<SinkEvent, 'clientId' | 'type'>): string {
    return this.#template.replaceAll('{clientId}', event.clientId).replaceAll('{type}', event.type);
  }
}
