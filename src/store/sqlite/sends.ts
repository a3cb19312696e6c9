import type { SendStore, SentRecord } from '../store.js';
import type { OpenDatabase } from './database.js';

type Row = Omit<SentRecord, 'acknowledged' | 'closed'> & { acknowledged: number; closed: number };

const FIELDS =
  'message_id AS messageId, recipient AS "to", content, meta_data AS metaData, sent_at AS sentAt, acknowledged, closed';

/** Own messages in the table `sends`. */
export function sqliteSends({ sqlite, run }: OpenDatabase): SendStore {
  const put = sqlite.prepare<Row & { clientId: string }>(
    `REPLACE INTO sends (client_id, message_id, recipient, content, meta_data, sent_at, acknowledged, closed)
     VALUES (@clientId, @messageId, @to, @content, @metaData, @sentAt, @acknowledged, @closed)`,
  );
  const select = sqlite.prepare<[string, string], Row>(
    `SELECT ${FIELDS} FROM sends WHERE client_id = ? AND message_id = ?`,
  );
  const selectOpen = sqlite.prepare<[string], Row>(
    `SELECT ${FIELDS} FROM sends WHERE client_id = ? AND closed = 0 ORDER BY sent_at, rowid`,
  );
  const acknowledge = sqlite.prepare<[string, string]>(
    'UPDATE sends SET acknowledged = 1 WHERE client_id = ? AND message_id = ?',
  );
  const close = sqlite.prepare<[string, string]>(
    'UPDATE sends SET closed = 1 WHERE client_id = ? AND message_id = ?',
  );
  const prune = sqlite.prepare<[number]>('DELETE FROM sends WHERE sent_at < ?');

  return {
    async put(clientId, record) {
      const { acknowledged, closed } = record;
      run(() => put.run({ ...record, clientId, acknowledged: Number(acknowledged), closed: Number(closed) }));
    },
    async get(clientId, messageId) {
      const row = run(() => select.get(clientId, messageId));
      return row && toRecord(row);
    },
    async acknowledge(clientId, messageId) {
      run(() => acknowledge.run(clientId, messageId));
    },
    async open(clientId) {
      return run(() => selectOpen.all(clientId)).map(toRecord);
    },
    async close(clientId, messageId) {
      run(() => close.run(clientId, messageId));
    },
    async prune(sentBefore) {
      return run(() => prune.run(sentBefore).changes);
    },
  };
}

function toRecord(row: Row): SentRecord {
  return { ...row, acknowledged: row.acknowledged === 1, closed: row.closed === 1 };
}
