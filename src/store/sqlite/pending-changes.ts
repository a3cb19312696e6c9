import type { HistoryStore, PendingChange } from '../store.js';
import type { OpenDatabase } from './database.js';

type Row = Omit<PendingChange, 'change'> & { change: string };
type PendingChanges = Pick<
  HistoryStore,
  'addPending' | 'pending' | 'pendingTargets' | 'removePending' | 'prunePending'
>;

const OF_TARGET = 'WHERE client_id = ? AND chat_room_id = ? AND target_id = ?';

/** Changes that wait for their message, in the table `pending_changes`. */
export function sqlitePendingChanges({ sqlite, run }: OpenDatabase): PendingChanges {
  const insert = sqlite.prepare<Row & { clientId: string }>(
    `INSERT INTO pending_changes (client_id, chat_room_id, target_id, message_id, change, at)
     VALUES (@clientId, @chatRoomId, @targetId, @messageId, @change, @at) ON CONFLICT DO NOTHING`,
  );
  const select = sqlite.prepare<[string, string, string], Row>(
    `SELECT target_id AS targetId, chat_room_id AS chatRoomId, message_id AS messageId, change, at
     FROM pending_changes ${OF_TARGET} ORDER BY at, rowid`,
  );
  const targets = sqlite
    .prepare<[string, string], string>(
      'SELECT DISTINCT target_id FROM pending_changes WHERE client_id = ? AND chat_room_id = ?',
    )
    .pluck();
  const remove = sqlite.prepare<[string, string, string]>(`DELETE FROM pending_changes ${OF_TARGET}`);
  const prune = sqlite.prepare<[number]>('DELETE FROM pending_changes WHERE at < ?');

  return {
    async addPending(clientId, pending) {
      const change = JSON.stringify(pending.change);
      run(() => insert.run({ ...pending, clientId, change }));
    },
    async pending(clientId, chatRoomId, targetId) {
      const rows = run(() => select.all(clientId, chatRoomId, targetId));
      return rows.map((row) => ({ ...row, change: JSON.parse(row.change) }));
    },
    async pendingTargets(clientId, chatRoomId) {
      return run(() => targets.all(clientId, chatRoomId));
    },
    async removePending(clientId, chatRoomId, targetId) {
      run(() => remove.run(clientId, chatRoomId, targetId));
    },
    async prunePending(before) {
      return run(() => prune.run(before).changes);
    },
  };
}
