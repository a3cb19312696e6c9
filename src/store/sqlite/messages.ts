import type { HistoryMessage } from '../store.js';
import type { OpenDatabase } from './database.js';

/** Messages in the table `messages`. The methods run statements: call them inside `run` or a transaction. */
export interface SqliteMessages {
  /** False when there is a message of that id. */
  insert(clientId: string, message: HistoryMessage): boolean;
  find(clientId: string, chatRoomId: string, messageId: string): HistoryMessage | undefined;
  /** Replaces all but what places it in its room; false when there is none. */
  replace(clientId: string, message: HistoryMessage): boolean;
  remove(clientId: string, chatRoomId: string, messageId: string): boolean;
  newest(clientId: string, chatRoomId: string): HistoryMessage | undefined;
  /** Messages of others in a room, counted up to `limit`. */
  countOthers(clientId: string, chatRoomId: string, limit: number): number;
  /** The oldest ones of a room, oldest first. */
  oldest(clientId: string, chatRoomId: string, limit: number): HistoryMessage[];
  /** Oldest first. */
  page(clientId: string, chatRoomId: string, page: { limit: number; before?: string }): HistoryMessage[];
  /** Deletes up to `limit` messages of a room that were sent before that time; returns how many. */
  removeBefore(clientId: string, chatRoomId: string, sentBefore: number, limit: number): number;
}

interface Row extends Omit<HistoryMessage, 'fromMe' | 'deleted' | 'fromAi' | 'media' | 'extras'> {
  fromMe: number;
  deleted: number;
  fromAi: number;
  media: string | null;
  extras: string;
}

const SELECT = `SELECT message_id AS messageId, chat_room_id AS chatRoomId, body, message_type AS messageType,
  from_me AS fromMe, author, pushname, sent_at AS sentAt, deleted, from_ai AS fromAi, media, file_id AS fileId, extras,
  content FROM messages`;
const OF_ROOM = 'WHERE client_id = ? AND chat_room_id = ?';
const BY_ID = `${OF_ROOM} AND message_id = ?`;
const NEWEST_FIRST = 'ORDER BY sent_at DESC, turn DESC';

/** Prepares the statements. */
export function sqliteMessages({ sqlite }: OpenDatabase): SqliteMessages {
  const insert = sqlite.prepare<Row & { clientId: string }>(
    `INSERT INTO messages (client_id, chat_room_id, sent_at, turn, message_id, body, message_type, from_me, author,
       pushname, deleted, from_ai, media, file_id, extras, content)
     SELECT @clientId, @chatRoomId, @sentAt, coalesce(max(turn), 0) + 1, @messageId, @body, @messageType, @fromMe,
       @author, @pushname, @deleted, @fromAi, @media, @fileId, @extras, @content
     FROM messages WHERE client_id = @clientId AND chat_room_id = @chatRoomId AND sent_at = @sentAt
     ON CONFLICT (client_id, chat_room_id, message_id) DO NOTHING`,
  );
  const select = sqlite.prepare<[string, string, string], Row>(`${SELECT} ${BY_ID}`);
  const replace = sqlite.prepare<Row & { clientId: string }>(
    `UPDATE messages SET body = @body, message_type = @messageType, from_me = @fromMe, author = @author,
       pushname = @pushname, deleted = @deleted, from_ai = @fromAi, media = @media, file_id = @fileId,
       extras = @extras, content = @content
     WHERE client_id = @clientId AND chat_room_id = @chatRoomId AND message_id = @messageId`,
  );
  const remove = sqlite.prepare<[string, string, string]>(`DELETE FROM messages ${BY_ID}`);
  const newest = sqlite.prepare<[string, string, number], Row>(
    `${SELECT} ${OF_ROOM} ${NEWEST_FIRST} LIMIT ?`,
  );
  const others = sqlite
    .prepare<[string, string, number], number>(
      `SELECT count(*) FROM (SELECT 1 FROM messages ${OF_ROOM} AND from_me = 0 LIMIT ?)`,
    )
    .pluck();
  const oldest = sqlite.prepare<[string, string, number], Row>(
    `${SELECT} ${OF_ROOM} ORDER BY sent_at, turn LIMIT ?`,
  );
  const before = sqlite.prepare<[string, string, number, number, number], Row>(
    `${SELECT} ${OF_ROOM} AND (sent_at, turn) < (?, ?) ${NEWEST_FIRST} LIMIT ?`,
  );
  const place = sqlite.prepare<[string, string, string], { sentAt: number; turn: number }>(
    `SELECT sent_at AS sentAt, turn FROM messages ${BY_ID}`,
  );
  const removeBefore = sqlite.prepare<[string, string, string, string, number, number]>(
    `DELETE FROM messages ${OF_ROOM} AND (sent_at, turn) IN
       (SELECT sent_at, turn FROM messages ${OF_ROOM} AND sent_at < ? ORDER BY sent_at, turn LIMIT ?)`,
  );
  const newestFirst = (clientId: string, chatRoomId: string, limit: number, beforeId?: string): Row[] => {
    if (beforeId === undefined) return newest.all(clientId, chatRoomId, limit);
    const at = place.get(clientId, chatRoomId, beforeId);
    return at ? before.all(clientId, chatRoomId, at.sentAt, at.turn, limit) : [];
  };

  return {
    insert: (clientId, message) => insert.run({ ...toRow(message), clientId }).changes > 0,
    find(clientId, chatRoomId, messageId) {
      const row = select.get(clientId, chatRoomId, messageId);
      return row && toMessage(row);
    },
    replace: (clientId, message) => replace.run({ ...toRow(message), clientId }).changes > 0,
    remove: (clientId, chatRoomId, messageId) => remove.run(clientId, chatRoomId, messageId).changes > 0,
    newest(clientId, chatRoomId) {
      const row = newest.get(clientId, chatRoomId, 1);
      return row && toMessage(row);
    },
    countOthers: (clientId, chatRoomId, limit) => others.get(clientId, chatRoomId, limit) ?? 0,
    oldest: (clientId, chatRoomId, limit) => oldest.all(clientId, chatRoomId, limit).map(toMessage),
    page: (clientId, chatRoomId, { limit, before: beforeId }) =>
      newestFirst(clientId, chatRoomId, Math.max(limit, 0), beforeId).reverse().map(toMessage),
    removeBefore: (clientId, chatRoomId, sentBefore, limit) =>
      removeBefore.run(clientId, chatRoomId, clientId, chatRoomId, sentBefore, limit).changes,
  };
}

function toRow(message: HistoryMessage): Row {
  return {
    ...message,
    fromMe: Number(message.fromMe),
    deleted: Number(message.deleted),
    fromAi: Number(message.fromAi),
    media: message.media ? JSON.stringify(message.media) : null,
    extras: JSON.stringify(message.extras),
  };
}

function toMessage(row: Row): HistoryMessage {
  return {
    ...row,
    fromMe: row.fromMe === 1,
    deleted: row.deleted === 1,
    fromAi: row.fromAi === 1,
    media: row.media === null ? undefined : JSON.parse(row.media),
    extras: JSON.parse(row.extras),
  };
}
