import { setImmediate } from 'node:timers/promises';
import type { Request } from '@hapi/hapi';
import Joi from 'joi';
import {
  type DeliveryCounts,
  type NetworkHealth,
  type Node,
  type NodeReport,
  nodeReport,
  type SessionReport,
  sessionReport,
} from '../../contract/fleet.js';
import type { SessionCounts, SessionHealth, WaVersionAnswer } from '../../contract/health.js';
import { isDown, isTerminal } from '../../domain/session.js';
import type { Services } from '../services/services.js';
import type { Peers } from './peers.js';
import type { Parts } from './route.js';

/** Milliseconds that another node has to answer. */
const ANSWER_MS = 2_000;
/** Rows that are validated without a pause, so that other requests are served in between. */
const ROWS_AT_ONCE = 100;

/** The part of the fleet that one node reports without asking others. */
export interface Report {
  node: NodeReport;
  sessions: SessionReport[];
}

/**
 * The report of this node.
 * @param only the requested session
 * @param confined the session to which the caller is limited: the report has only its counts, and no facts about the
 * machine
 */
export async function ownReport(parts: Parts, only?: string, confined?: string): Promise<Report> {
  const { services, facts, store, peers, now } = parts;
  const counted = services.fleet.sessions(confined);
  const sessions = only === confined ? counted : services.fleet.sessions(only);
  const askedAt = now();
  const reachable = await store.reachable();
  const { rss, heapUsed } = process.memoryUsage();
  const node = {
    nodeId: peers.self.nodeId,
    podName: facts.podName,
    version: facts.version,
    startedAt: new Date(facts.startedAt).toISOString(),
    uptimeSeconds: Math.max(0, Math.floor((now() - facts.startedAt) / 1_000)),
    ...(confined === undefined && { memory: { rss, heapUsed } }),
    store: { name: facts.storage, reachable, ms: now() - askedAt },
    network: networkHealth(facts.environment, counted),
    sessions: countSessions(counted),
    waVersion: shownWaVersion(services),
    deliveries: countDeliveries(counted),
  };
  return { node, sessions };
}

/** The version of WhatsApp Web that the links of this node report. */
export function shownWaVersion({ versions }: Pick<Services, 'versions'>): WaVersionAnswer {
  const { version, source } = versions.current();
  return { version: version.join('.'), source };
}

/** Counts sessions by their ability to work. */
export function countSessions(
  sessions: readonly Pick<SessionHealth, 'connected' | 'status'>[],
): SessionCounts {
  const connected = sessions.filter((session) => session.connected).length;
  const terminal = sessions.filter(({ status }) => isTerminal(status)).length;
  const down = sessions.filter(({ status }) => isDown(status)).length;
  return { total: sessions.length, connected, down, terminal };
}

function countDeliveries(sessions: readonly SessionReport[]): DeliveryCounts {
  const sum = (count: (webhook: SessionReport['webhook']) => number) =>
    sessions.reduce((total, { webhook }) => total + count(webhook), 0);
  return {
    waiting: sum(({ waiting }) => waiting),
    inFlight: sum(({ inFlight }) => inFlight),
    failed: sum(({ failed }) => failed),
  };
}

/** The network is up if one link proves it, and down if none of the links that should be up does. */
function networkHealth(name: string, sessions: readonly SessionReport[]): NetworkHealth {
  const wanted = sessions.filter(({ loggedIn, status }) => loggedIn && !isTerminal(status));
  const isUp = wanted.some(({ connected }) => connected);
  const lastStanzaAt = sessions.reduce((last, session) => {
    return session.lastStanzaAt > last ? session.lastStanzaAt : last;
  }, '');
  return { name, state: isUp ? 'ok' : wanted.length > 0 ? 'down' : 'unknown', lastStanzaAt };
}

const TEXT = Joi.string().allow('').required();
const ANSWER = Joi.object<{ nodes: unknown[]; sessions: unknown[] }>({
  nodes: Joi.array().required(),
  sessions: Joi.array().required(),
}).required();
/** Nodes may run different releases: unknown fields are dropped, and any status is accepted. */
const OPTIONS = { convert: false, stripUnknown: true } as const;
const SESSION = sessionReport.keys({ status: TEXT }).required();

/** A request for the fleet. */
export interface FleetRequest extends Pick<Request, 'auth'> {
  url: URL;
}

/**
 * The report of another node, asked for with the caller's rights.
 * @param confined the session to which the caller is limited
 * @returns undefined if the node does not answer in time, or with an invalid report
 */
export async function reportOf(
  { nodeId, podName: name, url }: Node,
  peers: Peers,
  request: FleetRequest,
  confined?: string,
): Promise<Report | undefined> {
  const { pathname, search } = request.url;
  const signal = AbortSignal.timeout(ANSWER_MS);
  try {
    const response = await peers.get({ nodeId, name, url }, pathname + search, request, signal);
    const report = await checked(await response.json());
    if (report.node.nodeId !== nodeId) return undefined;
    const sessions = report.sessions.filter(
      ({ clientId }) => confined === undefined || clientId === confined,
    );
    return { node: report.node, sessions };
  } catch {
    return undefined;
  }
}

/** @throws ValidationError if it does not fit the schema of the answer */
async function checked(answer: unknown): Promise<Report> {
  const { nodes, sessions: rows } = Joi.attempt(answer, ANSWER, OPTIONS);
  const node = Joi.attempt(nodes[0], nodeReport.required(), OPTIONS);
  const sessions: SessionReport[] = [];
  for (const row of rows) {
    sessions.push(Joi.attempt(row, SESSION, OPTIONS));
    if (sessions.length % ROWS_AT_ONCE === 0) await setImmediate();
  }
  return { node, sessions };
}
