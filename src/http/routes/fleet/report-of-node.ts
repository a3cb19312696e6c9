import { setImmediate } from 'node:timers/promises';
import Joi from 'joi';
import { GatewayError } from '../../../domain/errors.js';
import type { FleetSession, NodeView } from '../../../services/services.js';
import type { Peers } from '../../peers.js';
import type { NodeReport, Report } from './report.js';

/** Milliseconds that a node has for its answer. */
const ANSWER_MS = 2_000;
/** Rows that are checked at a time: other requests go on in between. */
const ROWS_AT_ONCE = 100;

const flag = Joi.boolean().required();
const count = Joi.number().integer().min(0).required();
const text = Joi.string().allow('').required();
const counts = (...names: string[]) =>
  Joi.object(Object.fromEntries(names.map((name) => [name, count]))).required();

const nodeSchema = Joi.object<NodeReport>({
  nodeId: text,
  podName: text,
  version: text,
  startedAt: text.isoDate(),
  uptimeSeconds: count,
  memory: counts('rss', 'heapUsed').optional(),
  store: Joi.object({ name: text, reachable: flag, ms: count }).required(),
  network: Joi.object({
    name: text,
    state: text.valid('ok', 'down', 'unknown'),
    lastStanzaAt: text,
  }).required(),
  sessions: counts('total', 'connected', 'down', 'terminal'),
  deliveries: counts('waiting', 'inFlight', 'failed'),
});

const attempt = Joi.object({
  at: text,
  origin: text,
  type: text,
  attempt: count,
  outcome: text,
  status: count,
  reason: text,
  durationMs: Joi.number().required(),
});

const sessionSchema = Joi.object<FleetSession>({
  clientId: text,
  jid: text,
  status: text,
  reason: text,
  since: text,
  connected: flag,
  loggedIn: flag,
  enableGroupAi: flag,
  reconnects: count,
  connectedAt: text,
  lastDisconnect: text,
  lastStanzaAt: text,
  retryAt: text,
  openJournal: count,
  history: Joi.object({ progress: Joi.number().required(), messages: count }),
  orgId: text,
  webhook: Joi.object({
    origin: text,
    waiting: count,
    inFlight: count,
    failed: count,
    delivered: count,
    dropped: count,
    last: attempt,
  }).required(),
});

/** Nodes may be of different versions: what only another one knows is left out. */
const OPTIONS = { convert: false, stripUnknown: true } as const;

/** A request of this route. */
export interface FleetRequest {
  headers: object;
  url: URL;
}

/**
 * What another node tells of itself, in the caller's name.
 * @param confined the session that the caller is confined to
 * @returns undefined when it does not answer in time, or with something else
 */
export async function reportOf(
  { nodeId, podName: name, url }: NodeView,
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

/** @throws when it is no answer of this route */
async function checked(answer: unknown): Promise<Report> {
  const { nodes, sessions: rows } = outer(answer);
  const node = Joi.attempt(nodes[0], nodeSchema.required(), OPTIONS);
  const sessions: FleetSession[] = [];
  for (const row of rows) {
    sessions.push(Joi.attempt(row, sessionSchema.required(), OPTIONS));
    if (sessions.length % ROWS_AT_ONCE === 0) await setImmediate();
  }
  return { node, sessions };
}

function outer(answer: unknown): { nodes: unknown[]; sessions: unknown[] } {
  const [nodes, sessions] = [field(answer, 'nodes'), field(answer, 'sessions')];
  if (Array.isArray(nodes) && Array.isArray(sessions)) return { nodes, sessions };
  throw new GatewayError('node_unreachable', 'a node has answered with something else');
}

function field(answer: unknown, name: string): unknown {
  return typeof answer === 'object' && answer !== null ? Reflect.get(answer, name) : undefined;
}
