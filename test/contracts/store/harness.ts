import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { isGatewayError, messageForOperator } from '../../../src/domain/errors.js';
import type { JournalEntry } from '../../../src/domain/signal-state.js';
import { blankSession } from '../../../src/gateway/store/port/sessions.js';
import type {
  Contact,
  FailedDelivery,
  HistoryMessage,
  IdempotencyRecord,
  KeptEvent,
  MessageTrace,
  NewFile,
  PendingChange,
  RoomUpdate,
  SentRecord,
  SessionRecord,
  Store,
  WaitingDelivery,
} from '../../../src/gateway/store/store.js';

/** A store of a test's own, and what a test may do to it from outside. */
export interface StoreHarness<S extends Store = Store> {
  store: S;
  /** Closes the store and opens it again on the same data. */
  reopen(): Promise<S>;
  /** Closes the store and deletes its data. */
  destroy(): Promise<void>;
}

export type StoreFactory<S extends Store = Store> = () => Promise<StoreHarness<S>>;

/** Bytes of a text, to be told apart at a glance. */
export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The text of bytes; undefined stays undefined. */
export function text(value: Uint8Array | undefined): string | undefined {
  return value && new TextDecoder().decode(value);
}

export function session(clientId: string, fields: Partial<SessionRecord> = {}): SessionRecord {
  return {
    ...blankSession(),
    clientId,
    lid: '100000000000001',
    pn: '15550000001',
    jid: '15550000001:3@s.whatsapp.net',
    name: 'Acme',
    orgId: 'org-1',
    webhookUrl: 'https://example.com/hook?key=in-url',
    webhookToken: 'webhook token',
    pollLookupUrl: 'https://example.com/polls',
    enableGroupAi: true,
    previousToken: 'token before',
    previousTokenUntil: 1_700_000_000_003,
    retentionDays: 30,
    proxy: 'socks5://user:pass in-proxy@proxy.example.com:1080',
    extraEvents: ['session_status'],
    apiSecretHash: 'salt:hash',
    status: 'connected',
    statusReason: 'because',
    statusSince: 1_700_000_000_001,
    bannedUntil: 1_700_000_000_002,
    linkedAt: 1_700_000_000_004,
    linkedNumber: '15550000001',
    restrictions: '{"lock":{}}',
    createdAt: 1_700_000_000_000,
    ...fields,
  };
}

export function entry(id: string, fields: Partial<JournalEntry> = {}): JournalEntry {
  return {
    id,
    messageId: `M-${id}`,
    plain: bytes(`plain ${id}`),
    stanza: bytes(`stanza ${id}`),
    receivedAt: 1_000,
    ...fields,
  };
}

export function contact(fields: Partial<Contact>): Partial<Contact> & { source: string; learntAt: number } {
  return { source: 'message', learntAt: 1_000, ...fields };
}

export function sent(messageId: string, fields: Partial<SentRecord> = {}): SentRecord {
  return {
    messageId,
    to: '100000000000002@lid',
    content: bytes(`content ${messageId}`),
    metaData: '{"order":7}',
    fileName: 'menu.jpg',
    counted: 'new chat',
    textHash: `hash ${messageId}`,
    sentAt: 1_000,
    acknowledged: false,
    closed: false,
    ...fields,
  };
}

export function idempotent(key: string, fields: Partial<IdempotencyRecord> = {}): IdempotencyRecord {
  return { key, fingerprint: 'f1', messageId: `M-${key}`, answer: '', createdAt: 1_000, ...fields };
}

export function failed(id: string, fields: Partial<FailedDelivery> = {}): FailedDelivery {
  return {
    id,
    clientId: 'acme',
    url: 'https://example.com/hook',
    type: 'message',
    messageId: `M-${id}`,
    body: `{"id":"${id}"}`,
    reason: '500',
    attempts: 8,
    failedAt: 1_000,
    ...fields,
  };
}

export function waiting(id: string, fields: Partial<WaitingDelivery> = {}): WaitingDelivery {
  return {
    id,
    clientId: 'acme',
    chat: 'acme-1-2',
    type: 'text',
    messageId: `M-${id}`,
    body: `{"id":"${id}"}`,
    size: 500,
    attempts: 0,
    since: 1_000,
    ...fields,
  };
}

export function keptEvent(id: string, fields: Partial<KeptEvent> = {}): KeptEvent {
  return {
    ...{ id, clientId: 'acme', at: 1_000, type: 'text', chat: 'acme-1-2', messageId: `M-${id}` },
    ...{ size: 500, body: `{"id":"${id}"}`, ...fields },
  };
}

export function trace(messageId: string, fields: Partial<MessageTrace> = {}): MessageTrace {
  return {
    messageId,
    chat: '100000000000002@lid',
    fromMe: true,
    authorLid: '100000000000001@lid',
    authorPn: '15550000001@s.whatsapp.net',
    secret: bytes(`secret ${messageId}`),
    sentAt: 1_000,
    ...fields,
  };
}

export function roomUpdate(fields: Partial<RoomUpdate> = {}): RoomUpdate {
  return {
    chatRoomId: 'acme-1-2',
    name: 'Ann',
    myLid: '1',
    clientLid: '2',
    isGroup: true,
    remoteJid: '2@lid',
    lastMessage: 'shown',
    unread: true,
    ...fields,
  };
}

export function message(messageId: string, fields: Partial<HistoryMessage> = {}): HistoryMessage {
  return {
    messageId,
    chatRoomId: 'acme-1-2',
    body: `body ${messageId}`,
    messageType: 'image',
    fromMe: true,
    author: '2@lid',
    pushname: 'Ann',
    sentAt: 1_000,
    deleted: false,
    fromAi: true,
    media: { mimeType: 'image/jpeg', mediaType: 'image', fileName: 'a.jpg', fileSize: 7 },
    fileId: 'F1',
    extras: { reactions: { 2: '👍' }, quoted: { id: 'Q', 'a.b': [1, null, { $c: false }] } },
    content: bytes(`content ${messageId}`),
    ...fields,
  };
}

export function pendingChange(messageId: string, fields: Partial<PendingChange> = {}): PendingChange {
  return {
    targetId: 'M1',
    chatRoomId: 'acme-1-2',
    messageId,
    change: { type: 'edit', body: `edited by ${messageId}`, 'a.b': { $c: null } },
    at: 1_000,
    ...fields,
  };
}

export function newFile(fields: Partial<NewFile> = {}): NewFile {
  return {
    id: randomUUID(),
    clientId: 'acme',
    chatRoomId: 'acme-1-2',
    messageId: 'M1',
    mimeType: 'image/jpeg',
    mediaType: 'image',
    fileName: 'holiday ✓.jpg',
    caption: 'us',
    createdAt: 1_000,
    ...fields,
  };
}

/** Expects a promise to fail with a GatewayError of that code, and returns its message for the operator. */
export async function expectFailure(promise: Promise<unknown>, code: string): Promise<string> {
  const error: unknown = await promise.then(
    () => new Error('nothing failed'),
    (reason: unknown) => reason,
  );
  if (!isGatewayError(error)) throw error;
  expect(error.code).to.equal(code);
  return messageForOperator(error);
}
