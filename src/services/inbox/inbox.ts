import { GatewayError } from '../../domain/errors.js';
import { parseRoomId } from '../../domain/room.js';
import type { HistoryMessage, Store } from '../../store/store.js';
import type { Identities } from '../people/identities.js';
import type { Inbox, MessagePage, MessageView, RoomView } from '../services.js';
import { messageView, roomView, withStatus } from './views.js';

export interface HostedInboxOptions {
  store: Pick<Store, 'history' | 'sessions'>;
  /** Where rooms are by now whose ids were given out while they went by a number. */
  rooms: Pick<Identities, 'roomOf' | 'underLids'>;
  /** Permanent link to a stored file; empty when the message has none. */
  linkOf(row: HistoryMessage): string;
  /** Permanent link to a stored picture. */
  pictureLink(fileId: string): string;
}

/** Reads the hosted history for callers. It belongs to the store: any node can answer. */
export class HostedInbox implements Inbox {
  readonly #store: HostedInboxOptions['store'];
  readonly #rooms: HostedInboxOptions['rooms'];
  readonly #linkOf: HostedInboxOptions['linkOf'];
  readonly #pictureLink: HostedInboxOptions['pictureLink'];

  constructor({ store, rooms, linkOf, pictureLink }: HostedInboxOptions) {
    this.#store = store;
    this.#rooms = rooms;
    this.#linkOf = linkOf;
    this.#pictureLink = pictureLink;
  }

  async rooms(clientId: string): Promise<RoomView[]> {
    const session = await this.#store.sessions.get(clientId);
    if (!session)
      throw new GatewayError('session_unknown', `unknown clientId ${clientId}; call /start first`);
    const rooms = await this.#store.history.rooms(clientId);
    return rooms.map((room) => roomView(clientId, room, room.avatarId && this.#pictureLink(room.avatarId)));
  }

  async messages(roomId: string, { status, ...page }: MessagePage): Promise<MessageView[]> {
    const { clientId, chatRoomId } = await this.#find(roomId);
    const { history } = this.#store;
    if (page.before !== undefined && !(await history.message(clientId, chatRoomId, page.before))) {
      const message = `before: there is no message ${page.before} in room ${chatRoomId}`;
      throw new GatewayError('message_unknown', message);
    }
    const rows = await this.#rooms.underLids(clientId, await history.messages(clientId, chatRoomId, page));
    const views = rows.map((row) => messageView(clientId, row, this.#linkOf(row)));
    return status ? this.#withStatus(clientId, views) : views;
  }

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

  async markRead(roomId: string): Promise<void> {
    const { clientId, chatRoomId } = await this.#find(roomId);
    await this.#store.history.updateRoom(clientId, chatRoomId, { unreadCount: 0 });
  }

  async #withStatus(clientId: string, views: readonly MessageView[]): Promise<MessageView[]> {
    const own = views.flatMap(({ fromMe, messageId }) => (fromMe ? messageId : []));
    const statuses = await this.#store.history.statuses(clientId, own);
    return views.map((view) => withStatus(view, statuses.get(view.messageId)));
  }

  /** @throws GatewayError room_unknown */
  async #find(roomId: string): Promise<{ clientId: string; chatRoomId: string }> {
    const clientId = parseRoomId(roomId)?.clientId;
    if (!clientId) throw unknownRoom(roomId);
    const { history } = this.#store;
    if (await history.room(clientId, roomId)) return { clientId, chatRoomId: roomId };
    const chatRoomId = await this.#rooms.roomOf(roomId);
    if (chatRoomId && (await history.room(clientId, chatRoomId))) return { clientId, chatRoomId };
    throw unknownRoom(roomId);
  }
}

function unknownRoom(chatRoomId: string): GatewayError {
  return new GatewayError(
    'room_unknown',
    `there is no chat room ${chatRoomId}; take the ids from /chatrooms`,
  );
}
