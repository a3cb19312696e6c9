import type { TailEntry } from '../../../src/delivery/tail.js';
import type { SessionStatus } from '../../../src/domain/session.js';
import type { EventEnvelope } from '../../../src/events/envelope.js';

export const AT = '2026-01-02T03:04:05.000Z';

/** A text that somebody sent to a session. */
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
export function statusEvent(status: SessionStatus, previousStatus: SessionStatus, reason = ''): TailEntry {
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
      reason,
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
