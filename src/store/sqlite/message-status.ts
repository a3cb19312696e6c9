import { setImmediate } from 'node:timers/promises';
import { MESSAGE_STATUSES } from '../../domain/message-status.js';
import type { HistoryStore } from '../store.js';
import type { OpenDatabase } from './database.js';

/** Rows that are deleted in one step: deleting blocks the whole process. */
const PRUNED_AT_ONCE = 500;

interface Row {
  messageId: string;
  rank: number;
}

/** How far own messages have come. */
export interface SqliteMessageStatus extends Pick<HistoryStore, 'advance' | 'statuses'> {
  /** Deletes what was noted before that time. */
  pruneStatuses(before: number): Promise<void>;
}

/** How far own messages have come, in the table `message_status`. */
export function sqliteMessageStatus({ sqlite, run }: OpenDatabase): SqliteMessageStatus {
  const advance = sqlite.prepare<Row & { clientId: string; at: number }>(
    `INSERT INTO message_status (client_id, message_id, rank, at) VALUES (@clientId, @messageId, @rank, @at)
     ON CONFLICT DO UPDATE SET rank = excluded.rank, at = excluded.at WHERE excluded.rank > rank`,
  );
  const select = sqlite.prepare<[string, string], Row>(
    `SELECT message_id AS messageId, rank FROM message_status
     WHERE client_id = ? AND message_id IN (SELECT value FROM json_each(?))`,
  );
  const prune = sqlite.prepare<[number]>(`DELETE FROM message_status WHERE at < ? LIMIT ${PRUNED_AT_ONCE}`);

  return {
    async advance(clientId, { messageId, status, at }) {
      const rank = MESSAGE_STATUSES.indexOf(status);
      return run(() => advance.run({ clientId, messageId, rank, at }).changes > 0);
    },
    async statuses(clientId, messageIds) {
      const rows = run(() => select.all(clientId, JSON.stringify(messageIds)));
      return new Map(
        rows.flatMap(({ messageId, rank }) => {
          const status = MESSAGE_STATUSES[rank];
          return status ? [[messageId, status]] : [];
        }),
      );
    },
    async pruneStatuses(before) {
      while (run(() => prune.run(before).changes) === PRUNED_AT_ONCE) await setImmediate();
    },
  };
}
