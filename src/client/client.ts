import { readAnswer } from '../domain/json.js';
import { headersOf, refusalOf, requestOf, SwitchboardError } from './call.js';
import { type EventsOptions, readEvents, type StreamItem } from './event-stream.js';
import {
  type Call,
  type CallOptions,
  Operations,
  type SendMediaAnswer,
  type Transport,
} from './generated/operations.generated.js';

export { SwitchboardError } from './call.js';
export type { EventsOptions, StreamItem } from './event-stream.js';
export type * from './generated/operations.generated.js';

/** How a client reaches the gateway. */
export interface ClientOptions {
  /** URL of the gateway, such as `http://127.0.0.1:3000`. */
  url: string;
  /** The master token, or a session's own secret. */
  token?: string;
  /** Milliseconds after which a call fails; 60 s unless named. Uploads have no bound. */
  timeoutMs?: number;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
}

/** A file to upload, with the fields of the message. */
export interface UploadRequest {
  clientId: string;
  to: string;
  /** The file; its `type` decides the kind of message. */
  file: Blob;
  fileName: string;
  caption?: string;
  sendAudioAsVoice?: boolean;
  asSticker?: boolean;
  quotedMessageId?: string;
  mentions?: string[];
  metaData?: Record<string, unknown>;
}

const TIMEOUT_MS = 60_000;

/** The gateway's API: one method for each operation. Every method rejects with a `SwitchboardError`, unless its signal aborts. */
export class SwitchboardClient extends Operations {
  readonly #transport: FetchTransport;

  constructor(options: ClientOptions) {
    const transport = new FetchTransport(options);
    super(transport);
    this.#transport = transport;
  }

  /** Uploads a file and sends it. */
  async uploadMedia(request: UploadRequest, options?: CallOptions): Promise<SendMediaAnswer> {
    const { file, fileName, mentions, metaData, ...fields } = request;
    const form = new FormData();
    for (const [name, value] of Object.entries(fields))
      if (value !== undefined) form.set(name, String(value));
    if (mentions) form.set('mentions', mentions.join(','));
    if (metaData) form.set('metaData', JSON.stringify(metaData));
    form.set('file', file, fileName);
    return this.#upload('/send-media-message', request.clientId, form, options);
  }

  /** Uploads a picture of the linked number or, with `groupJid`, of a group. */
  uploadPicture(
    { clientId, groupJid, file }: { clientId: string; groupJid?: string; file: Blob },
    options?: CallOptions,
  ): Promise<{ ok: true }> {
    const form = new FormData();
    form.set('clientId', clientId);
    if (groupJid !== undefined) form.set('groupJid', groupJid);
    form.set('file', file, 'picture');
    const route = groupJid === undefined ? '/set-profile-picture' : '/set-group-picture';
    return this.#upload(route, clientId, form, options);
  }

  async #upload<Answer>(
    route: string,
    clientId: string,
    form: FormData,
    options: CallOptions | undefined,
  ): Promise<Answer> {
    const path = `${route}?clientId=${encodeURIComponent(clientId)}`;
    return toAnswer(await this.#transport.ask(path, { method: 'POST', body: form }, options, false));
  }

  /**
   * The live stream of events and delivery attempts. Reconnects after a lost connection and resumes after the last entry;
   * ends when `signal` aborts or the loop is left. Throws a `SwitchboardError` if no retry can help, for example for a
   * wrong token.
   */
  events(options: EventsOptions = {}): AsyncGenerator<StreamItem, void, void> {
    const open = (path: string, headers: Record<string, string>, signal: AbortSignal) =>
      this.#transport.ask(path, { method: 'GET' }, { headers, signal }, false);
    return readEvents(open, options);
  }
}

class FetchTransport implements Transport {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #timeoutMs: number;
  readonly #fetch: typeof fetch;

  constructor({ url, token, timeoutMs = TIMEOUT_MS, fetch: given = fetch }: ClientOptions) {
    this.#url = url.replace(/\/+$/, '');
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    this.#timeoutMs = timeoutMs;
    this.#fetch = (...call) => given(...call);
  }

  async json<Answer>(call: Call, request: object, options?: CallOptions): Promise<Answer> {
    return toAnswer(await this.response(call, request, options));
  }

  response(call: Call, request: object, options?: CallOptions): Promise<Response> {
    const { method, path, body } = requestOf(call, request);
    if (!body) return this.ask(path, { method }, options);
    const headers = { 'content-type': 'application/json' };
    return this.ask(path, { method, headers, body: JSON.stringify(body) }, options);
  }

  async ask(
    path: string,
    request: RequestInit & { headers?: Record<string, string> },
    options: CallOptions = {},
    isBounded = true,
  ): Promise<Response> {
    const { signal } = options;
    const signals = [signal, isBounded ? AbortSignal.timeout(this.#timeoutMs) : undefined];
    const response = await this.#fetch(`${this.#url}${path}`, {
      ...request,
      headers: { ...this.#headers, ...request.headers, ...headersOf(options) },
      signal: AbortSignal.any(signals.filter((given) => given !== undefined)),
    }).catch((cause: unknown) => {
      // the caller's own signal aborted: throw its reason
      if (signal?.aborted) throw cause;
      const isLate = cause instanceof Error && cause.name === 'TimeoutError';
      const what = isLate ? `did not answer within ${this.#timeoutMs / 1_000} s` : 'cannot be reached';
      throw new SwitchboardError(`${this.#url} ${what}`, { status: 0, code: 'unreachable', cause });
    });
    if (response.ok || response.status === 304) return response;
    const { status, headers } = response;
    throw refusalOf(status, (name) => headers.get(name), await response.text().catch(() => ''));
  }
}

async function toAnswer<Answer>(response: Response): Promise<Answer> {
  try {
    return readAnswer(await response.text());
  } catch (cause) {
    const { status } = response;
    throw new SwitchboardError('the answer is not JSON', { status, code: 'unknown', cause });
  }
}
