import { isObject, parseObject } from '../../../../domain/json.js';

/** The descriptor on which the broker process reports. */
export const REPORTS = 3;
/** The argument that switches off the guard of the broker process. */
export const ALLOW_PRIVATE = '--allow-private';

/** Bytes of one line from the broker process; its texts are far shorter. */
export const LINE_BYTES = 16 * 1024;
/** Characters of an error text that leave the broker process. */
export const TEXT_LENGTH = 500;

/** An event for the broker process: without tokens, and with no settings of the tenant except headers. */
export interface Publication {
  deliveryId: string;
  clientId: string;
  type: string;
  /** The chat; events of one chat keep their order, because Kafka uses it as the key. */
  chat: string;
  /** Number of the attempt, from 1. */
  attempt: number;
  /** The event as JSON. */
  body: string;
  /** Headers of the webhook call, with lower-case names and without the bearer token. */
  headers: Record<string, string>;
}

/** An order of the daemon to the broker process, one JSON object per line. The daemon assigns the numbers `connection` and `request`. */
export type Order =
  | { order: 'open'; request: number; connection: number; url: string }
  | { order: 'publish'; request: number; connection: number; publication: Publication }
  /** Closes the connection cleanly. */
  | { order: 'close'; request: number; connection: number }
  /** Ends the connection at once, without an answer. */
  | { order: 'abort'; connection: number }
  | { order: 'ping' };

/** Why the broker process could not carry out an order. */
export const FAILURES = [
  /** Any failure that can be fixed at the broker. */
  'failed',
  /** The broker can never store this event. */
  'refused',
  /** The broker is at a private address. */
  'private',
  /** The broker sent more bytes than the requests justify. */
  'flood',
  /** The client of this broker needs a newer Node.js. */
  'node',
] as const;
export type Failure = (typeof FAILURES)[number];

/** A report of the broker process to the daemon. */
export type Report =
  | { report: 'ready' }
  | { report: 'done'; request: number }
  | { report: 'failed'; request: number; failure: Failure; text: string }
  /** The broker ended a connection. */
  | { report: 'lost'; connection: number }
  | { report: 'pong'; rss: number }
  /** Sent just before the exit of a process that a client has crashed. */
  | { report: 'broken'; text: string };

/** Reads a line from the daemon; undefined if it is not an order. */
export function readOrder(line: string): Order | undefined {
  const { order, request, connection, url, publication } = parseObject(line) ?? {};
  if (order === 'ping') return { order };
  if (!isNumber(connection)) return undefined;
  if (order === 'abort') return { order, connection };
  if (!isNumber(request)) return undefined;
  if (order === 'close') return { order, request, connection };
  if (order === 'open' && typeof url === 'string') return { order, request, connection, url };
  const read = order === 'publish' ? readPublication(publication) : undefined;
  return read && { order: 'publish', request, connection, publication: read };
}

/** Reads a line from the broker process; undefined if it is not a report. */
export function readReport(line: string): Report | undefined {
  const { report, request, connection, failure, text, rss } = parseObject(line) ?? {};
  if (report === 'ready') return { report };
  if (report === 'pong') return isNumber(rss) ? { report, rss } : undefined;
  if (report === 'lost') return isNumber(connection) ? { report, connection } : undefined;
  if (report === 'broken') return isText(text) ? { report, text } : undefined;
  if (!isNumber(request)) return undefined;
  if (report === 'done') return { report, request };
  const known = FAILURES.find((one) => one === failure);
  if (report !== 'failed' || !known || !isText(text)) return undefined;
  return { report, request, failure: known, text };
}

function readPublication(value: unknown): Publication | undefined {
  if (!isObject(value)) return undefined;
  const { deliveryId, clientId, type, chat, attempt, body, headers } = value;
  if (typeof deliveryId !== 'string' || typeof clientId !== 'string' || typeof type !== 'string') return;
  if (typeof chat !== 'string' || typeof body !== 'string' || !isNumber(attempt)) return undefined;
  if (!isObject(headers)) return undefined;
  const texts: Record<string, string> = {};
  for (const [name, content] of Object.entries(headers)) {
    if (typeof content !== 'string') return undefined;
    texts[name] = content;
  }
  return { deliveryId, clientId, type, chat, attempt, body, headers: texts };
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= TEXT_LENGTH;
}
