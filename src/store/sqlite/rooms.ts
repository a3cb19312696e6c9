import type { BackendRoom, HistoryMessage, RoomUpdate } from '../store.js';
import type { OpenDatabase } from './database.js';

/** Rooms in the table `rooms`. The methods run statements: call them inside `run` or a transaction. */
export interface SqliteRooms {
  /** Tells a room of a message that has just been recorded; makes the room when it is not there. */
  tell(clientId: string, room: RoomUpdate, message: HistoryMessage): void;
  get(clientId: string, chatRoomId: string): BackendRoom | undefined;
  list(clientId: string): BackendRoom[];
  byNumber(clientId: string): Pick<BackendRoom, 'chatRoomId' | 'remoteJid'>[];
  change(clientId: string, room: BackendRoom): void;
  /** A room that is not there yet. */
  add(clientId: string, room: BackendRoom): void;
  remove(clientId: string, chatRoomId: string): void;
  /** Empties the rooms whose messages are all older than that time. */
  emptyBefore(sentBefore: number): void;
  /** The rooms of all sessions. */
  all(): RoomKey[];
}

/** Names a room. */
export interface RoomKey {
  clientId: string;
  chatRoomId: string;
}

type Row = Omit<BackendRoom, 'isGroup' | 'lastMessageFromMe'> & {
  isGroup: number;
  lastMessageFromMe: number;
};

const SELECT = `SELECT chat_room_id AS chatRoomId, name, my_lid AS myLid, client_lid AS clientLid, is_group AS isGroup,
  remote_jid AS remoteJid, last_message_id AS lastMessageId, last_message AS lastMessage,
  last_message_from_me AS lastMessageFromMe, last_message_at AS lastMessageAt, unread_count AS unreadCount,
  avatar_id AS avatarId FROM rooms`;

const INSERT = `INSERT INTO rooms (client_id, chat_room_id, name, my_lid, client_lid, is_group, remote_jid,
    last_message_id, last_message, last_message_from_me, last_message_at, unread_count, avatar_id)
  VALUES (@clientId, @chatRoomId, @name, @myLid, @clientLid, @isGroup, @remoteJid,
    @lastMessageId, @lastMessage, @lastMessageFromMe, @lastMessageAt, @unreadCount, @avatarId)`;

/** What a room shows of a message is replaced as one, by what is not older. */
const LAST_COLUMNS = ['last_message_id', 'last_message', 'last_message_from_me', 'last_message_at'];
const LAST_NOT_OLDER = LAST_COLUMNS.map(
  (column) =>
    `${column} = CASE WHEN excluded.last_message_at >= last_message_at THEN excluded.${column} ELSE ${column} END`,
);

/** Prepares the statements. */
export function sqliteRooms({ sqlite }: OpenDatabase): SqliteRooms {
  const add = sqlite.prepare<Row & { clientId: string }>(INSERT);
  const remove = sqlite.prepare<[string, string]>(
    'DELETE FROM rooms WHERE client_id = ? AND chat_room_id = ?',
  );
  const tell = sqlite.prepare<Row & { clientId: string }>(
    `${INSERT}
     ON CONFLICT DO UPDATE SET
       name = CASE WHEN excluded.name <> '' THEN excluded.name ELSE name END,
       my_lid = excluded.my_lid, client_lid = excluded.client_lid, is_group = excluded.is_group,
       remote_jid = excluded.remote_jid, unread_count = unread_count + excluded.unread_count, ${LAST_NOT_OLDER}`,
  );
  const select = sqlite.prepare<[string, string], Row>(`${SELECT} WHERE client_id = ? AND chat_room_id = ?`);
  const selectAll = sqlite.prepare<[string], Row>(
    `${SELECT} WHERE client_id = ? ORDER BY last_message_at DESC, chat_room_id`,
  );
  const byNumber = sqlite.prepare<[string], Pick<BackendRoom, 'chatRoomId' | 'remoteJid'>>(
    `SELECT chat_room_id AS chatRoomId, remote_jid AS remoteJid FROM rooms
     WHERE client_id = ? AND remote_jid GLOB '*@s.whatsapp.net'`,
  );
  const change = sqlite.prepare<Row & { clientId: string }>(
    `UPDATE rooms SET name = @name, last_message_id = @lastMessageId, last_message = @lastMessage,
       last_message_from_me = @lastMessageFromMe, last_message_at = @lastMessageAt, unread_count = @unreadCount,
       avatar_id = @avatarId
     WHERE client_id = @clientId AND chat_room_id = @chatRoomId`,
  );
  const emptyBefore = sqlite.prepare<[number]>(
    `UPDATE rooms SET last_message_id = '', last_message = '', last_message_from_me = 0, last_message_at = 0,
       unread_count = 0
     WHERE last_message_at < ? AND last_message_id <> ''`,
  );
  const keys = sqlite.prepare<[], RoomKey>(
    'SELECT client_id AS clientId, chat_room_id AS chatRoomId FROM rooms',
  );

  return {
    tell(clientId, { unread, ...room }, { messageId, fromMe, sentAt }) {
      const last = { lastMessageId: messageId, lastMessageFromMe: fromMe, lastMessageAt: sentAt };
      tell.run({ ...toRow({ ...room, ...last, unreadCount: Number(unread), avatarId: '' }), clientId });
    },
    get(clientId, chatRoomId) {
      const row = select.get(clientId, chatRoomId);
      return row && toRoom(row);
    },
    list: (clientId) => selectAll.all(clientId).map(toRoom),
    byNumber: (clientId) => byNumber.all(clientId),
    change(clientId, room) {
      change.run({ ...toRow(room), clientId });
    },
    add(clientId, room) {
      add.run({ ...toRow(room), clientId });
    },
    remove(clientId, chatRoomId) {
      remove.run(clientId, chatRoomId);
    },
    emptyBefore(sentBefore) {
      emptyBefore.run(sentBefore);
    },
    all: () => keys.all(),
  };
}

/** The room as it is when that message is its last, or when it has none. */
export function showing(room: BackendRoom, message: HistoryMessage | undefined): BackendRoom {
  return {
    ...room,
    lastMessageId: message?.messageId ?? '',
    lastMessage: message?.body ?? '',
    lastMessageFromMe: message?.fromMe ?? false,
    lastMessageAt: message?.sentAt ?? 0,
  };
}

function toRow(room: BackendRoom): Row {
  return { ...room, isGroup: Number(room.isGroup), lastMessageFromMe: Number(room.lastMessageFromMe) };
}

function toRoom(row: Row): BackendRoom {
  return { ...row, isGroup: row.isGroup === 1, lastMessageFromMe: row.lastMessageFromMe === 1 };
}
