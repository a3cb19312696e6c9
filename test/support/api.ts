/** An answer of the API: its status, headers and parsed body. */
export interface ApiAnswer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

/** The daemon's API as an outside program uses it: over HTTP, with a token. */
export class Api {
  readonly url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.#token = token;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<ApiAnswer> {
    return this.call('GET', path, undefined, headers);
  }

  post(
    path: string,
    body?: object,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<ApiAnswer> {
    return this.call('POST', path, body, headers, signal);
  }

  /** Posts a form; its Content-Type follows from it. */
  upload(path: string, form: FormData, headers: Record<string, string> = {}): Promise<ApiAnswer> {
    return this.#ask(path, { method: 'POST', headers, body: form });
  }

  call(
    method: string,
    path: string,
    body: object | undefined,
    headers: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<ApiAnswer> {
    const type = body && { 'content-type': 'application/json' };
    return this.#ask(path, {
      method,
      headers: { ...type, ...headers },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  }

  async #ask(path: string, request: RequestInit): Promise<ApiAnswer> {
    const response = await fetch(new URL(path, this.url), {
      ...request,
      headers: { authorization: `Bearer ${this.#token}`, ...request.headers },
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : {} };
  }

  /** The same API with another token. */
  as(token: string): Api {
    return new Api(this.url, token);
  }
}
