import type { SendStore, SentRecord } from '../store.js';
import type { OpenDatabase } from './database.js';

type Row = Omit<SentRecord, 'acknowledged'> & { acknowledged: number };

/** Own messages in the table `sends`. */
export function sqliteSends({ sqlite, run }: OpenDatabase): SendStore {
  const put = sqlite.prepare<Row & { clientId: string }>(
    `REPLACE INTO sends (client_id, message_id, recipient, content, meta_data, sent_at, acknowledged)
     VALUES (@clientId, @messageId, @to, @content, @metaData, @sentAt, @acknowledged)`,
  );
  const select = sqlite.prepare<[string, string], Row>(
    `SELECT message_id AS messageId, recipient AS "to", content, meta_data AS metaData, sent_at AS sentAt,
            acknowledged
     FROM sends WHERE client_id = ? AND message_id = ?`,
  );
  const acknowledge = sqlite.prepare<[string, string]>(
    'UPDATE sends SET acknowledged = 1 WHERE client_id = ? AND message_id = ?',
  );
  const prune = sqlite.prepare<[number]>('DELETE FROM sends WHERE sent_at < ?');

  return {
    async put(clientId, record) {
      run(() => put.run({ ...record, clientId, acknowledged: record.acknowledged ? 1 : 0 }));
    },
    async get(clientId, messageId) {
      const row = run(() => select.get(clientId, messageId));
      return row && { ...row, acknowledged: row.acknowledged === 1 };
    },
    async acknowledge(clientId, messageId) {
      run(() => acknowledge.run(clientId, messageId));
    },
    async prune(sentBefore) {
      return run(() => prune.run(sentBefore).changes);
    },
  };
}
