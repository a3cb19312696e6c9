import { deliveryIdFor } from '../domain/ids.js';
import { parseObject } from '../domain/json.js';
import type { GatewayEvent } from '../events/catalogue.js';

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

/**
 * The id of an event among those that are kept.
 * @param isAnnouncedAgain the event may be announced again after a crash: then it has the same id again. Others are told apart by
 * their content: several can have the same time and message, such as the statuses of a message.
 */
export function keptIdOf(event: GatewayEvent, body: string, isAnnouncedAgain: boolean): string {
  if (isAnnouncedAgain) return lastingIdOf(event);
  return deliveryIdFor(Date.parse(event.timestamp) || 0, [event.clientId, body]);
}

/**
 * The id of an event for a receiver, which is the same when it is announced again after a crash.
 * @param receiverId absent for the webhook of the session
 */
export function lastingIdOf(event: GatewayEvent, receiverId?: string): string {
  const { clientId, type, timestamp } = event;
  const messageId = 'messageId' in event ? event.messageId : '';
  const sender = 'group' in event ? (event.group?.participant ?? '') : '';
  const identity = [clientId, event.event, type, chatOf(event), sender, messageId];
  return deliveryIdFor(Date.parse(timestamp) || 0, receiverId ? [...identity, receiverId] : identity);
}
