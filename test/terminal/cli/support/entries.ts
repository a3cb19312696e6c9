import type { EventEnvelope } from '../../../../src/contract/events/envelope.js';
import type { TailEntry } from '../../../../src/contract/events/stream-entry.js';
import type { FleetNode, FleetSession } from '../../../../src/contract/index.js';
import { type Reason, type ReasonFields, textOf, toFields } from '../../../../src/domain/reasons.js';
import type { SessionStatus } from '../../../../src/domain/session.js';
import { CliError } from '../../../../src/terminal/cli/errors.js';

export const AT = '2026-01-02T03:04:05.000Z';

/** A received text. */
export function textEvent(changes: Partial<EventEnvelope> = {}): TailEntry {
  const event: EventEnvelope = {
    event: 'message.received',
    type: 'text',
    clientId: 'acme',
    orgId: '',
    timestamp: AT,
    chatRoomId: 'acme-100-200',
    myLid: '100',
    clientLid: '200',
    remoteJid: '200@lid',
    remoteName: 'Bob',
    remotePhone: '15550000002',
    remoteUsername: '',
    pushName: 'Bob',
    avatarUrl: '',
    fromMe: false,
    isGroup: false,
    messageId: '3EB0AAAA',
    body: 'hello',
    mentions: [],
    isForwarded: false,
    ...changes,
  };
  return { kind: 'event', at: AT, clientId: event.clientId, event };
}

/** A change of a session's status. */
export function statusEvent(
  status: SessionStatus,
  previousStatus: SessionStatus,
  reason: string | ReasonFields = '',
): TailEntry {
  return {
    kind: 'event',
    at: AT,
    clientId: 'acme',
    event: {
      event: 'session.status',
      type: 'session_status',
      clientId: 'acme',
      orgId: '',
      timestamp: AT,
      status,
      previousStatus,
      ...(typeof reason === 'string' ? { reason } : reason),
    },
  };
}

/** One POST to a receiver. */
export function attempt(changes: Partial<Extract<TailEntry, { kind: 'attempt' }>> = {}): TailEntry {
  return {
    kind: 'attempt',
    at: AT,
    clientId: 'acme',
    deliveryId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    type: 'text',
    messageId: '3EB0AAAA',
    url: 'https://example.com/hook?key=secret',
    attempt: 1,
    outcome: 'delivered',
    status: 200,
    reason: '',
    durationMs: 12,
    ...changes,
  };
}

/** The foreseen failure that a call ends with; anything else is an error of the test. */
export async function failureOf(call: Promise<unknown>): Promise<CliError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

/** The answer of a daemon that refuses a call for this reason. */
export function refusal(status: number, why: Reason) {
  return { status, headers: { 'x-sn-reason': JSON.stringify(toFields(why)) }, body: { error: textOf(why) } };
}

/** The daemon's time in these rows. */
export const FLEET_NOW = Date.parse('2026-01-02T12:00:00.000Z');

/** So many milliseconds before that. */
export function ago(ms: number): string {
  return new Date(FLEET_NOW - ms).toISOString();
}

/** A connected session that is well. */
export function sessionRow(clientId: string, changes: Partial<FleetSession> = {}): FleetSession {
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
    rejectCalls: false,
    webhook: webhookRow(),
    ...changes,
  };
}

/** A receiver that took the last event. */
export function webhookRow(changes: Partial<FleetSession['webhook']> = {}): FleetSession['webhook'] {
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
export function nodeRow(podName: string, changes: Partial<FleetNode> = {}): FleetNode {
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
