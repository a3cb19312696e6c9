import { setImmediate } from 'node:timers/promises';
import { MESSAGE_STATUSES, type MessageStatus, VOTE_TYPE } from '../../../domain/room.js';
import { conversationOf, MESSAGES, TRACES } from '../port/history.js';
import type { HistoryMessage, MessageProgress, Place, TraceStore } from '../store.js';
import type { OpenDatabase } from './database.js';
import { type Column, type Columns, tableOf } from './table.js';

const OF_ROOM = 'WHERE client_id = ? AND chat_room_id = ?';
const BY_ID = `${OF_ROOM} AND message_id = ?`;
const NO_VOTE = `message_type <> '${VOTE_TYPE}'`;
const NEWEST_FIRST = 'ORDER BY sent_at DESC, turn DESC';

/** Messages in the table `messages`. Call the methods inside `run` or a transaction. */
export function sqliteMessages({ sqlite }: OpenDatabase) {
  const { all, parameters, columns, read, named, assignBut } = tableOf(MESSAGES);
  const selecting = `SELECT ${columns} FROM messages`;
  const inserting = (turn: string) =>
    sqlite.prepare<Columns>(
      `INSERT INTO messages (${all}, turn) SELECT ${parameters}, ${turn}
       FROM messages WHERE client_id = @clientId AND chat_room_id = @chatRoomId AND sent_at = @sentAt
       ON CONFLICT (client_id, chat_room_id, message_id) DO NOTHING`,
    );
  // turns may be negative
  const insert = {
    last: inserting('coalesce(max(turn), 0) + 1'),
    first: inserting('coalesce(min(turn), 2) - 1'),
  };
  const ofId = sqlite.prepare<[string, string, string], Column[]>(`${selecting} ${BY_ID}`).raw();
  const replace = sqlite.prepare<Columns>(
    `UPDATE messages SET ${assignBut('chatRoomId', 'messageId', 'sentAt')}
     WHERE client_id = @clientId AND chat_room_id = @chatRoomId AND message_id = @messageId`,
  );
  const remove = sqlite.prepare<[string, string, string]>(`DELETE FROM messages ${BY_ID}`);
  const newest = sqlite
    .prepare<[string, string, number], Column[]>(`${selecting} ${OF_ROOM} ${NEWEST_FIRST} LIMIT ?`)
    .raw();
  const newestShown = sqlite
    .prepare<[string, string], Column[]>(`${selecting} ${OF_ROOM} AND ${NO_VOTE} ${NEWEST_FIRST} LIMIT 1`)
    .raw();
  const others = sqlite
    .prepare<[string, string, number], number>(
      `SELECT count(*) FROM (SELECT 1 FROM messages ${OF_ROOM} AND from_me = 0 AND ${NO_VOTE} LIMIT ?)`,
    )
    .pluck();
  const oldest = sqlite
    .prepare<[string, string, number], Column[]>(`${selecting} ${OF_ROOM} ORDER BY sent_at, turn LIMIT ?`)
    .raw();
  const before = sqlite
    .prepare<[string, string, number, number, number], Column[]>(
      `${selecting} ${OF_ROOM} AND (sent_at, turn) < (?, ?) ${NEWEST_FIRST} LIMIT ?`,
    )
    .raw();
  const place = sqlite.prepare<[string, string, string], { sentAt: number; turn: number }>(
    `SELECT sent_at AS sentAt, turn FROM messages ${BY_ID}`,
  );
  const removeBefore = sqlite.prepare<[string, string, string, string, number, number]>(
    `DELETE FROM messages ${OF_ROOM} AND (sent_at, turn) IN
       (SELECT sent_at, turn FROM messages ${OF_ROOM} AND sent_at < ? ORDER BY sent_at, turn LIMIT ?)`,
  );
  const newestFirst = (
    clientId: string,
    chatRoomId: string,
    limit: number,
    beforeId?: string,
  ): Column[][] => {
    if (beforeId === undefined) return newest.all(clientId, chatRoomId, limit);
    const at = place.get(clientId, chatRoomId, beforeId);
    return at ? before.all(clientId, chatRoomId, at.sentAt, at.turn, limit) : [];
  };

  return {
    /** False if there is a message with that id. */
    insert: (clientId: string, message: HistoryMessage, place: Place): boolean =>
      insert[place].run(named(clientId, message)).changes > 0,
    find(clientId: string, chatRoomId: string, messageId: string): HistoryMessage | undefined {
      const row = ofId.get(clientId, chatRoomId, messageId);
      return row && read(row);
    },
    /** Replaces a message but not its position in the room; false if there is none. */
    replace: (clientId: string, message: HistoryMessage): boolean =>
      replace.run(named(clientId, message)).changes > 0,
    remove: (clientId: string, chatRoomId: string, messageId: string): boolean =>
      remove.run(clientId, chatRoomId, messageId).changes > 0,
    /** The newest message that is no vote. */
    newest(clientId: string, chatRoomId: string): HistoryMessage | undefined {
      const row = newestShown.get(clientId, chatRoomId);
      return row && read(row);
    },
    /** Messages from others in a room, without votes, counted up to `limit`. */
    countOthers: (clientId: string, chatRoomId: string, limit: number): number =>
      others.get(clientId, chatRoomId, limit) ?? 0,
    /** The oldest messages of a room, oldest first. */
    oldest: (clientId: string, chatRoomId: string, limit: number): HistoryMessage[] =>
      oldest.all(clientId, chatRoomId, limit).map(read),
    /** Oldest first. */
    page(
      clientId: string,
      chatRoomId: string,
      { limit, before: beforeId }: { limit: number; before?: string },
    ): HistoryMessage[] {
      return newestFirst(clientId, chatRoomId, Math.max(limit, 0), beforeId).reverse().map(read);
    },
    /** Deletes up to `limit` messages of a room that were sent before that time; returns the count. */
    removeBefore: (clientId: string, chatRoomId: string, sentBefore: number, limit: number): number =>
      removeBefore.run(clientId, chatRoomId, clientId, chatRoomId, sentBefore, limit).changes,
  };
}

