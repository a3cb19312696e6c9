import type { EventEnvelope } from './envelope.js';
import type { MessageStatusEvent } from './message-status.js';
import type { SessionStatusEvent } from './session-status.js';

/** Event types of messages, as the contract lists them. */
export const MESSAGE_EVENT_TYPES = [
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'poll_creation',
  'vote_update',
  'interactive_reply',
  'contact',
  'location',
  'reaction',
  'edit',
  'revoke',
] as const;

/** Opt-in event types, off until `extraEvents` names them. */
export const EXTRA_EVENT_TYPES = ['message_status', 'session_status'] as const;

export type MessageEventType = (typeof MESSAGE_EVENT_TYPES)[number];
export type ExtraEventType = (typeof EXTRA_EVENT_TYPES)[number];

/** Everything that can go to a receiver. */
export type GatewayEvent = EventEnvelope | MessageStatusEvent | SessionStatusEvent;
