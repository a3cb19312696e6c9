import { HELD_SENDS, IDEMPOTENCY, PAST_SENDS, SENDS } from '../port/sends.js';
import type { IdempotencyStore, SendStore } from '../store.js';
import type { OpenDatabase } from './database.js';
import { type Column, tableOf } from './table.js';

/** SQLite takes a negative limit for none. */
const NO_LIMIT = -1;

/** Own messages in the table `sends`. */
export function sqliteSends({ sqlite, run, write }: OpenDatabase): SendStore {
  const { columns, into, read, values } = tableOf(SENDS);
  const ofPast = tableOf(PAST_SENDS);
  const ofHeld = tableOf(HELD_SENDS);
  const put = sqlite.prepare<[Column[]]>(`REPLACE ${into}`);
  const select = sqlite
    .prepare<[string, string], Column[]>(
      `SELECT ${columns} FROM sends WHERE client_id = ? AND message_id = ?`,
    )
    .raw();
  const selectOpen = sqlite
    .prepare<[string], Column[]>(
      `SELECT ${columns} FROM sends WHERE client_id = ? AND closed = 0 ORDER BY sent_at, rowid`,
    )
    .raw();
  const selectHeld = sqlite
    .prepare<[string, number, string, number], Column[]>(
      `SELECT ${ofHeld.columns} FROM sends
     WHERE client_id = ? AND held IS NOT NULL AND (sent_at, message_id) > (?, ?)
     ORDER BY sent_at, message_id LIMIT ?`,
    )
    .raw();
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
  const past = sqlite
    .prepare<[string, number, number], Column[]>(
      `SELECT ${ofPast.columns} FROM sends WHERE client_id = ? AND sent_at > ? ORDER BY sent_at LIMIT ?`,
    )
    .raw();
  const prune = sqlite.prepare<[number]>('DELETE FROM sends WHERE sent_at < ? AND held IS NULL');

  return {
    async put(clientId, record) {
      await write(() => put.run(values(clientId, record)));
    },
    async get(clientId, messageId) {
      const row = run(() => select.get(clientId, messageId));
      return row && read(row);
    },
    async acknowledge(clientId, messageId) {
      return write(() => {
        // most records are open
        if (acknowledge.run(clientId, messageId).changes > 0) return false;
        return reopen.run(clientId, messageId).changes > 0;
      });
    },
    async open(clientId) {
      return run(() => selectOpen.all(clientId)).map(read);
    },
    async held(clientId, limit, { sentAt, messageId } = { sentAt: -1, messageId: '' }) {
      return run(() => selectHeld.all(clientId, sentAt, messageId, limit)).map(ofHeld.read);
    },
    async past(clientId, sentAfter, limit = NO_LIMIT) {
      return run(() => past.all(clientId, sentAfter, limit)).map(ofPast.read);
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

/** Idempotency keys in the table `idempotency`. */
export function sqliteIdempotency({ sqlite, run, write }: OpenDatabase): IdempotencyStore {
  const { columns, into, read, values } = tableOf(IDEMPOTENCY);
  const select = sqlite
    .prepare<[string, string], Column[]>(`SELECT ${columns} FROM idempotency WHERE client_id = ? AND key = ?`)
    .raw();
  const insert = sqlite.prepare<[Column[]]>(`INSERT ${into}`);
  const answer = sqlite.prepare<[string, string, string]>(
    'UPDATE idempotency SET answer = ? WHERE client_id = ? AND key = ?',
  );
  const prune = sqlite.prepare<[number]>('DELETE FROM idempotency WHERE created_at < ?');

  return {
    async claim(clientId, record) {
      return write(() => {
        const known = select.get(clientId, record.key);
        if (known) return read(known);
        insert.run(values(clientId, record));
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
