import { connect, type Socket } from 'node:net';
import { LIMITS } from '../../src/domain/limits.js';
import { Api } from './world.js';

/** Sends of a text at once: more than a secret may have in flight. */
const TEXTS = LIMITS.requestsOfSecret + 32;
const FILMS = 4;
const STREAMS = 4 * LIMITS.streamsOfSecret;
const ENDLESS_UPLOADS = 50;
const WRONG_TOKENS = 8;
/** Milliseconds between two pieces of an endless upload, and before a refused request is repeated. */
const PIECE_MS = 200;
const AGAIN_MS = 50;
/** A film whose reader finds 200,000 boxes with nothing in them. */
const FILM = Buffer.concat([
  Buffer.from('\0\0\0\x10ftypisom\0\0\0\0', 'latin1'),
  Buffer.alloc(8 * 200_000, '\0\0\0\x08free', 'latin1'),
]);

export interface Target {
  /** Address of the API. */
  url: string;
  /** Of the attacker's own session. */
  secret: string;
  clientId: string;
  /** Whom it writes to. */
  to: string;
}

/** What an attack got back. */
export interface Outcome {
  /** How often each status came, by the way that was tried; 0 for a connection without an answer. */
  statuses: Record<string, Record<number, number>>;
  /** Refusals that do not say when to come back. */
  withoutRetryAfter: number;
}

/** A tenant that does its worst with the secret of one session: everything at once, for as long as it may. */
export class Attacker {
  readonly #target: Target;
  readonly #api: Api;
  readonly #end = new AbortController();
  readonly #sockets = new Set<Socket>();
  readonly #outcome: Outcome = { statuses: {}, withoutRetryAfter: 0 };
  #work: Promise<unknown> = Promise.resolve();

  constructor(target: Target) {
    this.#target = target;
    this.#api = new Api(target.url, target.secret);
  }

  begin(): void {
    const { clientId, to } = this.#target;
    for (let count = 0; count < STREAMS; count++) this.#open('GET', '/events', this.#target.secret);
    for (let count = 0; count < ENDLESS_UPLOADS; count++) this.#endless();
    const text = { clientId, to, body: 'Hello' };
    this.#work = Promise.all([
      this.#repeat(2, 'streams', () => this.#api.call('GET', '/events', undefined, {}, this.#end.signal)),
      this.#repeat(FILMS, 'films', () => this.#sendFilm()),
      this.#repeat(TEXTS, 'texts', () => this.#api.post('/send-message', text)),
      this.#repeat(WRONG_TOKENS, 'wrong tokens', () =>
        this.#api.as(`wrong-${Math.random()}`).get('/clients'),
      ),
    ]);
  }

  async end(): Promise<Outcome> {
    this.#end.abort();
    for (const socket of this.#sockets) socket.destroy();
    await this.#work;
    return this.#outcome;
  }

  async #repeat(count: number, way: string, ask: () => ReturnType<Api['get']>): Promise<void> {
    this.#outcome.statuses[way] = {};
    const seen = this.#outcome.statuses[way];
    const lane = async () => {
      while (!this.#end.signal.aborted) {
        const { status, headers } = await ask().catch(() => ({ status: 0, headers: new Headers() }));
        seen[status] = (seen[status] ?? 0) + 1;
        const isRefused = status === 429 || status === 503;
        if (isRefused && !headers.has('retry-after')) this.#outcome.withoutRetryAfter++;
        if (status !== 200) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    };
    await Promise.all(Array.from({ length: count }, lane));
  }

  #sendFilm(): ReturnType<Api['get']> {
    const form = new FormData();
    form.set('clientId', this.#target.clientId);
    form.set('to', this.#target.to);
    form.set('file', new Blob([FILM], { type: 'video/mp4' }), 'film.mp4');
    return this.#api.upload(`/send-media-message?clientId=${this.#target.clientId}`, form);
  }

  /** A connection that never reads. */
  #open(method: string, path: string, token: string, more = ''): Socket {
    const { hostname, port } = new URL(this.#target.url);
    const socket = connect(Number(port), hostname);
    this.#sockets.add(socket);
    socket
      .on('error', () => undefined)
      .once('close', () => this.#sockets.delete(socket))
      .pause();
    const head = `${method} ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n`;
    socket.write(`${head}${more}\r\n`);
    return socket;
  }

  /** An upload without a valid token that never ends, and begins again. */
  #endless(): void {
    if (this.#end.signal.aborted) return;
    const type = 'Content-Type: multipart/form-data; boundary=x\r\nTransfer-Encoding: chunked\r\n';
    const socket = this.#open('POST', '/send-media-message?clientId=acme', 'wrong', type);
    const timer = setInterval(() => socket.write('64\r\n'.padEnd(104, 'x').concat('\r\n')), PIECE_MS);
    socket.resume().once('close', () => {
      clearInterval(timer);
      setTimeout(() => this.#endless(), AGAIN_MS);
    });
  }
}
