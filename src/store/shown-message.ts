import type { BackendRoom, HistoryMessage } from './store.js';

/**
 * True when what a room shows is its newest message, or one as new.
 * @param shown the message whose id the room has
 */
export function showsNewest(
  { lastMessageId, lastMessageAt, lastMessageFromMe }: BackendRoom,
  shown: HistoryMessage | undefined,
  newest: HistoryMessage | undefined,
): boolean {
  if (!newest) return lastMessageId === '' && lastMessageAt === 0;
  if (shown?.sentAt !== newest.sentAt) return false;
  return lastMessageAt === shown.sentAt && lastMessageFromMe === shown.fromMe;
}
