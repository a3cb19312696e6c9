import type { ChatRoom, StoredMessage } from '../../../contract/index.js';
import { GatewayError, unknownSession } from '../../../domain/errors.js';
import type { HistoryMessage, RoomRecord, Store } from '../../store/store.js';
import type { FileLinks } from '../files/file-links.js';
import type { PersonRooms } from '../identities/person-rooms.js';
import { STORED_PICTURE } from '../identities/pictures.js';
import { emptied } from './deletions.js';
import { findRoom } from './find-room.js';

/** The requested messages of a room. */
interface MessagePage {
  limit: number;
  /** Id of a message: only older ones are returned. */
  before?: string;
  /** Include the status of own messages. */
  status?: boolean;
}

/**
 * Reads the hosted history for callers. Every node can answer, because the history is in the store. A room's id names its
 * session.
 */
export class HostedInbox {
  readonly #store;
  readonly #rooms;
  readonly #fileLinks: Pick<FileLinks, 'linkTo'>;

  constructor(options: {
    store: Pick<Store, 'history' | 'sessions'>;
    rooms: Pick<PersonRooms, 'renamedTo' | 'withLids'>;
    fileLinks: Pick<FileLinks, 'linkTo'>;
  }) {
    this.#store = options.store;
    this.#rooms = options.rooms;
    this.#fileLinks = options.fileLinks;
  }

  /** The permanent link to a message's file; empty without one. */
  #linkOf({ fileId, media }: HistoryMessage): string {
    return fileId && media ? this.#fileLinks.linkTo(fileId, media) : '';
  }

  /** Newest activity first. @throws session_unknown */
  async rooms(clientId: string): Promise<ChatRoom[]> {
    const session = await this.#store.sessions.get(clientId);
    if (!session) throw unknownSession(clientId);
    const rooms = await this.#store.history.rooms(clientId);
    return rooms.map((room) => {
      const { avatarId } = room;
      return roomView(clientId, room, avatarId && this.#fileLinks.linkTo(avatarId, STORED_PICTURE));
    });
  }

  /**
   * The newest messages of a room, oldest first; with `before` those older than that message.
   * @throws room_unknown, message_unknown for `before`
   */
  async messages(roomId: string, { status, ...page }: MessagePage): Promise<StoredMessage[]> {
    const { clientId, chatRoomId } = await this.#find(roomId);
    const { history } = this.#store;
    if (page.before !== undefined && !(await history.message(clientId, chatRoomId, page.before))) {
      const message = `before: there is no message ${page.before} in room ${chatRoomId}`;
      throw new GatewayError('message_unknown', message);
    }
    const rows = await this.#rooms.withLids(clientId, await history.messages(clientId, chatRoomId, page));
    const views = rows.map((row) => messageView(clientId, row, this.#linkOf(row)));
    return status ? this.#withStatus(clientId, views) : views;
  }

  /** The permanent link to a message's file. @throws room_unknown, message_unknown, file_unknown without a file */
  async mediaUrl(roomId: string, messageId: string): Promise<string> {
    const { clientId, chatRoomId } = await this.#find(roomId);
    const row = await this.#store.history.message(clientId, chatRoomId, messageId);
    if (!row) {
      const message = `there is no message ${messageId} in room ${chatRoomId}`;
      throw new GatewayError('message_unknown', message);
    }
    const url = this.#linkOf(row);
    if (url) return url;
    const why = row.media ? 'could not be stored' : 'does not exist: the message has none';
    throw new GatewayError('file_unknown', `the file of message ${messageId} ${why}`);
  }

  /** Sets the unread count to 0, without read receipts. @throws room_unknown */
  async markRead(roomId: string): Promise<void> {
    const { clientId, chatRoomId } = await this.#find(roomId);
    await this.#store.history.updateRoom(clientId, chatRoomId, { unreadCount: 0 });
  }

  async #withStatus(clientId: string, views: readonly StoredMessage[]): Promise<StoredMessage[]> {
    const own = views.flatMap(({ fromMe, messageId }) => (fromMe ? messageId : []));
    const statuses = await this.#store.history.statuses(clientId, own);
    return views.map((view) =>
      view.fromMe ? { ...view, status: statuses.get(view.messageId) ?? 'sent' } : view,
    );
  }

  /** @throws GatewayError room_unknown */
  async #find(roomId: string): Promise<{ clientId: string; chatRoomId: string }> {
    const { clientId, room } = await findRoom(roomId, { store: this.#store, rooms: this.#rooms });
    return { clientId, chatRoomId: room.chatRoomId };
  }
}

function roomView(
  clientId: string,
  { avatarId, lastMessageAt, archived, mutedUntil = 0, pinned, ...room }: RoomRecord,
  avatarUrl: string,
): ChatRoom {
  return {
    ...room,
    clientId,
    avatarUrl,
    lastMessageAt: lastMessageAt > 0 ? new Date(lastMessageAt).toISOString() : '',
    ...(archived && { archived }),
    ...(mutedUntil > 0 && { mutedUntil: new Date(mutedUntil).toISOString() }),
    ...(pinned && { pinned }),
  };
}

function messageView(clientId: string, stored: HistoryMessage, link: string): StoredMessage {
  // earlier releases kept the content of deleted messages
  const row = stored.deleted ? emptied(stored) : stored;
  const downloadUrl = row.deleted ? '' : link;
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
    extras: shownExtras(row.extras, downloadUrl),
  };
}

/** Without `reactionTimes`, which is internal; `media` with the link, as in its event. */
function shownExtras(
  { reactionTimes, ...extras }: HistoryMessage['extras'],
  downloadUrl: string,
): HistoryMessage['extras'] {
  const { media } = extras;
  return downloadUrl && media instanceof Object ? { ...extras, media: { ...media, downloadUrl } } : extras;
}
