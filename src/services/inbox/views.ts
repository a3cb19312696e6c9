import type { MessageStatus } from '../../domain/message-status.js';
import type { HistoryMessage, RoomRecord } from '../../store/store.js';
import type { MessageView, RoomView } from '../services.js';
import { shownExtras } from './extras.js';

/** A room as the contract shows it. */
export function roomView(
  clientId: string,
  { avatarId, lastMessageAt, ...room }: RoomRecord,
  avatarUrl: string,
): RoomView {
  return {
    ...room,
    clientId,
    avatarUrl,
    lastMessageAt: lastMessageAt > 0 ? new Date(lastMessageAt).toISOString() : '',
  };
}

/** A stored message as the contract shows it. */
export function messageView(clientId: string, row: HistoryMessage, downloadUrl: string): MessageView {
  const { messageId, chatRoomId, body, messageType, fromMe, pushname, deleted, fromAi, media } = row;
  return {
    messageId,
    chatRoomId,
    clientId,
    body,
    messageType,
    fromMe,
    pushname,
    sentAt: new Date(row.sentAt).toISOString(),
    deleted,
    fromAi,
    ...(media && { media }),
    downloadUrl,
    extras: withLink(shownExtras(row.extras), downloadUrl),
  };
}

/** The same, with how far it has come where it is an own one. @param further than that it was sent */
export function withStatus(view: MessageView, further: MessageStatus | undefined): MessageView {
  return view.fromMe ? { ...view, status: further ?? 'sent' } : view;
}

/** The per-type object says what its event said. */
function withLink(extras: Record<string, unknown>, downloadUrl: string): Record<string, unknown> {
  const { media } = extras;
  return downloadUrl && media instanceof Object ? { ...extras, media: { ...media, downloadUrl } } : extras;
}
