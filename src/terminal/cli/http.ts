import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { CliError } from './errors.js';

/** Timeout in milliseconds until the answer begins, and again until it ends. */
const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export interface HttpRequest {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  headers?: Readonly<Record<string, string>>;
  /** Request body; a text is sent as JSON. */
  body?: string | Readable;
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/**
 * Makes one HTTP exchange with node:http, because loading fetch would double the run time of a short command.
 * @throws CliError `unreachable` if there is no answer, `interrupted` when the signal aborted.
 */
export async function exchange(url: URL, request: HttpRequest = {}): Promise<HttpAnswer> {
  const response = await open(url, request);
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = request;
  const timer = setTimeout(() => response.destroy(new NoAnswer(timeoutMs)), timeoutMs);
  try {
    return { status: response.statusCode ?? 0, headers: response.headers, text: await readText(response) };
  } catch (error) {
    throw connectionError(url, error, request.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Like `exchange`, but leaves the body as a stream. */
export async function open(url: URL, request: HttpRequest = {}): Promise<IncomingMessage> {
  const { method = 'GET', headers, body, timeoutMs = DEFAULT_TIMEOUT_MS, signal } = request;
  // loaded only when needed, because it is slow to load
  const send = url.protocol === 'https:' ? (await import('node:https')).request : requestHttp;
  return new Promise((resolve, reject) => {
    const outgoing = send(url, { method, headers: { ...headers, ...bodyHeaders(body) }, signal });
    const timer = setTimeout(() => outgoing.destroy(new NoAnswer(timeoutMs)), timeoutMs);
    outgoing.on('response', (response) => {
      clearTimeout(timer);
      resolve(response);
    });
    outgoing.on('error', (error) => {
      clearTimeout(timer);
      reject(connectionError(url, error, signal));
    });
    // the server may refuse before the body has ended: then use the answer, not the write error
    if (typeof body === 'object') pipeline(body, outgoing, () => undefined);
    else outgoing.end(body);
  });
}

/** Reads an answer to its end. */
export async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error('the answer is too large');
  }
  return Buffer.concat(chunks).toString('utf8');
}

function connectionError(url: URL, error: unknown, signal?: AbortSignal): CliError {
  if (signal?.aborted) return new CliError('interrupted', 'interrupted', { cause: error });
  return new CliError('unreachable', `${url.origin} cannot be reached: ${explainConnection(error)}`, {
    cause: error,
  });
}

export function explainConnection(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return (
    EXPLANATIONS[code] ?? (error instanceof Error && error.message ? error.message : code || 'no answer')
  );
}

const EXPLANATIONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there (connection refused)',
  ECONNRESET: 'the connection was cut',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be resolved now',
  ETIMEDOUT: 'no answer in time',
  EHOSTUNREACH: 'no route to that host',
  ENETUNREACH: 'no route to that network',
  EPROTO: 'it does not speak TLS: is it http:// rather than https://?',
  HPE_INVALID_CONSTANT: 'it does not speak HTTP',
};

class NoAnswer extends Error {
  constructor(timeoutMs: number) {
    super(`no answer within ${Math.round(timeoutMs / 1000)} s`);
  }
}

function bodyHeaders(body: string | Readable | undefined): Record<string, string> {
  if (typeof body !== 'string') return {};
  return { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
}
