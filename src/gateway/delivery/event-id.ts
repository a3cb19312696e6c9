import type {
  GatewayEvent,
  MessageUnreadableEvent,
  StatusPostEvent,
} from '../../contract/events/catalogue.js';
import type { EventEnvelope } from '../../contract/events/envelope.js';
import type { EpochMs } from '../../domain/clock.js';
import { deliveryIdFor } from '../../domain/ids.js';
import { parseObject } from '../../domain/json.js';

/** Events of a chat are delivered in order; the statuses of a message are, too. */
export function chatOf(event: GatewayEvent): string {
  if ('chatRoomId' in event) return event.chatRoomId;
  return 'messageId' in event ? event.messageId : '';
}

/** The chat of an event that is stored as JSON. */
export function chatIn(body: string): string {
  const { chatRoomId, messageId } = parseObject(body) ?? {};
  if (typeof chatRoomId === 'string') return chatRoomId;
  return typeof messageId === 'string' ? messageId : '';
}

/** The identity of an event, from which the ids of its deliveries are derived. */
export interface EventIdentity {
  at: EpochMs;
  parts: readonly string[];
}

/**
 * The parts of a message from which the ids of its events are derived. All of them are in the message's journal entry or
 * in the record of the own send. Later knowledge about people, such as a LID, must not change an id.
 */
export interface MessageOrigin {
  /** The id of the room, by the addresses that the message itself names. */
  room: string;
  /** In a group and of a status, the user-part of the author that the message itself names; otherwise empty. */
  author: string;
  /** The content has a second layer of encryption: the secret, and so the type of the event, may become known later. */
  isSealed: boolean;
}

/** The identity of a message's event, which is announced again after a crash. */
export function messageIdentity(
  event: EventEnvelope | MessageUnreadableEvent | StatusPostEvent,
  { room, author, isSealed }: MessageOrigin,
): EventIdentity {
  const { clientId, timestamp, messageId } = event;
  const type = isSealed ? 'sealed' : event.type;
  return { at: timeOf(timestamp), parts: [clientId, event.event, type, room, author, messageId] };
}

/**
 * The identity of an event that no journal keeps. Several can have the same time and message, such as the statuses of a
 * message. If the network repeats a report, the repeated event has the same identity.
 */
export function contentIdentity(event: GatewayEvent): EventIdentity {
  return { at: timeOf(event.timestamp), parts: [event.clientId, JSON.stringify(event)] };
}

/**
 * The id of an event for the webhook and among kept events. Each other receiver gets the event under an id of its own.
 * @param receiverId absent for the webhook of the session
 */
export function eventIdOf({ at, parts }: EventIdentity, receiverId?: string): string {
  return deliveryIdFor(at, receiverId ? [...parts, receiverId] : parts);
}

function timeOf(timestamp: string): number {
  return Date.parse(timestamp) || 0;
}
