import type { NodeRow, SessionRow } from '../../../src/cli/fleet/wire.js';

/** The daemon's time in these rows. */
export const FLEET_NOW = Date.parse('2026-01-02T12:00:00.000Z');

/** So many milliseconds before that. */
export function ago(ms: number): string {
  return new Date(FLEET_NOW - ms).toISOString();
}

/** A connected session that is well. */
export function sessionRow(clientId: string, changes: Partial<SessionRow> = {}): SessionRow {
  return {
    clientId,
    podName: 'node-1',
    jid: '15550000001@s.whatsapp.net',
    status: 'connected',
    reason: '',
    since: ago(3 * 3_600_000),
    connected: true,
    loggedIn: true,
    reconnects: 0,
    connectedAt: ago(3 * 3_600_000),
    lastDisconnect: '',
    lastStanzaAt: ago(5_000),
    retryAt: '',
    openJournal: 0,
    orgId: '',
    enableGroupAi: false,
    webhook: webhookRow(),
    ...changes,
  };
}

/** A receiver that took the last event. */
export function webhookRow(changes: Partial<SessionRow['webhook']> = {}): SessionRow['webhook'] {
  const last = { at: ago(3_000), origin: 'https://example.com', type: 'text', attempt: 1, status: 200 };
  return {
    origin: 'https://example.com',
    waiting: 0,
    inFlight: 0,
    failed: 0,
    delivered: 1,
    dropped: 0,
    last: { ...last, outcome: 'delivered', reason: '', durationMs: 12 },
    ...changes,
  };
}

/** A node that is well. */
export function nodeRow(podName: string, changes: Partial<NodeRow> = {}): NodeRow {
  return {
    nodeId: podName,
    podName,
    self: podName === 'node-1',
    reachable: true,
    draining: false,
    silentSeconds: 0,
    version: '2026-11',
    startedAt: ago(26 * 3_600_000),
    uptimeSeconds: 26 * 3_600,
    memory: { rss: 120 * 1_048_576, heapUsed: 60 * 1_048_576 },
    store: { name: 'sqlite', reachable: true, ms: 2 },
    network: { name: 'whatsapp', state: 'ok', lastStanzaAt: ago(5_000) },
    sessions: { total: 3, connected: 1, down: 1, terminal: 1 },
    deliveries: { waiting: 0, inFlight: 0, failed: 0 },
    ...changes,
  };
}
