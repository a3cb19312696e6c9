import { lastMessageBy, ROOMS } from '../port/history.js';
import type { BackendRoom, HistoryMessage, Place, RoomUpdate } from '../store.js';
import type { OpenDatabase } from './database.js';
import { type Column, type Columns, tableOf } from './table.js';

/** The columns of the last message are replaced together, by a message that goes behind it. */
const LAST_COLUMNS = ['last_message_id', 'last_message', 'last_message_from_me', 'last_message_at'];
const lastWhere = (comparison: '>=' | '>') =>
  LAST_COLUMNS.map(
    (column) =>
      `${column} = CASE WHEN excluded.last_message_at ${comparison} last_message_at THEN excluded.${column} ELSE ${column} END`,
  );

/** Who a room is with does not change. */
const FIXED = ['chatRoomId', 'myLid', 'clientLid', 'isGroup', 'remoteJid'] as const;

/** Rooms in the table `rooms`. Call the methods inside `run` or a transaction. */
export function sqliteRooms({ sqlite }: OpenDatabase) {
  const { columns, into, read, values, named, assignBut } = tableOf(ROOMS);
  const add = sqlite.prepare<[Column[]]>(`INSERT ${into}`);
  const remove = sqlite.prepare<[string, string]>(
    'DELETE FROM rooms WHERE client_id = ? AND chat_room_id = ?',
  );
  const applying = (comparison: '>=' | '>') =>
    sqlite.prepare<[Column[]]>(
      `INSERT ${into}
       ON CONFLICT DO UPDATE SET
         name = CASE WHEN excluded.name <> '' THEN excluded.name ELSE name END,
         my_lid = excluded.my_lid, client_lid = excluded.client_lid, is_group = excluded.is_group,
         remote_jid = excluded.remote_jid, unread_count = unread_count + excluded.unread_count, ${lastWhere(comparison)}`,
    );
  const applyMessage = { last: applying('>='), first: applying('>') };
  const ofId = sqlite
    .prepare<[string, string], Column[]>(
      `SELECT ${columns} FROM rooms WHERE client_id = ? AND chat_room_id = ?`,
    )
    .raw();
  const selectAll = sqlite
    .prepare<[string], Column[]>(
      `SELECT ${columns} FROM rooms WHERE client_id = ? ORDER BY last_message_at DESC, chat_room_id`,
    )
    .raw();
  const byNumber = sqlite.prepare<[string], { chatRoomId: string; remoteJid: string }>(
    `SELECT chat_room_id AS chatRoomId, remote_jid AS remoteJid FROM rooms
     WHERE client_id = ? AND remote_jid GLOB '*@s.whatsapp.net'`,
  );
  const change = sqlite.prepare<Columns>(
    `UPDATE rooms SET ${assignBut(...FIXED)} WHERE client_id = @clientId AND chat_room_id = @chatRoomId`,
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
    applyMessage(clientId: string, { unread, ...room }: RoomUpdate, message: HistoryMessage, place: Place) {
      const last = { ...lastMessageBy(room, message), unreadCount: Number(unread) };
      applyMessage[place].run(values(clientId, { ...room, ...last, avatarId: '' }));
    },
    get(clientId: string, chatRoomId: string): BackendRoom | undefined {
      const row = ofId.get(clientId, chatRoomId);
      return row && read(row);
    },
    list: (clientId: string): BackendRoom[] => selectAll.all(clientId).map(read),
    byNumber: (clientId: string) => byNumber.all(clientId),
    change(clientId: string, room: BackendRoom) {
      change.run(named(clientId, room));
    },
    add(clientId: string, room: BackendRoom) {
      add.run(values(clientId, room));
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
