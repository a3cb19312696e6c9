import { createParser } from 'eventsource-parser';
import type { NetworkEvent } from './api.js';

/** The sandbox said no. */
export class SandboxRefusal extends Error {
  override name = 'SandboxRefusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** How a client reaches a sandbox's control API. */
export class ControlWire {
  readonly #url: string;

  /** @param url `http://host:port` */
  constructor(url: string) {
    this.#url = url.replace(/\/$/, '');
  }

  /** What is there already once nothing can be missed any more, or else what an event brings. */
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

  /** Resolves once the stream is open: what happens after that is not missed. */
  async open(signal?: AbortSignal): Promise<{ events: AsyncGenerator<NetworkEvent> }> {
    const response = await fetch(`${this.#url}/stream`, signal ? { signal } : {});
    if (!response.ok || !response.body) throw await refusalOf(response);
    // taken at once: a body that nobody reads yet would be cancelled together with its forgotten response
    return { events: readEvents(response.body.values(), signal) };
  }

  /** Sends bytes of any size. */
  async send<Answer>(path: string, bytes: Uint8Array | ReadableStream<Uint8Array>): Promise<Answer> {
    const response = await fetch(`${this.#url}${path}`, {
      method: 'POST',
      body: bytes,
      headers: { 'content-type': 'application/octet-stream' },
      ...(bytes instanceof ReadableStream && { duplex: 'half' as const }),
    });
    if (!response.ok) throw await refusalOf(response);
    return JSON.parse(await response.text());
  }

  /** Calls with JSON, and reads JSON if there is any. */
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
    return JSON.parse(text === '' ? 'null' : text);
  }
}

async function refusalOf(response: Response): Promise<SandboxRefusal> {
  const text = await response.text();
  try {
    return new SandboxRefusal(response.status, JSON.parse(text).error ?? text);
  } catch {
    return new SandboxRefusal(response.status, text);
  }
}

async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<NetworkEvent> {
  const waiting: NetworkEvent[] = [];
  const parser = createParser({ onEvent: ({ data }) => waiting.push(JSON.parse(data)) });
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
