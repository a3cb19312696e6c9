import { deliveryIdFor } from '../domain/ids.js';
import { parseObject } from '../domain/json.js';
import type { GatewayEvent, MessageUnreadableEvent } from '../events/catalogue.js';
import type { EventEnvelope } from '../events/envelope.js';

/** Events of a chat are delivered in order; the statuses of a message are, too. */
export function chatOf(event: GatewayEvent): string {
  if ('chatRoomId' in event) return event.chatRoomId;
  return 'messageId' in event ? event.messageId : '';
}

/** The same of an event that was kept as JSON. */
export function chatIn(body: string): string {
  const { chatRoomId, messageId } = parseObject(body) ?? {};
  if (typeof chatRoomId === 'string') return chatRoomId;
  return typeof messageId === 'string' ? messageId : '';
}

/** What tells an event from all others, and its time: the ids of its deliveries are made of it. */
export interface EventIdentity {
  /** Milliseconds since the epoch. */
  at: number;
  parts: readonly string[];
}

/**
 * The parts of a message that its events' ids are made of. All of them are in the message's journal entry, or in the record of the own
 * send. What is learnt of people later, such as a LID, must not change an id.
 */
export interface MessageOrigin {
  /** The id of the room, by the addresses that the message itself names. */
  room: string;
  /** User-part of the author in a group, likewise; otherwise empty. */
  author: string;
  /** Its content is encrypted once more: the secret, and with it the type of the event, may be learnt later. */
  isSealed: boolean;
}

/** The identity of a message's event, which is announced again after a crash. */
export function messageIdentity(
  event: EventEnvelope | MessageUnreadableEvent,
  { room, author, isSealed }: MessageOrigin,
): EventIdentity {
  const { clientId, timestamp, messageId } = event;
  const type = isSealed ? 'sealed' : event.type;
  return { at: timeOf(timestamp), parts: [clientId, event.event, type, room, author, messageId] };
}

/**
 * The identity of an event that no journal keeps. Several can have the same time and message, such as the statuses of a message. When
 * the network repeats what it told, the event is the same again.
 */
export function contentIdentity(event: GatewayEvent): EventIdentity {
  return { at: timeOf(event.timestamp), parts: [event.clientId, JSON.stringify(event)] };
}

/**
 * The id of an event: for the webhook, and among the events that are kept. Other receivers have an id of their own.
 * @param receiverId absent for the webhook of the session
 */
export function eventIdOf({ at, parts }: EventIdentity, receiverId?: string): string {
  return deliveryIdFor(at, receiverId ? [...parts, receiverId] : parts);
}

function timeOf(timestamp: string): number {
  return Date.parse(timestamp) || 0;
}
