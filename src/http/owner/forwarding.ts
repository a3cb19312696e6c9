import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Request, ResponseToolkit } from '@hapi/hapi';
import { Counter, type Registry } from 'prom-client';
import { HOP_HEADER, type Hops } from '../../cluster/hops.js';
import type { Owners, PeerNode } from '../../cluster/owners.js';
import type { Clock } from '../../domain/clock.js';
import { NodeProxy, PassageFailure } from './node-proxy.js';

/** On the answer of a node that has done nothing, and why. */
export const NOT_HERE_HEADER = 'x-switchboard-not-here';
/** It does not hold the session. */
export const ELSEWHERE = 'elsewhere';
/** It is not the node that was asked. */
export const ASTRAY = 'astray';

/** Of a token that was taken here: it would tell callers that theirs is wrong. */
const UNAUTHORIZED = 401;

/** Milliseconds between looks whether the node that is to answer still holds the session. */
const WATCH_MS = 2_000;
/** Looks in a row that must miss it: its answer may be on its way. */
const MISSES = 3;

/** What concerns a connection and not the request, and what is not true any more of a body that was unpacked. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set([
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
]);
/** Bodies that are packed in these ways were unpacked when they came in. */
const UNPACKED: ReadonlySet<string> = new Set(['gzip', 'deflate']);

declare module '@hapi/hapi' {
  interface PluginsStates {
    /** The name of the node that a request was passed on to last. */
    sentTo?: string;
  }
}

/** What came of passing a request on. */
export type Outcome =
  | { result: 'answered'; answer: IncomingMessage }
  /** The node does not hold the session, or could not be reached at all. Nothing was done. */
  | { result: 'elsewhere' | 'unreachable'; mayRepeat: boolean; cause?: unknown }
  /** The node takes no caller's token that is taken here. Nothing was done. */
  | { result: 'refused'; mayRepeat: false; cause?: unknown }
  /** The node was lost, or has lost the session, after it may have begun. */
  | { result: 'cut_off'; mayRepeat: false; cause: unknown }
  /** The caller is gone. */
  | { result: 'left' };

export interface ForwardingOptions {
  owners: Owners;
  hops: Hops;
  clock: Clock;
  registry: Registry;
}

/** A request that is to be passed on. */
export interface Letter {
  request: Request;
  h: ResponseToolkit;
  clientId: string;
  /** The caller is gone. */
  gone: AbortSignal;
}

/** Passes requests on to the node that holds their session, each once. */
export class Forwarding {
  readonly #options: ForwardingOptions;
  readonly #proxy: NodeProxy;
  readonly #outcomes: Counter;

  constructor(options: ForwardingOptions) {
    this.#options = options;
    this.#proxy = new NodeProxy(options.clock);
    this.#outcomes = new Counter({
      name: 'switchboard_forwarded_requests_total',
      help: 'Requests passed on to the node that holds their session, by what came of it',
      labelNames: ['outcome'],
      registers: [options.registry],
    });
  }

  close(): void {
    this.#proxy.close();
  }

  async pass(letter: Letter, node: PeerNode): Promise<Outcome> {
    letter.request.plugins.sentTo = node.name;
    const outcome = await this.#pass(letter, node);
    this.#outcomes.inc({ outcome: outcome.result });
    return outcome;
  }

  async #pass(letter: Letter, node: PeerNode): Promise<Outcome> {
    const { request, h, gone } = letter;
    const lost = new AbortController();
    const stopWatching = this.#watch(letter.clientId, node, lost);
    try {
      const signal = AbortSignal.any([gone, lost.signal]);
      const answer = await this.#proxy.send(request, h, { ...this.#address(request, node), signal });
      const notHere = answer.headers[NOT_HERE_HEADER];
      const isRefused = answer.statusCode === UNAUTHORIZED;
      if (notHere === undefined && !isRefused) return { result: 'answered', answer };
      // read, so that the connection can be used again
      answer.resume();
      if (isRefused) return { result: 'refused', mayRepeat: false };
      const result = notHere === ASTRAY ? 'unreachable' : 'elsewhere';
      return { result, mayRepeat: !(request.payload instanceof Readable) };
    } catch (cause) {
      if (gone.aborted) return { result: 'left' };
      const isSent = !(cause instanceof PassageFailure) || cause.isSent;
      return isSent
        ? { result: 'cut_off', mayRepeat: false, cause }
        : { result: 'unreachable', mayRepeat: true, cause };
    } finally {
      stopWatching();
    }
  }

  #address({ method, headers, raw }: Request, { nodeId, url: origin }: PeerNode) {
    const { hops, owners } = this.#options;
    const url = new URL(`${origin}${targetOf(raw.req)}`);
    const hop = { method: method.toUpperCase(), path: `${url.pathname}${url.search}`, to: nodeId };
    return { url, headers: { ...passedOn(headers), [HOP_HEADER]: hops.sign(owners.self.nodeId, hop) } };
  }

  /** A node that stands still does not answer: sooner or later others have its sessions. */
  #watch(clientId: string, node: PeerNode, lost: AbortController): () => void {
    const { owners, clock } = this.#options;
    let misses = 0;
    const look = async () => {
      // a store that does not answer says nothing of the node
      const owner = await owners.find(clientId).catch(() => undefined);
      const holds = !owner || (owner.at === 'peer' && owner.node.nodeId === node.nodeId);
      misses = holds ? 0 : misses + 1;
      if (misses === MISSES) lost.abort();
      else watchOn();
    };
    let isWatching = true;
    let cancel: () => void = () => undefined;
    const watchOn = () => {
      if (isWatching) cancel = clock.after(WATCH_MS, () => void look());
    };
    watchOn();
    return () => {
      isWatching = false;
      cancel();
    };
  }
}

/** Path and query, as they came. */
function targetOf({ url = '/' }: IncomingMessage): string {
  const [target = ''] = url.split('#', 1);
  if (target.startsWith('/')) return target;
  // as clients of a proxy write it
  const { pathname, search } = new URL(target);
  return `${pathname}${search}`;
}

/** A caller's headers, for the node that answers. */
function passedOn(headers: Request['headers']): Record<string, string> {
  const isUnpacked = UNPACKED.has(String(headers['content-encoding']));
  const entries = Object.entries(headers).filter(([name, value]) => {
    if (value === undefined || NOT_PASSED_ON.has(name)) return false;
    return name !== 'content-encoding' || !isUnpacked;
  });
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}
