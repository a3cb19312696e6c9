import type { RequestListener } from 'node:http';
import type { Request } from '@hapi/hapi';
import { expect } from 'chai';
import type { PeerNode } from '../../../../src/gateway/cluster/owners.js';
import { answeringServer, ScriptedOwners } from './owners.js';
import { makeReady } from './ready-session.js';
import { createTestServer, type TestServer, TOKEN } from './test-server.js';

export const AUTHORIZED = { authorization: `Bearer ${TOKEN}` };
export const JSON_TYPE = { 'content-type': 'application/json' };
/** A send of the session that the nodes are about. */
export const SEND = { clientId: 'acme', to: '+15550000002', body: 'Hello' };
/** The answer of a node for a session that it does not hold. */
export const NOT_HERE = 'x-switchboard-not-here';
/** Milliseconds for which a request waits between its looks for a node. */
export const STEPS_MS = [100, 200, 300, 400, 500, 700, 800];

/** A node that listens. */
export interface TestNode {
  api: TestServer;
  owners: ScriptedOwners;
  url: string;
  /** Requests that its handlers received. */
  handled: Handled[];
  /** Connections and requests that it has accepted. */
  taken: { connections: number; requests: number };
}

interface Handled {
  method: string;
  path: string;
  query: object;
  payload: unknown;
  headers: Record<string, unknown>;
}

/** Two nodes: `holder` holds the session `acme`, requests come to `entry`. */
export class TwoNodes {
  readonly entry: TestNode;
  readonly holder: TestNode;
  readonly #cleanup: (() => Promise<unknown>)[] = [];

  private constructor(entry: TestNode, holder: TestNode) {
    this.entry = entry;
    this.holder = holder;
  }

  static async start(): Promise<TwoNodes> {
    return new TwoNodes(await createNode('entry'), await createNode('holder'));
  }

  async stop(): Promise<void> {
    await Promise.all([this.entry, this.holder].map(({ api }) => api.close()));
  }

  /** Before each test: all is as at first, but for connections that are open. */
  async begin(): Promise<void> {
    for (const node of [this.entry, this.holder]) await reset(node);
    this.holder.owners.held.add('acme');
    await makeReady(this.holder.api);
    this.entry.owners.script = (clientId) =>
      clientId === 'acme' ? { at: 'peer', node: this.holder.owners.self } : { at: 'nobody' };
  }

  /** After each test: nothing may be under way. */
  async end(): Promise<void> {
    await Promise.all(this.#cleanup.splice(0).map((end) => end()));
    for (const { owners } of [this.entry, this.holder]) {
      expect(owners.underWay, `requests under way on ${owners.self.name}`).to.equal(0);
    }
  }

  /** One more node, for one test. */
  async another(name: string): Promise<TestNode> {
    const node = await createNode(name);
    this.#cleanup.push(() => node.api.close());
    return node;
  }

  /** A peer that is no node of ours is said to hold every session. */
  async standIn(listener: RequestListener): Promise<void> {
    const { url, close } = await answeringServer(listener);
    this.#cleanup.push(close);
    const node: PeerNode = { nodeId: 'id-of-stand-in', name: 'stand-in', url };
    this.entry.owners.script = () => ({ at: 'peer', node });
  }

  call(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(this.entry.url + path, { ...init, headers: { ...AUTHORIZED, ...init.headers } });
  }

  post(path: string, body: unknown, init: RequestInit = {}): Promise<Response> {
    const headers = { ...JSON_TYPE, ...init.headers };
    return this.call(path, { method: 'POST', body: JSON.stringify(body), ...init, headers });
  }

  /** Advances the clock past the longest wait of a request. */
  async outwait(steps = STEPS_MS): Promise<void> {
    const { clock } = this.entry.api;
    for (const ms of steps) {
      await clock.scheduled(ms);
      clock.advance(ms);
    }
  }

  /** Outcomes of the forwarded requests, with their counts. */
  async outcomes(): Promise<Record<string, number>> {
    const counter = this.entry.api.registry.getSingleMetric('switchboard_forwarded_requests_total');
    const { values = [] } = (await counter?.get()) ?? {};
    return Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]));
  }
}

/** A node at an address without a listener. */
export async function deadNode(): Promise<PeerNode> {
  const { url, close } = await answeringServer(() => undefined);
  await close();
  return { nodeId: 'id-of-dead', name: 'dead', url };
}

/** Resolves when a request of a node is answered, or given up. */
export function response({ api }: TestNode): Promise<void> {
  return new Promise((resolve) => {
    api.server.events.once('response', () => resolve());
  });
}

/** Of an answer that says to try again. */
export async function expectRefusal(answer: Response, message: RegExp): Promise<void> {
  const body = await answer.json();
  expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([503, '1']);
  expect(Object.keys(Object(body))).to.deep.equal(['error']);
  expect(Reflect.get(Object(body), 'error')).to.match(message);
  expect(answer.headers.get(NOT_HERE)).to.equal(null);
}

export interface Deferred<T> {
  promise: Promise<T>;
  resolve(value: T): void;
}

export function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((whenResolved) => {
    resolve = whenResolved;
  });
  return { promise, resolve };
}

async function createNode(name: string): Promise<TestNode> {
  const owners = new ScriptedOwners(name);
  const api = await createTestServer({ owners });
  const handled: Handled[] = [];
  const taken = { connections: 0, requests: 0 };
  api.server.ext('onPreHandler', (request, h) => {
    handled.push(seenBy(request));
    return h.continue;
  });
  api.server.listener.on('connection', () => {
    taken.connections += 1;
  });
  api.server.listener.on('request', () => {
    taken.requests += 1;
  });
  await api.server.start();
  const url = api.server.info.uri;
  Object.assign(owners.self, { url });
  return { api, owners, url, handled, taken };
}

async function reset({ api, owners, handled, taken }: TestNode): Promise<void> {
  const { sessions, sending, chats } = api.services;
  for (const { clientId } of sessions.views()) await sessions.disconnect(clientId);
  // the methods of the class are there again
  for (const service of [sending, chats])
    for (const method of ['spool', 'setTyping']) Reflect.deleteProperty(service, method);
  api.network.forget();
  Object.assign(taken, { connections: 0, requests: 0 });
  api.registry.resetMetrics();
  owners.reset();
  handled.length = 0;
  api.lines.length = 0;
}

/** What a handler finds on a request, without what each connection has of its own; nodes forward no tokens. */
function seenBy({ method, path, query, payload, headers }: Request): Handled {
  const own = Object.entries(headers).filter(
    ([name]) =>
      !/^(host|connection|content-length|transfer-encoding|authorization|x-forwarded-.*)$/.test(name),
  );
  return { method, path, query: { ...query }, payload, headers: Object.fromEntries(own) };
}
