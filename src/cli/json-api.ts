import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { CliError } from './cli-error.js';
import { failureOfStatus } from './exit-code.js';
import { exchange, type HttpAnswer, type HttpRequest, open, readText } from './transport.js';

/** What is asked for cannot be done now. */
const UNAVAILABLE = 503;

export interface CallOptions {
  query?: Readonly<Record<string, string | undefined>>;
  /** An object is sent as JSON; a stream as it is, with a `content-type` among the headers. */
  body?: object | Readable;
  headers?: Readonly<Record<string, string>>;
  timeoutMs?: number;
  signal?: AbortSignal;
  /** What to do next when it fails with that status. */
  suggestions?: Readonly<Record<number, readonly string[]>>;
}

export interface JsonApiOptions {
  /** The base address, with or without a path. */
  url: string;
  /** What answers there, for error messages: `a Switchboard daemon`. */
  what: string;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  /** What to do next when nothing answers. */
  unreachable: readonly string[];
  /** What to do next after a status that the call itself does not explain. */
  suggest?(status: number): readonly string[];
}

/** Calls of a JSON API whose errors are `{"error": "<message>"}`; every failure becomes a CliError. */
export class JsonApi {
  readonly #options: JsonApiOptions;

  constructor(options: JsonApiOptions) {
    this.#options = options;
  }

  get url(): string {
    return this.#options.url;
  }

  get<Answer extends object>(path: string, options?: CallOptions): Promise<Answer> {
    return this.call<Answer>('GET', path, options);
  }

  post<Answer extends object>(path: string, options?: CallOptions): Promise<Answer> {
    return this.call<Answer>('POST', path, options);
  }

  /** @throws CliError by the answer's status. */
  async call<Answer extends object>(
    method: HttpRequest['method'],
    path: string,
    options: CallOptions = {},
  ): Promise<Answer> {
    return this.#parse<Answer>(await this.text(method, path, options));
  }

  /** The answer's text, whatever it is. @throws CliError by the answer's status. */
  async text(method: HttpRequest['method'], path: string, options: CallOptions = {}): Promise<string> {
    const answer = await this.exchange(method, path, options);
    if (answer.status >= 400) throw this.#refusal(answer.status, answer.text, options);
    return answer.text;
  }

  /** The answer as it is, whatever its status. */
  exchange(method: HttpRequest['method'], path: string, options: CallOptions = {}): Promise<HttpAnswer> {
    return this.#connect(exchange(this.#address(path, options), this.#request(method, options)));
  }

  /** An answer that goes on and on. @throws CliError by the answer's status. */
  async stream(path: string, options: CallOptions = {}): Promise<IncomingMessage> {
    const response = await this.#connect(open(this.#address(path, options), this.#request('GET', options)));
    const status = response.statusCode ?? 0;
    if (status >= 400) throw this.#refusal(status, await readText(response), options);
    return response;
  }

  /** Text as an object. @throws CliError when something else answers at that address. */
  #parse<Answer extends object>(text: string): Answer {
    const answer = parseObject<Answer>(text);
    if (answer) return answer;
    throw this.#stranger();
  }

  #stranger(): CliError {
    const { url, what } = this.#options;
    return new CliError('unreachable', `what answers at ${url} is not ${what}`, {
      suggestions: this.#options.unreachable,
    });
  }

  #refusal(status: number, text: string, options: CallOptions): CliError {
    const message = parseObject<{ error?: unknown }>(text)?.error;
    if (typeof message !== 'string') return this.#stranger();
    const suggestions = options.suggestions?.[status] ?? this.#options.suggest?.(status) ?? [];
    return new CliError(failureOfStatus(status), message, {
      suggestions,
      isTemporary: status === UNAVAILABLE,
    });
  }

  #address(path: string, { query = {} }: CallOptions): URL {
    const url = new URL(`${this.#options.url.replace(/\/+$/, '')}${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    return url;
  }

  #request(method: HttpRequest['method'], options: CallOptions): HttpRequest {
    const { body, headers, timeoutMs, signal = this.#options.signal } = options;
    return {
      method,
      headers: { accept: 'application/json', ...this.#options.headers, ...headers },
      body: body === undefined || body instanceof Readable ? body : JSON.stringify(body),
      timeoutMs,
      signal,
    };
  }

  /** Adds to a failed connection what to do about it. */
  async #connect<Value>(connecting: Promise<Value>): Promise<Value> {
    try {
      return await connecting;
    } catch (error) {
      if (!(error instanceof CliError) || error.failure !== 'unreachable') throw error;
      throw new CliError('unreachable', error.message, {
        suggestions: this.#options.unreachable,
        cause: error.cause,
      });
    }
  }
}

/** Text as a JSON object; undefined when it is anything else. The shape is trusted, as the contract gives it. */
export function parseObject<Value extends object>(text: string): Value | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