/** Rows that one statement deletes: SQLite blocks the whole process. */
const STATUSES_AT_ONCE = 500;

/** Statuses of own messages in the table `message_status`. */
export function sqliteMessageStatus({ sqlite, run, write }: OpenDatabase) {
  const advance = sqlite.prepare<{ clientId: string; messageId: string; rank: number; at: number }>(
    `INSERT INTO message_status (client_id, message_id, rank, at) VALUES (@clientId, @messageId, @rank, @at)
     ON CONFLICT DO UPDATE SET rank = excluded.rank, at = excluded.at WHERE excluded.rank > rank`,
  );
  const select = sqlite
    .prepare<[string, string], [messageId: string, rank: number]>(
      `SELECT message_id, rank FROM message_status
       WHERE client_id = ? AND message_id IN (SELECT value FROM json_each(?))`,
    )
    .raw();
  const prune = sqlite.prepare<[number]>(`DELETE FROM message_status WHERE at < ? LIMIT ${STATUSES_AT_ONCE}`);
  const pruneSession = sqlite.prepare<[number, string]>(
    `DELETE FROM message_status WHERE at < ? AND client_id = ? LIMIT ${STATUSES_AT_ONCE}`,
  );

  return {
    async advance(clientId: string, { messageId, status, at }: MessageProgress): Promise<boolean> {
      const rank = MESSAGE_STATUSES.indexOf(status);
      return write(() => advance.run({ clientId, messageId, rank, at }).changes > 0);
    },
    async statuses(clientId: string, messageIds: readonly string[]): Promise<Map<string, MessageStatus>> {
      const rows = run(() => select.all(clientId, JSON.stringify(messageIds)));
      return new Map(
        rows.flatMap(([messageId, rank]) => {
          const status = MESSAGE_STATUSES[rank];
          return status ? [[messageId, status]] : [];
        }),
      );
    },
    /** Deletes statuses from before that time, of one session or of all. */
    async pruneStatuses(before: number, clientId?: string): Promise<void> {
      const some = () =>
        (clientId === undefined ? prune.run(before) : pruneSession.run(before, clientId)).changes;
      while (run(some) === STATUSES_AT_ONCE) await setImmediate();
    },
  };
}

/** Traces of messages in the table `traces`. */
export function sqliteTraces({ sqlite, run, write, inTransaction }: OpenDatabase): TraceStore {
  const { columns, into, read, values } = tableOf(TRACES);
  const insert = sqlite.prepare<[Column[]]>(`INSERT ${into} ON CONFLICT DO NOTHING`);
  const select = sqlite
    .prepare<[string, string], Column[]>(
      `SELECT ${columns} FROM traces WHERE client_id = ? AND message_id = ?`,
    )
    .raw();
  // GLOB repeats the condition of the index `traces_pn`, so that SQLite uses it
  const rekey = sqlite.prepare<{ clientId: string; pn: string; lid: string }>(
    `UPDATE traces SET chat = @lid, author_lid = CASE WHEN author_pn = @pn AND author_lid = '' THEN @lid ELSE author_lid END
     WHERE client_id = @clientId AND chat = @pn AND chat GLOB '*@s.whatsapp.net'`,
  );
  const first = sqlite
    .prepare<[string, string, number], number | null>(
      'SELECT min(sent_at) FROM traces WHERE client_id = ? AND chat = ? AND from_me = ?',
    )
    .pluck();
  const prune = sqlite.prepare<[number]>('DELETE FROM traces WHERE sent_at < ?');

  return {
    async add(clientId, trace) {
      await write(() => insert.run(values(clientId, trace)));
    },
    async get(clientId, messageId) {
      const row = run(() => select.get(clientId, messageId));
      return row && read(row);
    },
    async conversation(clientId, chat) {
      const [wroteAt, ownAt] = [0, 1].map(
        (fromMe) => run(() => first.get(clientId, chat, fromMe)) ?? undefined,
      );
      return conversationOf(ownAt, wroteAt);
    },
    async rekey(clientId, pn, lid) {
      // what is noted before is moved too
      inTransaction(() => rekey.run({ clientId, pn, lid }));
    },
    async prune(sentBefore) {
      return run(() => prune.run(sentBefore).changes);
    },
  };
}
