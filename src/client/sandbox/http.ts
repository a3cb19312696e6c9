import { createParser } from 'eventsource-parser';
import { parseObject, readAnswer } from '../../domain/json.js';
import type {
  NetworkEvent,
  SandboxErrorCode,
  SandboxTransport,
} from '../generated/sandbox-operations.generated.js';

/** The sandbox refused a request. `code` is its stable code, or `unknown` when something else than a sandbox answered. */
export class SandboxRefusal extends Error {
  override name = 'SandboxRefusal';
  readonly status: number;
  readonly code: SandboxErrorCode | 'unknown';

  constructor(status: number, code: SandboxRefusal['code'], message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** HTTP access to a sandbox's control API. */
export class ControlHttp implements SandboxTransport {
  readonly #url: string;

  /** @param url `http://host:port` */
  constructor(url: string) {
    this.#url = url.replace(/\/$/, '');
  }

  /** Opens the event stream, then returns what `already` finds, or else the first event that `pick` accepts. */
  async find<Found>(
    already: () => Promise<Found | undefined>,
    pick: (event: NetworkEvent) => Found | undefined,
    timeoutMs: number,
  ): Promise<Found> {
    const done = new AbortController();
    const timer = setTimeout(() => done.abort(), timeoutMs);
    try {
      const { events } = await this.open(done.signal);
      const known = await already();
      if (known !== undefined) return known;
      for await (const event of events) {
        const found = pick(event);
        if (found !== undefined) return found;
      }
    } finally {
      clearTimeout(timer);
      done.abort();
    }
    throw new Error(`nothing of that kind happened within ${timeoutMs} ms`);
  }

  /** Resolves once the stream is open; later events are not missed. @param stanzas with all stanzas */
  async open(
    signal?: AbortSignal,
    { stanzas = false } = {},
  ): Promise<{ events: AsyncGenerator<NetworkEvent> }> {
    const query = stanzas ? '?stanzas=true' : '';
    const response = await fetch(`${this.#url}/stream${query}`, signal ? { signal } : {});
    if (!response.ok || !response.body) throw await refusalOf(response);
    // take the body at once: fetch cancels an unread body when its response is collected
    return { events: readEvents(response.body.values(), signal) };
  }

  async send<Answer>(path: string, bytes: Uint8Array | ReadableStream<Uint8Array>): Promise<Answer> {
    const response = await fetch(`${this.#url}${path}`, {
      method: 'POST',
      body: bytes,
      headers: { 'content-type': 'application/octet-stream' },
      duplex: bytes instanceof ReadableStream ? ('half' as const) : undefined,
    });
    if (!response.ok) throw await refusalOf(response);
    return readAnswer(await response.text());
  }

  async ask<Answer = void>(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    });
    if (!response.ok) throw await refusalOf(response);
    const text = await response.text();
    return readAnswer(text === '' ? '{}' : text);
  }
}

async function refusalOf(response: Response): Promise<SandboxRefusal> {
  const text = await response.text();
  const { error, code } = parseObject(text) ?? {};
  return new SandboxRefusal(
    response.status,
    isCode(code) ? code : 'unknown',
    typeof error === 'string' ? error : text,
  );
}

/** Accepts unknown codes, which a newer sandbox may have, and passes them on unchanged. */
function isCode(code: unknown): code is SandboxErrorCode {
  return typeof code === 'string' && /^[a-z_]+$/.test(code);
}

async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<NetworkEvent> {
  const waiting: NetworkEvent[] = [];
  const parser = createParser({ onEvent: ({ data }) => waiting.push(readAnswer(data)) });
  const decoder = new TextDecoder();
  try {
    for await (const chunk of body) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      yield* waiting.splice(0);
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}
