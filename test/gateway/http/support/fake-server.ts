import { Writable } from 'node:stream';
import type { Server } from '@hapi/hapi';
import { Registry } from 'prom-client';
import { NodeAuth } from '../../../../src/gateway/cluster/node-auth.js';
import { type Owners, soleOwner } from '../../../../src/gateway/cluster/owners.js';
import { Tail } from '../../../../src/gateway/delivery/tail.js';
import { createHttpServer } from '../../../../src/gateway/http/server.js';
import { createLog } from '../../../../src/gateway/log.js';
import type { Services } from '../../../../src/gateway/services/services.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { createFakeServices, type FakeServices } from './fake-services.js';

export const TOKEN = 'master-token-of-the-tests';
/** The shared state of all nodes of a test. */
export const HOP_KEY = new Uint8Array(32);
export const STARTED_AT = Date.UTC(2026, 10, 21, 10, 0, 0);
/** The clock by which all nodes of a test prove their requests; their other clocks differ. */
export const HOP_CLOCK = new ManualClock(STARTED_AT);

export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  // the body as JSON; an answer that is no JSON fails the test
  body: Record<string, unknown>;
}

export interface CallOptions {
  /** The token; null sends none. */
  token?: string | null;
  headers?: Record<string, string>;
  body?: unknown;
}

/** The HTTP server over services in memory. */
export interface TestServer {
  server: Server;
  services: FakeServices;
  tail: Tail;
  clock: ManualClock;
  store: { ping(): Promise<void> };
  /** Of the daemon. */
  run: { isStopping: boolean };
  /** The log's lines. */
  lines: Record<string, unknown>[];
  registry: Registry;
  get(path: string, options?: CallOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  /** Any request with any body text. */
  call(method: string, path: string, options?: CallOptions & { payload?: string | Buffer }): Promise<Answer>;
}

/**
 * @param owners without them it holds every session
 * @param checkAnswers hold every answer against the contract, error codes included
 * @param connectionsPerAddress 0 for no limit
 */
export async function createTestServer(
  owners?: Owners,
  checkAnswers = true,
  connectionsPerAddress = 0,
): Promise<TestServer> {
  const podName = owners?.self.name ?? 'node-1';
  const clock = new ManualClock(STARTED_AT);
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ level: 'debug', pretty: false, destination: linesInto(lines) });
  const services = createFakeServices(clock, log);
  const tail = new Tail(clock.now());
  const store = { ping: async () => {} };
  const run = { isStopping: false };
  const registry = new Registry();
  const server = await createHttpServer({
    host: '127.0.0.1',
    port: 0,
    connectionsPerAddress,
    urls: ['https://gateway.example.com/behind', 'http://node-1.internal:3000', ''],
    services: services as unknown as Services,
    auth: { token: TOKEN },
    facts: {
      podName,
      environment: 'sandbox',
      storage: 'sqlite',
      publicMedia: true,
      alerts: false,
      version: '2026-11',
      startedAt: STARTED_AT,
    },
    health: { ping: () => store.ping() },
    isStopping: () => run.isStopping,
    checkAnswers,
    owners: owners ?? soleOwner(podName, (clientId) => services.sessions.has(clientId)),
    nodeAuth: new NodeAuth(HOP_KEY, HOP_CLOCK),
    tail,
    metrics: { registry },
    log,
    clock,
  });

  async function call(
    method: string,
    url: string,
    options: CallOptions & { payload?: string | Buffer } = {},
  ): Promise<Answer> {
    const { token = TOKEN, headers = {}, payload } = options;
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
    const response = await server.inject({ method, url, headers: { ...authorization, ...headers }, payload });
    return {
      status: response.statusCode,
      headers: response.headers,
      body: response.payload ? JSON.parse(response.payload) : {},
    };
  }

  return {
    server,
    services,
    tail,
    clock,
    store,
    run,
    lines,
    registry,
    call,
    get: (path, options) => call('GET', path, options),
    post: (path, body, options) =>
      call('POST', path, { ...options, ...(body !== undefined && { payload: JSON.stringify(body) }) }),
  };
}

function linesInto(lines: Record<string, unknown>[]): Writable {
  return new Writable({
    write(chunk, _encoding, callback) {
      lines.push(JSON.parse(String(chunk)));
      callback();
    },
  });
}
