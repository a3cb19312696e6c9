import type { IdempotencyRecord, IdempotencyStore } from '../store.js';
import type { OpenDatabase } from './database.js';

/** Idempotency keys in the table `idempotency`. */
export function sqliteIdempotency({ sqlite, run, inTransaction }: OpenDatabase): IdempotencyStore {
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
      return inTransaction(() => {
        const known = select.get(clientId, record.key);
        if (known) return known;
        insert.run({ ...record, clientId });
        return { ...record };
      });
    },
    async answer(clientId, key, text) {
      run(() => answer.run(text, clientId, key));
    },
    async prune(createdBefore) {
      return run(() => prune.run(createdBefore).changes);
    },
  };
}
