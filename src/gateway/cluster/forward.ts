import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { Counter, type Registry } from 'prom-client';
import type { Agent, Dispatcher } from 'undici';
import type { Clock } from '../../domain/clock.js';
import { HOP_HEADER, type NodeAuth, type Rights } from './node-auth.js';
import type { Owners, PeerNode } from './owners.js';

/** Header on the answer of a node that refused a forwarded request without side effects; its value is the reason. */
export const NOT_HERE_HEADER = 'x-switchboard-not-here';
/** The node does not hold the session. */
export const ELSEWHERE = 'elsewhere';
/** The request was addressed to a different node. */
export const ASTRAY = 'astray';

const UNAUTHORIZED = 401;

/** Milliseconds between checks that the answering node still holds the session. */
const WATCH_MS = 2_000;
/** Failed checks in a row before the request is aborted: its answer may already be on the wire. */
const MISSES = 3;

/** Milliseconds for a connection to another node. */
const CONNECT_MS = 3_000;
/** Milliseconds that an idle connection is kept; less if the node announces less. */
const IDLE_MS = 60_000;
/** Connections to one node. */
const CONNECTIONS = 512;

/** Headers that are not forwarded: those of the caller's connection, those of a body that was decoded here, and the caller's token. */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  'authorization',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-v3-secret',
]);
/** Body encodings that the server decodes before it forwards a request. */
const DECODED: ReadonlySet<string> = new Set(['gzip', 'deflate']);

/** A caller's request, for the node that holds its session. */
export interface ForwardRequest {
  clientId: string;
  /** In upper case. */
  method: string;
  /** The request target as received. */
  target: string;
  /** The caller's rights, sent instead of its token; undefined for a caller without a token. */
  rights: Rights | undefined;
  headers: IncomingHttpHeaders;
  /** Parsed JSON, or the body as it arrives. */
  payload: object | null | undefined;
  /** Aborts when the caller has gone. */
  gone: AbortSignal;
}

/** A node's answer, of any status: its body as it arrives. */
type NodeAnswer = Readable & { statusCode: number; headers: IncomingHttpHeaders };

export type ForwardOutcome =
  | { result: 'answered'; answer: NodeAnswer }
  /** `elsewhere`, `unreachable` and `refused` (the proof was not accepted): without side effects. `cut_off`: the effect is unknown. */
  | {
      result: 'elsewhere' | 'unreachable' | 'refused' | 'cut_off';
      mayRepeat: boolean;
      cause?: unknown;
    }
  /** The caller has gone. */
  | { result: 'left' };

/** Sends requests to the node that holds their session, each once, over kept-alive connections. */
export class Forwarder {
  readonly #owners: Owners;
  readonly #auth: NodeAuth;
  readonly #clock: Clock;
  readonly #outcomes: Counter;
  /** The HTTP agent, loaded with the first request. */
  #agent: Promise<Agent> | undefined;

  constructor(owners: Owners, auth: NodeAuth, clock: Clock, registry: Registry) {
    this.#owners = owners;
    this.#auth = auth;
    this.#clock = clock;
    this.#outcomes = new Counter({
      name: 'switchboard_forwarded_requests_total',
      help: 'Requests forwarded to the node that holds their session, by outcome',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }

  async close(): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  async forward(request: ForwardRequest, node: PeerNode): Promise<ForwardOutcome> {
    const outcome = await this.#forward(request, node);
    this.#outcomes.inc({ outcome: outcome.result });
    return outcome;
  }

