import { Writable } from 'node:stream';
import type { Server } from '@hapi/hapi';
import { Registry } from 'prom-client';
import type { Reason } from '../../../../src/domain/reasons.js';
import type { SessionStatus } from '../../../../src/domain/session.js';
import { NodeAuth } from '../../../../src/gateway/cluster/node-auth.js';
import type { Owners } from '../../../../src/gateway/cluster/owners.js';
import { loadConfig } from '../../../../src/gateway/config/load.js';
import { assembleServices } from '../../../../src/gateway/daemon/assembly.js';
import type { Membership } from '../../../../src/gateway/daemon/membership.js';
import type { Tail } from '../../../../src/gateway/delivery/tail.js';
import { createHttpServer } from '../../../../src/gateway/http/server.js';
import { createLog } from '../../../../src/gateway/log.js';
import type { Media } from '../../../../src/gateway/services/files/media.js';
import type { PasskeyState, Services } from '../../../../src/gateway/services/services.js';
import type { Store } from '../../../../src/gateway/store/store.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { makeTempDir } from '../../../support/temp-dir.js';
import { PlayedNetwork } from './played-network.js';

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

/** The HTTP server over the services of a daemon, whose links are played. */
export interface TestServer {
  server: Server;
  services: Services;
  /** What the links of the sessions reach. */
  network: PlayedNetwork;
  store: Store;
  /** The files on disk while they are sent. */
  media: Pick<Media, 'onDisk'>;
  tail: Tail;
  clock: ManualClock;
  /** What is asked for the health of the store. */
  health: { ping(): Promise<void> };
  /** Of the daemon. */
  run: { isStopping: boolean };
  /** The log's lines. */
  lines: Record<string, unknown>[];
  registry: Registry;
  get(path: string, options?: CallOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  /** Any request with any body text. */
  call(method: string, path: string, options?: CallOptions & { payload?: string | Buffer }): Promise<Answer>;
  /** Creates a session, and links it to a number. */
  connect(clientId?: string): Promise<void>;
  /** Brings a session to a status, as the network would. */
  become(clientId: string, status: SessionStatus, how?: { qr?: string; why?: Reason }): Promise<void>;
  /** The network asks a session for a passkey. */
  askPasskey(clientId: string, state: PasskeyState): Promise<void>;
  /** Lets time pass until the work is done, a few times as fast as usual: sharp takes its own time. */
  passing<T>(work: Promise<T>): Promise<T>;
  /** Stops the server and everything behind it, and removes the store. */
  close(): Promise<void>;
}

interface TestServerOptions {
  /** Finds the node of each session; default: this one, which holds every session. */
  owners?: Owners;
  /** The place of this node in a cluster; default: there is no other node. */
  membership?: Membership;
  /** Hold every answer against the contract, error codes included; default: yes. */
  checkAnswers?: boolean;
  /** 0, the default, for no limit. */
  connectionsPerAddress?: number;
}

/** Servers that no test has closed yet. */
const open = new Set<TestServer>();

/** Closes every server of the tests before. */
export async function closeServers(): Promise<void> {
  const servers = [...open];
  open.clear();
  await Promise.all(servers.map((api) => api.close()));
}

export async function createTestServer({
  owners,
  membership,
  checkAnswers = true,
  connectionsPerAddress = 0,
}: TestServerOptions = {}): Promise<TestServer> {
  const podName = owners?.self.name ?? 'node-1';
  const clock = new ManualClock(STARTED_AT);
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ level: 'debug', pretty: false, destination: linesInto(lines) });
  const network = new PlayedNetwork();
  const folder = await makeTempDir();
  const config = await loadConfig({
    defaultDataDir: folder.path,
    flags: {
      ...{ token: TOKEN, encryptionKey: Buffer.from(HOP_KEY).toString('base64'), nodeName: podName },
      ...{ network: 'whatsapp', publicUrl: 'https://gateway.example.com', waVersion: '2.3000.1' },
      allowPrivateUrls: true,
    },
  });
  const cleanup: (() => Promise<unknown>)[] = [() => folder.remove()];
  const parts = await assembleServices(
    config,
    { clock, log, links: network.links, ...(membership && { membership }) },
    cleanup,
  );
  const { services, store, media, tail } = parts;
  await parts.membership.prepare(parts);
  const health = { ping: () => store.ping() };
  const run = { isStopping: false };
  const registry = new Registry();
  const server = await createHttpServer({
    host: '127.0.0.1',
    port: 0,
    connectionsPerAddress,
    urls: ['https://gateway.example.com/behind', 'http://node-1.internal:3000', ''],
    services,
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
    health: { ping: () => health.ping() },
    isStopping: () => run.isStopping,
    checkAnswers,
    owners: owners ?? parts.membership.owners,
    nodeAuth: new NodeAuth(HOP_KEY, HOP_CLOCK),
    tail,
    metrics: { registry },
    log,
    clock,
  });
  cleanup.push(() => server.stop({ timeout: 1_000 }));

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

  const { sessions } = services;
  const api: TestServer = {
    ...{ server, services, network, store, media, tail, clock, health, run, lines, registry, call },
    get: (path, options) => call('GET', path, options),
    post: (path, body, options) =>
      call('POST', path, { ...options, ...(body !== undefined && { payload: JSON.stringify(body) }) }),
    async connect(clientId = 'acme') {
      await sessions.start(clientId, {});
      await network.become(sessions, clientId, 'connected');
    },
    become: (clientId, status, how) => network.become(sessions, clientId, status, how),
    askPasskey: (clientId, state) => network.passkey(sessions, clientId, state),
    passing(work) {
      const timer = setInterval(() => clock.advance(5), 1);
      return work.finally(() => clearInterval(timer));
    },
    async close() {
      open.delete(api);
      for (const step of cleanup.splice(0).reverse()) await step();
    },
  };
  open.add(api);
  return api;
}

function linesInto(lines: Record<string, unknown>[]): Writable {
  return new Writable({
    write(chunk, _encoding, callback) {
      lines.push(JSON.parse(String(chunk)));
      callback();
    },
  });
}

/** Has a method of a service fail until the end of the test, where the parts behind it cannot be made to. */
export function failing<Service extends object>(service: Service, method: keyof Service, error: Error): void {
  Object.defineProperty(service, method, { configurable: true, value: () => Promise.reject(error) });
}
