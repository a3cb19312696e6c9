import type { FleetSession } from '../../../services/services.js';
import type { Parts } from '../../route.js';
import { countSessions } from '../health/ready.js';
import { type NetworkHealth, networkHealth } from './network-health.js';

/** What a node tells of itself. */
export interface NodeReport {
  nodeId: string;
  podName: string;
  version: string;
  /** RFC 3339. */
  startedAt: string;
  uptimeSeconds: number;
  /** Bytes; not for who is confined to a session. */
  memory?: { rss: number; heapUsed: number };
  /** `ms` is how long it took to answer. */
  store: { name: string; reachable: boolean; ms: number };
  network: NetworkHealth;
  sessions: SessionCounts;
  deliveries: DeliveryCounts;
}

export type SessionCounts = ReturnType<typeof countSessions>;

export interface DeliveryCounts {
  waiting: number;
  inFlight: number;
  failed: number;
}

/** What a node knows of the fleet without asking anybody. */
export interface Report {
  node: NodeReport;
  sessions: FleetSession[];
}

/**
 * This node's own.
 * @param only the session that is wanted
 * @param confined the session whose counts are told, and nothing of the machine; all are when it is undefined
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
    deliveries: countDeliveries(counted),
  };
  return { node, sessions };
}

function countDeliveries(sessions: readonly FleetSession[]): DeliveryCounts {
  const sum = (count: (webhook: FleetSession['webhook']) => number) =>
    sessions.reduce((total, { webhook }) => total + count(webhook), 0);
  return {
    waiting: sum(({ waiting }) => waiting),
    inFlight: sum(({ inFlight }) => inFlight),
    failed: sum(({ failed }) => failed),
  };
}
