import type { EventExtras } from './extras.js';

/** The one body that a webhook receiver gets, whatever the event. Empty optional strings are `""`. */
export interface EventEnvelope extends EventExtras {
  event: 'message.received' | 'message.sent';
  type: string;
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC. */
  timestamp: string;
  chatRoomId: string;
  myLid: string;
  clientLid: string;
  remoteJid: string;
  remoteName: string;
  remotePhone: string;
  remoteUsername: string;
  pushName: string;
  avatarUrl: string;
  fromMe: boolean;
  isGroup: boolean;
  messageId: string;
  body: string;
  quoted?: QuotedMessage;
  mentions: string[];
  isForwarded: boolean;
  meta?: EventMeta;
  group?: GroupSender;
}

/** The message that this one answers. */
export interface QuotedMessage {
  messageId: string;
  participant?: string;
  body: string;
  type: string;
}

/** Who wrote a group message, and where. */
export interface GroupSender {
  jid: string;
  subject: string;
  participant: string;
  participantPhone?: string;
  participantUsername?: string;
}

/** The caller's metaData on the echo of an API send: the known fields picked out, and the whole as `raw`. */
export interface EventMeta {
  fromAI?: unknown;
  userId?: unknown;
  userName?: unknown;
  sender?: unknown;
  name?: unknown;
  raw: Record<string, unknown>;
}

const PICKED = ['fromAI', 'userId', 'userName', 'sender', 'name'] as const;

/** Shapes a send's metaData for its echo. */
export function eventMeta(metaData: Record<string, unknown>): EventMeta {
  const meta: EventMeta = { raw: metaData };
  for (const field of PICKED) if (metaData[field] !== undefined) meta[field] = metaData[field];
  return meta;
}