  async #forward(request: ForwardRequest, node: PeerNode): Promise<ForwardOutcome> {
    const lost = new AbortController();
    const stopWatching = this.#watch(request.clientId, node, lost);
    let isSent = false;
    try {
      this.#agent ??= openAgent();
      const answer = await exchange(
        await this.#agent,
        this.#options(request, node),
        AbortSignal.any([request.gone, lost.signal]),
        () => {
          isSent = true;
        },
      );
      const notHere = answer.headers[NOT_HERE_HEADER];
      const isRefused = answer.statusCode === UNAUTHORIZED;
      if (notHere === undefined && !isRefused) return { result: 'answered', answer };
      // read the answer to its end, so that the connection can be reused
      answer.on('error', () => undefined).resume();
      // do not pass on a 401: callers would think that their own token is wrong
      if (isRefused) return { result: 'refused', mayRepeat: false };
      const result = notHere === ASTRAY ? 'unreachable' : 'elsewhere';
      return { result, mayRepeat: !(request.payload instanceof Readable) };
    } catch (cause) {
      if (request.gone.aborted) return { result: 'left' };
      return { result: isSent ? 'cut_off' : 'unreachable', mayRepeat: !isSent, cause };
    } finally {
      stopWatching();
    }
  }

  #options(request: ForwardRequest, { nodeId, url: nodeUrl }: PeerNode): Dispatcher.DispatchOptions {
    const { method, payload, rights } = request;
    const { origin, pathname, search } = new URL(`${nodeUrl}${targetPath(request.target)}`);
    const path = `${pathname}${search}`;
    const ends = { from: this.#owners.self.nodeId, to: nodeId, rights };
    const hop = this.#auth.sign(ends, { method, path });
    const isParsed = payload && !(payload instanceof Readable);
    return {
      origin,
      path,
      method,
      headers: {
        ...(isParsed && { 'content-type': 'application/json' }),
        ...forwardedHeaders(request.headers),
        [HOP_HEADER]: hop,
      },
      body: isParsed ? JSON.stringify(payload) : payload && readWhenSent(payload),
    };
  }

  /** Aborts the request once another node holds the session, because a hanging node never answers. */
  #watch(clientId: string, node: PeerNode, lost: AbortController): () => void {
    let misses = 0;
    let isWatching = true;
    let cancel: () => void = () => undefined;
    const look = async () => {
      // a store that fails says nothing about the node
      const owner = await this.#owners.find(clientId).catch(() => undefined);
      const holds = !owner || (owner.at === 'peer' && owner.node.nodeId === node.nodeId);
      misses = holds ? 0 : misses + 1;
      if (misses === MISSES) lost.abort();
      else lookLater();
    };
    const lookLater = () => {
      if (isWatching) cancel = this.#clock.after(WATCH_MS, () => void look());
    };
    lookLater();
    return () => {
      isWatching = false;
      cancel();
    };
  }
}

/** Loads the HTTP library, which a single node does not need. */
async function openAgent(): Promise<Agent> {
  const { Agent } = await import('undici');
  return new Agent({
    connections: CONNECTIONS,
    pipelining: 1,
    connect: { timeout: CONNECT_MS },
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    // no limit: an answer takes as long as the work behind it
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/**
 * Makes one request; resolves with the answer once its headers are here.
 * @param signal aborts the request, also while the answer is read
 * @param onSent called before the first byte is written: until then nothing can have been done
 */
function exchange(
  agent: Agent,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal,
  onSent: () => void,
): Promise<NodeAnswer> {
  return new Promise((resolve, reject) => {
    let answer: Readable | undefined;
    let controller: Dispatcher.DispatchController | undefined;
    const abort = () => {
      const reason = new Error('the request was aborted', { cause: signal.reason });
      controller?.abort(reason);
      reject(reason);
    };
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    const ended = () => signal.removeEventListener('abort', abort);
    agent.dispatch(options, {
      onRequestStart(started) {
        controller = started;
        // the request was aborted while it waited for a connection
        if (signal.aborted) return abort();
        onSent();
      },
      onResponseStart(started, statusCode, headers) {
        // an interim answer
        if (statusCode < 200) return;
        answer = new Readable({
          read: () => started.resume(),
          destroy(error, done) {
            started.abort(error ?? new Error('the answer is not read any further'));
            done(error);
          },
        });
        resolve(Object.assign(answer, { statusCode, headers }));
      },
      onResponseData(started, chunk) {
        if (!answer?.push(chunk)) started.pause();
      },
      onResponseEnd() {
        ended();
        answer?.push(null);
      },
      onResponseError(_started, error) {
        ended();
        answer?.destroy(error);
        reject(error);
      },
    });
  });
}

/** A body that is not read before the request is written, so that a request that never left can be sent again with it. */
function readWhenSent(payload: Readable): Readable {
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      // do not destroy the source: a caller who is answered early still needs its connection
      yield* payload.iterator({ destroyOnReturn: false });
    } finally {
      payload.resume();
    }
  }
  return Readable.from(chunks(), { objectMode: false });
}

/** Path and query of a request target; clients of a proxy send a whole URL. */
function targetPath(received: string): string {
  const [target = ''] = received.split('#', 1);
  if (target.startsWith('/')) return target;
  const { pathname, search } = new URL(target);
  return `${pathname}${search}`;
}

function forwardedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const isDecoded = DECODED.has(String(headers['content-encoding']));
  const entries = Object.entries(headers).filter(([name, value]) => {
    if (value === undefined || NOT_FORWARDED.has(name)) return false;
    return name !== 'content-encoding' || !isDecoded;
  });
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}
