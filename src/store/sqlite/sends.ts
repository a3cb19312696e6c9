import { weightOf } from '../port/sends.js';
import type { HeldRecord, IdempotencyRecord, IdempotencyStore, SendStore, SentRecord } from '../store.js';
import type { OpenDatabase } from './database.js';

type SendRow = Omit<
  SentRecord,
  'fileName' | 'counted' | 'textHash' | 'acknowledged' | 'closed' | 'held' | 'trace'
> & {
  fileName: string | null;
  counted: string | null;
  textHash: string | null;
  held: string | null;
  trace: string | null;
  acknowledged: number;
  closed: number;
};

const SEND_FIELDS = `message_id AS messageId, recipient AS "to", content, meta_data AS metaData, file_name AS fileName,
  counted, text_hash AS textHash, sent_at AS sentAt, acknowledged, closed, held, trace`;

/** SQLite takes a negative limit for none. */
const NO_LIMIT = -1;

/** Own messages in the table `sends`. */
export function sqliteSends({ sqlite, run, write }: OpenDatabase): SendStore {
  const put = sqlite.prepare<SendRow & { clientId: string }>(
    `REPLACE INTO sends (client_id, message_id, recipient, content, meta_data, file_name, counted, text_hash,
       sent_at, acknowledged, closed, held, trace)
     VALUES (@clientId, @messageId, @to, @content, @metaData, @fileName, @counted, @textHash, @sentAt,
       @acknowledged, @closed, @held, @trace)`,
  );
  const select = sqlite.prepare<[string, string], SendRow>(
    `SELECT ${SEND_FIELDS} FROM sends WHERE client_id = ? AND message_id = ?`,
  );
  const selectOpen = sqlite.prepare<[string], SendRow>(
    `SELECT ${SEND_FIELDS} FROM sends WHERE client_id = ? AND closed = 0 ORDER BY sent_at, rowid`,
  );
  const selectHeld = sqlite.prepare<[string, number, string, number], HeldRecord>(
    `SELECT message_id AS messageId, recipient AS "to", sent_at AS sentAt, held FROM sends
     WHERE client_id = ? AND held IS NOT NULL AND (sent_at, message_id) > (?, ?)
     ORDER BY sent_at, message_id LIMIT ?`,
  );
  const reopen = sqlite.prepare<[string, string]>(
    `UPDATE sends SET acknowledged = 1, closed = 0
     WHERE client_id = ? AND message_id = ? AND acknowledged = 0 AND closed = 1`,
  );
  const acknowledge = sqlite.prepare<[string, string]>(
    `UPDATE sends SET acknowledged = 1
     WHERE client_id = ? AND message_id = ? AND acknowledged = 0 AND closed = 0`,
  );
  const finish = sqlite.prepare<[string, string]>(
    'UPDATE sends SET acknowledged = 1, closed = 1, held = NULL WHERE client_id = ? AND message_id = ?',
  );
  const close = sqlite.prepare<[string, string]>(
    'UPDATE sends SET closed = 1 WHERE client_id = ? AND message_id = ?',
  );
  const past = sqlite.prepare<
    [string, number, number],
    Pick<SendRow, 'to' | 'sentAt' | 'counted' | 'textHash'>
  >(
    `SELECT recipient AS "to", sent_at AS sentAt, counted, text_hash AS textHash FROM sends
     WHERE client_id = ? AND sent_at > ? ORDER BY sent_at LIMIT ?`,
  );
  const prune = sqlite.prepare<[number]>('DELETE FROM sends WHERE sent_at < ? AND held IS NULL');

  return {
    async put(clientId, record) {
      const { counted = null, textHash = null, held = null, trace = null, acknowledged, closed } = record;
      const flags = { acknowledged: Number(acknowledged), closed: Number(closed) };
      await write(() => put.run({ ...record, clientId, counted, textHash, held, trace, ...flags }));
    },
    async get(clientId, messageId) {
      const row = run(() => select.get(clientId, messageId));
      return row && toSent(row);
    },
    async acknowledge(clientId, messageId) {
      return write(() => {
        // most records are open
        if (acknowledge.run(clientId, messageId).changes > 0) return false;
        return reopen.run(clientId, messageId).changes > 0;
      });
    },
    async open(clientId) {
      return run(() => selectOpen.all(clientId)).map(toSent);
    },
    async held(clientId, limit, { sentAt, messageId } = { sentAt: -1, messageId: '' }) {
      return run(() => selectHeld.all(clientId, sentAt, messageId, limit));
    },
    async past(clientId, sentAfter, limit = NO_LIMIT) {
      return run(() => past.all(clientId, sentAfter, limit)).map(({ counted, textHash, ...send }) => ({
        ...send,
        ...weightOf(counted),
        ...(textHash !== null && { textHash }),
      }));
    },
    async close(clientId, messageId) {
      await write(() => close.run(clientId, messageId));
    },
    async finish(clientId, messageId) {
      await write(() => finish.run(clientId, messageId));
    },
    async prune(sentBefore) {
      return run(() => prune.run(sentBefore).changes);
    },
  };
}

function toSent({ counted, textHash, held, trace, ...row }: SendRow): SentRecord {
  return {
    ...row,
    ...weightOf(counted),
    ...(textHash !== null && { textHash }),
    ...(held !== null && { held }),
    ...(trace !== null && { trace }),
    fileName: row.fileName ?? '',
    acknowledged: row.acknowledged === 1,
    closed: row.closed === 1,
  };
}

/** Idempotency keys in the table `idempotency`. */
export function sqliteIdempotency({ sqlite, run, write }: OpenDatabase): IdempotencyStore {
  const select = sqlite.prepare<[string, string], IdempotencyRecord>(
    `SELECT key, fingerprint, message_id AS messageId, answer, created_at AS createdAt
     FROM idempotency WHERE client_id = ? AND key = ?`,
  );
  const insert = sqlite.prepare<IdempotencyRecord & { clientId: string }>(
    `INSERT INTO idempotency (client_id, key, fingerprint, message_id, answer, created_at)
     VALUES (@clientId, @key, @fingerprint, @messageId, @answer, @createdAt)`,
  );
  const answer = sqlite.prepare<[string, string, string]>(
    'UPDATE idempotency SET answer = ? WHERE client_id = ? AND key = ?',
  );
  const prune = sqlite.prepare<[number]>('DELETE FROM idempotency WHERE created_at < ?');

  return {
    async claim(clientId, record) {
      return write(() => {
        const known = select.get(clientId, record.key);
        if (known) return known;
        insert.run({ ...record, clientId });
        return { ...record };
      });
    },
    async answer(clientId, key, text) {
      await write(() => answer.run(text, clientId, key));
    },
    async prune(createdBefore) {
      return run(() => prune.run(createdBefore).changes);
    },
  };
}
