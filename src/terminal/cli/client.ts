import { setMaxListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { headersOf, messageIn, refusalOf, requestOf, SwitchboardError } from '../../client/call.js';
import { entriesIn, type StreamItem } from '../../client/event-stream.js';
import {
  type Call,
  type CallOptions,
  type ChannelPostAnswer,
  Operations,
  type SendMediaAnswer,
  type Transport,
} from '../../client/generated/operations.generated.js';
import { TOKEN_FILE } from '../../domain/data-dir.js';
import { isObject, readAnswer } from '../../domain/json.js';
import { CliError, refusedBy } from './errors.js';
import { exchange, type HttpAnswer, type HttpRequest, open, readText } from './http.js';

/** Default timeout in milliseconds: the daemon waits 10 s for the connection and 20 s for the acknowledgement of a message. */
const TIMEOUT_MS = 60_000;
/** Timeout in milliseconds for a large file, which goes to the daemon and from there to WhatsApp. */
const UPLOAD_TIMEOUT_MS = 15 * 60_000;
/** Timeout of a delivery in milliseconds, for up to four attempts of 15 s each, with pauses. */
const DELIVERY_TIMEOUT_MS = 75_000;
const SECOND_MS = 1_000;
/** Timeouts in milliseconds of calls that differ from a send. */
const TIMEOUTS_MS: Readonly<Record<string, number>> = {
  '/start': 30_000,
  '/qr': 30_000,
  '/pair-phone': 30_000,
  '/check-state': 30_000,
  '/clients': 30_000,
  '/health/clients': 30_000,
  '/set-webhook': 30_000,
  '/set-org-id': 30_000,
  '/set-api-secret': 30_000,
  '/disconnect': 30_000,
  '/config': 30_000,
  // the daemon first calls the new listener, for up to 15 s
  '/listen-webhook': 20_000,
  // the daemon waits 10 s for the connection, may ask again over the next one for 20 s, and waits 30 s for the phone
  '/request-history': 75_000,
  '/send-test-event': DELIVERY_TIMEOUT_MS,
  '/failed-deliveries/{id}/resend': DELIVERY_TIMEOUT_MS,
  // enough for 10,000 rooms
  '/refresh-avatars': 30 * 60_000,
};

/** Milliseconds without data after which a stream counts as dead; the daemon sends comments more often. */
const SILENCE_MS = 90_000;

interface DaemonAddress {
  url: string;
  /** Master token or API secret of a session. */
  token?: string | undefined;
  /** Path where the token was looked for, for error messages. */
  tokenPath?: string;
  /** True if the token was read there. */
  isTokenFound?: boolean;
  /** Aborts every call. */
  signal?: AbortSignal;
}

/** A multipart form that streams. */
interface UploadForm {
  body: Readable;
  contentType: string;
}

/** A daemon over HTTP: the operations of the API, and calls that only the CLI makes. Every failure is a CliError. */
export class DaemonClient extends Operations {
  readonly #daemon: DaemonTransport;

  constructor(address: DaemonAddress) {
    const daemon = new DaemonTransport(address);
    super(daemon);
    this.#daemon = daemon;
    // each running call adds a listener; more than ten at once are no leak
    if (address.signal) setMaxListeners(0, address.signal);
  }

  get url(): string {
    return this.#daemon.url;
  }

  /** Calls any route, whose query is in its path. @returns the body */
  text(method: Call['method'], path: string, body?: object): Promise<string> {
    return this.#daemon.text({ method, path, body });
  }

  /** Uploads and sends a file. */
  async upload(clientId: string, form: UploadForm, idempotencyKey: string): Promise<SendMediaAnswer> {
    const headers = { 'idempotency-key': idempotencyKey };
    return this.#daemon.answer(await this.uploadForm('/send-media-message', clientId, form, headers));
  }

  /** Posts a file in a channel. */
  async uploadPost(clientId: string, form: UploadForm, idempotencyKey: string): Promise<ChannelPostAnswer> {
    const headers = { 'idempotency-key': idempotencyKey };
    return this.#daemon.answer(await this.uploadForm('/post-channel', clientId, form, headers));
  }

  /**
   * Uploads a form. `clientId` is also in the query, because nodes forward the form unread.
   * @returns the body
   */
  uploadForm(
    route: `/${string}`,
    clientId: string,
    { body, contentType }: UploadForm,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const path = `${route}?clientId=${encodeURIComponent(clientId)}`;
    const timeoutMs = UPLOAD_TIMEOUT_MS;
    const type = { 'content-type': contentType };
    return this.#daemon.text({ method: 'POST', path, body, headers: { ...type, ...headers }, timeoutMs });
  }

  /** A backup of the daemon's store, as a stream. */
  async downloadBackup(): Promise<IncomingMessage> {
    const headers = { accept: 'application/octet-stream' };
    try {
      const response = await this.#daemon.stream({ method: 'GET', path: '/backup', headers });
      if (response.statusCode !== 200 || response.headers['content-type'] !== headers.accept) {
        response.destroy();
        throw this.#daemon.wrongServer();
      }
      response.setTimeout(SILENCE_MS, () => response.destroy(new Error('no data from the daemon')));
      return response;
    } catch (error) {
      if (!isRefusal(error, 'route_unknown')) throw error;
      const suggestions = ['update the daemon', 'or run this command on its machine, with --data-dir'];
      const message = `the daemon at ${this.url} is of a release that makes no backups`;
      throw new CliError('failure', message, { suggestions, cause: error });
    }
  }

  /** The raw answer, whatever its status. */
  probe(path: '/health/live' | '/health/ready', timeoutMs: number): Promise<HttpAnswer> {
    return this.#daemon.exchange({ method: 'GET', path, timeoutMs });
  }

  /**
   * Live stream of events and delivery attempts. Resolves when it is open.
   * @param wanted `rooms` also signals changed rooms
   * @param place where it begins; is set to the id of the last entry
   * @returns throws when the connection breaks or goes silent
   */
  async events(
    wanted: { clientId?: string; rooms?: boolean },
    place: { id: string },
    signal: AbortSignal,
  ): Promise<AsyncIterable<StreamItem>> {
    const call = requestOf({ method: 'GET', path: '/events', query: ['clientId', 'rooms'] }, wanted);
    const headers = { accept: 'text/event-stream', ...(place.id && { 'last-event-id': place.id }) };
    const response = await this.#daemon.stream({ ...call, headers, signal });
    response.setTimeout(SILENCE_MS, () => response.destroy(new Error('no data from the daemon')));
    return entriesIn(response, place);
  }
}

/** A request to a path below the daemon's URL. */
type DaemonRequest = Omit<HttpRequest, 'body'> & { path: string; body?: object | Readable };

/** Reaches a daemon with node:http. */
class DaemonTransport implements Transport {
  readonly #address: DaemonAddress;

  constructor(address: DaemonAddress) {
    this.#address = address;
  }

  get url(): string {
    return this.#address.url;
  }

  async json<Answer>(call: Call, request: object, options?: CallOptions): Promise<Answer> {
    return this.answer(await this.text(this.#bounded(call, request, options)));
  }

  async response(call: Call, request: object, options?: CallOptions): Promise<Response> {
    const answer = await this.stream(this.#bounded(call, request, options));
    return new Response(Readable.toWeb(answer), { status: answer.statusCode });
  }

  /** The body as text. @throws CliError by the answer's status. */
  async text(request: DaemonRequest): Promise<string> {
    const { status, headers, text } = await this.exchange({ timeoutMs: TIMEOUT_MS, ...request });
    if (status >= 400) throw this.#refusal(request, status, headers, text);
    return text;
  }

  /** The answer, whatever its status. */
  exchange(request: DaemonRequest): Promise<HttpAnswer> {
    return this.#connect(exchange(this.#urlOf(request), this.#request(request)));
  }

  /** A streaming response. @throws CliError by the answer's status. */
  async stream(request: DaemonRequest): Promise<IncomingMessage> {
    const response = await this.#connect(open(this.#urlOf(request), this.#request(request)));
    const { statusCode = 0, headers } = response;
    if (statusCode >= 400) throw this.#refusal(request, statusCode, headers, await readText(response));
    return response;
  }

  answer<Answer>(text: string): Answer {
    try {
      return readAnswer(text);
    } catch {
      // the answer was cut off, or is no JSON
      throw this.wrongServer();
    }
  }

  #bounded(call: Call, request: object, options?: CallOptions): DaemonRequest {
    const timeoutMs = TIMEOUTS_MS[call.path] ?? TIMEOUT_MS;
    const { signal } = options ?? {};
    return { ...requestOf(call, request), headers: headersOf(options), timeoutMs, signal };
  }

  #urlOf({ path }: DaemonRequest): URL {
    return new URL(`${this.url.replace(/\/+$/, '')}${path}`);
  }

  #request({ method, body, headers, timeoutMs, signal = this.#address.signal }: DaemonRequest): HttpRequest {
    const { token } = this.#address;
    return {
      method,
      headers: {
        accept: 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: body === undefined || body instanceof Readable ? body : JSON.stringify(body),
      timeoutMs,
      signal,
    };
  }

  /** Adds suggestions to a failed connection. */
  async #connect<Value>(connecting: Promise<Value>): Promise<Value> {
    try {
      return await connecting;
    } catch (error) {
      if (!(error instanceof CliError) || error.failure !== 'unreachable') throw error;
      const { message, cause } = error;
      throw new CliError('unreachable', message, { suggestions: UNREACHABLE, cause });
    }
  }

  #refusal(request: DaemonRequest, status: number, headers: IncomingHttpHeaders, text: string): CliError {
    const message = messageIn(text);
    const refusal = refusalOf(status, (name) => headers[name]?.toString() ?? null, text);
    // a daemon says what was not found; "Not Found" alone is the text of another server
    const isForeign = refusal.code === 'unknown' && message === 'Not Found';
    if (message === undefined || isForeign) return this.wrongServer();
    const clientId = sessionOf(request);
    const about = { clientId, to: recipientOf(request) };
    return refusedBy(refusal, suggestionsFor(refusal, this.#address, about), clientId);
  }

  /** The error for an answer that no daemon gives. */
  wrongServer(): CliError {
    const message = `the server at ${this.url} is not a Switchboard daemon`;
    return new CliError('unreachable', message, { suggestions: UNREACHABLE });
  }
}

/** True if the daemon refused a call with this code. */
export function isRefusal(error: unknown, code: SwitchboardError['code']): boolean {
  if (!(error instanceof CliError)) return false;
  const { cause } = error;
  return cause instanceof SwitchboardError && cause.code === code;
}

/** Milliseconds after which the daemon asks to repeat a call that it refused with this code; undefined for all other errors. */
export function pauseOf(error: unknown, code: SwitchboardError['code']): number | undefined {
  if (!isRefusal(error, code) || !(error instanceof CliError)) return undefined;
  const { cause } = error;
  const seconds = cause instanceof SwitchboardError ? cause.retryAfter : undefined;
  return seconds === undefined ? undefined : Math.max(seconds, 1) * SECOND_MS;
}

const UNREACHABLE = ['start the daemon: switchboard start', 'or set --url or SWITCHBOARD_URL to its address'];

/** The session that a call names. */
function sessionOf({ path, body }: DaemonRequest): string | undefined {
  const named = isObject(body) ? body.clientId : undefined;
  if (typeof named === 'string') return named;
  return new URLSearchParams(path.split('?')[1] ?? '').get('clientId') ?? undefined;
}

/** The person or group that a call sends to. */
function recipientOf({ body }: DaemonRequest): string | undefined {
  const named = isObject(body) ? body.to : undefined;
  return typeof named === 'string' ? named : undefined;
}

function suggestionsFor(
  { status, code, retryAfter }: SwitchboardError,
  { token, tokenPath, isTokenFound }: DaemonAddress,
  { clientId, to }: { clientId: string | undefined; to: string | undefined },
): string[] {
  const name = clientId === undefined ? '' : ` ${clientId}`;
  if (code === 'policy_refused' && name && to)
    return [`see which rules apply: switchboard policy explain${name} ${to}`];
  if (code === 'session_suspended')
    return [`see the cause and what helps: switchboard doctor${name && ` --session${name}`}`];
  if (code === 'history_phone_silent') return ['switch the phone on, open WhatsApp on it, and try again'];
  if (code === 'history_requested')
    return [retryAfter === undefined ? 'try again in a moment' : `try again in ${retryAfter} s`];
  if (code === 'route_unknown') return ['list the routes of the daemon: switchboard api /config'];
  if (status === 401 && token === undefined) {
    const where = tokenPath ? ` (no token was found in ${tokenPath})` : '';
    return [
      `set --token or SWITCHBOARD_TOKEN${where}`,
      "or set SWITCHBOARD_DATA_DIR to the daemon's data directory",
    ];
  }
  if (status === 401 && isTokenFound && tokenPath) {
    return [
      `the daemon does not know the token in ${tokenPath}: check SWITCHBOARD_DATA_DIR`,
      'or set --token or SWITCHBOARD_TOKEN',
    ];
  }
  if (status === 401) return ['the daemon does not know the token: check --token and SWITCHBOARD_TOKEN'];
  if (code === 'forbidden') return ['an API secret is limited to its session: use the master token'];
  if (code === 'session_unpaired') return [`pair it: switchboard pair${name}`];
  if (status === 404 && isOfSession(code)) return ['list the sessions: switchboard sessions list'];
  if (status === 409 && isOfSession(code))
    return ['check the status of the session: switchboard sessions list'];
  if (status === 502 || status === 503) return ['find the cause: switchboard doctor'];
  return [];
}

/** True if a refusal concerns the session; a daemon of an older release may send no code. */
function isOfSession(code: string): boolean {
  return code === 'unknown' || code.startsWith('session_');
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** True for a loopback URL: daemon and data directory are on this machine. */
export function isThisMachine(url: string): boolean {
  return LOOPBACK.test(new URL(url).hostname);
}

export function tokenPath(dataDir: string): string {
  return join(dataDir, TOKEN_FILE);
}

/**
 * Reads the token from the data directory, only for a daemon on this machine: the token must never go to another host.
 * @returns undefined if there is none
 * @throws CliError if the file is not readable
 */
export async function findToken(url: string, dataDir: string): Promise<string | undefined> {
  if (!isThisMachine(url)) return undefined;
  try {
    return (await readFile(tokenPath(dataDir), 'utf8')).trim() || undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new CliError('unauthorized', `the token in ${tokenPath(dataDir)} cannot be read (${code})`, {
      suggestions: ['run this command as the user of the daemon', 'or set --token or SWITCHBOARD_TOKEN'],
      cause: error,
    });
  }
}
