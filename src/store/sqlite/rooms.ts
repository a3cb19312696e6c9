import type { ChatSettings } from '../../domain/room.js';
import { lastMessageBy } from '../port/history.js';
import type { BackendRoom, HistoryMessage, RoomUpdate } from '../store.js';
import type { OpenDatabase } from './database.js';

type RoomRow = Omit<BackendRoom, 'isGroup' | 'lastMessageFromMe' | keyof ChatSettings> & {
  isGroup: number;
  lastMessageFromMe: number;
  archived: number | null;
  mutedUntil: number | null;
  pinned: number | null;
};

const SELECT = `SELECT chat_room_id AS chatRoomId, name, my_lid AS myLid, client_lid AS clientLid, is_group AS isGroup,
  remote_jid AS remoteJid, last_message_id AS lastMessageId, last_message AS lastMessage,
  last_message_from_me AS lastMessageFromMe, last_message_at AS lastMessageAt, unread_count AS unreadCount,
  avatar_id AS avatarId, archived, muted_until AS mutedUntil, pinned FROM rooms`;

const INSERT = `INSERT INTO rooms (client_id, chat_room_id, name, my_lid, client_lid, is_group, remote_jid,
    last_message_id, last_message, last_message_from_me, last_message_at, unread_count, avatar_id,
    archived, muted_until, pinned)
  VALUES (@clientId, @chatRoomId, @name, @myLid, @clientLid, @isGroup, @remoteJid,
    @lastMessageId, @lastMessage, @lastMessageFromMe, @lastMessageAt, @unreadCount, @avatarId,
    @archived, @mutedUntil, @pinned)`;

/** The columns of the last message are replaced together, by a message that is not older. */
const LAST_COLUMNS = ['last_message_id', 'last_message', 'last_message_from_me', 'last_message_at'];
const LAST_NOT_OLDER = LAST_COLUMNS.map(
  (column) =>
    `${column} = CASE WHEN excluded.last_message_at >= last_message_at THEN excluded.${column} ELSE ${column} END`,
);

/** Rooms in the table `rooms`. Call the methods inside `run` or a transaction. */
export function sqliteRooms({ sqlite }: OpenDatabase) {
  const add = sqlite.prepare<RoomRow & { clientId: string }>(INSERT);
  const remove = sqlite.prepare<[string, string]>(
    'DELETE FROM rooms WHERE client_id = ? AND chat_room_id = ?',
  );
  const applyMessage = sqlite.prepare<RoomRow & { clientId: string }>(
    `${INSERT}
     ON CONFLICT DO UPDATE SET
       name = CASE WHEN excluded.name <> '' THEN excluded.name ELSE name END,
       my_lid = excluded.my_lid, client_lid = excluded.client_lid, is_group = excluded.is_group,
       remote_jid = excluded.remote_jid, unread_count = unread_count + excluded.unread_count, ${LAST_NOT_OLDER}`,
  );
  const select = sqlite.prepare<[string, string], RoomRow>(
    `${SELECT} WHERE client_id = ? AND chat_room_id = ?`,
  );
  const selectAll = sqlite.prepare<[string], RoomRow>(
    `${SELECT} WHERE client_id = ? ORDER BY last_message_at DESC, chat_room_id`,
  );
  const byNumber = sqlite.prepare<[string], { chatRoomId: string; remoteJid: string }>(
    `SELECT chat_room_id AS chatRoomId, remote_jid AS remoteJid FROM rooms
     WHERE client_id = ? AND remote_jid GLOB '*@s.whatsapp.net'`,
  );
  const change = sqlite.prepare<RoomRow & { clientId: string }>(
    `UPDATE rooms SET name = @name, last_message_id = @lastMessageId, last_message = @lastMessage,
       last_message_from_me = @lastMessageFromMe, last_message_at = @lastMessageAt, unread_count = @unreadCount,
       avatar_id = @avatarId, archived = @archived, muted_until = @mutedUntil, pinned = @pinned
     WHERE client_id = @clientId AND chat_room_id = @chatRoomId`,
  );
  const empty = `UPDATE rooms SET last_message_id = '', last_message = '', last_message_from_me = 0,
       last_message_at = 0, unread_count = 0
     WHERE last_message_at < ? AND last_message_id <> ''`;
  const emptyAllBefore = sqlite.prepare<[number]>(empty);
  const emptyBefore = sqlite.prepare<[number, string]>(`${empty} AND client_id = ?`);
  const selectKeys = 'SELECT client_id AS clientId, chat_room_id AS chatRoomId FROM rooms';
  const allKeys = sqlite.prepare<[], { clientId: string; chatRoomId: string }>(selectKeys);
  const keys = sqlite.prepare<[string], { clientId: string; chatRoomId: string }>(
    `${selectKeys} WHERE client_id = ?`,
  );

  return {
    /** Updates a room for a message that was just recorded; creates the room if needed. */
    applyMessage(clientId: string, { unread, ...room }: RoomUpdate, message: HistoryMessage) {
      const row = toRow({
        ...room,
        ...lastMessageBy(room, message),
        unreadCount: Number(unread),
        avatarId: '',
      });
      applyMessage.run({ ...row, clientId });
    },
    get(clientId: string, chatRoomId: string): BackendRoom | undefined {
      const row = select.get(clientId, chatRoomId);
      return row && toRoom(row);
    },
    list: (clientId: string): BackendRoom[] => selectAll.all(clientId).map(toRoom),
    byNumber: (clientId: string) => byNumber.all(clientId),
    change(clientId: string, room: BackendRoom) {
      change.run({ ...toRow(room), clientId });
    },
    add(clientId: string, room: BackendRoom) {
      add.run({ ...toRow(room), clientId });
    },
    remove(clientId: string, chatRoomId: string) {
      remove.run(clientId, chatRoomId);
    },
    /** Empties the rooms of one session or of all whose messages are all older than that time. */
    emptyBefore(sentBefore: number, clientId?: string) {
      if (clientId === undefined) emptyAllBefore.run(sentBefore);
      else emptyBefore.run(sentBefore, clientId);
    },
    /** The rooms of one session or of all. */
    all: (clientId?: string) => (clientId === undefined ? allKeys.all() : keys.all(clientId)),
  };
}

function toRow({ archived, mutedUntil, pinned, ...room }: BackendRoom): RoomRow {
  return {
    ...room,
    isGroup: Number(room.isGroup),
    lastMessageFromMe: Number(room.lastMessageFromMe),
    archived: archived === undefined ? null : Number(archived),
    mutedUntil: mutedUntil ?? null,
    pinned: pinned === undefined ? null : Number(pinned),
  };
}

function toRoom({ archived, mutedUntil, pinned, ...row }: RoomRow): BackendRoom {
  return {
    ...row,
    isGroup: row.isGroup === 1,
    lastMessageFromMe: row.lastMessageFromMe === 1,
    ...(archived !== null && { archived: archived === 1 }),
    ...(mutedUntil !== null && { mutedUntil }),
    ...(pinned !== null && { pinned: pinned === 1 }),
  };
}
