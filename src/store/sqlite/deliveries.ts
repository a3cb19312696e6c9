import type { FailedDelivery, FailedDeliveryStore, WaitingDelivery, WaitingDeliveryStore } from '../store.js';
import type { OpenDatabase } from './database.js';

const SELECT = `SELECT id, client_id AS clientId, url, type, message_id AS messageId, body, reason, attempts,
  failed_at AS failedAt FROM failed_deliveries`;
const NEWEST_FIRST = 'ORDER BY failed_at DESC, id DESC';
const IS_OLDER = '(failed_at, id) < (?, ?)';
/** Sorts before every delivery. */
const END_OF_TIME = { failedAt: Number.MAX_SAFE_INTEGER, id: '' };

/** Failed deliveries in the table `failed_deliveries`. */
export function sqliteFailedDeliveries({ sqlite, run, inTransaction }: OpenDatabase): FailedDeliveryStore {
  const put = sqlite.prepare<FailedDelivery>(
    `REPLACE INTO failed_deliveries (id, client_id, url, type, message_id, body, reason, attempts, failed_at)
     VALUES (@id, @clientId, @url, @type, @messageId, @body, @reason, @attempts, @failedAt)`,
  );
  const dropOldest = sqlite.prepare<[string, number]>(
    `DELETE FROM failed_deliveries WHERE id IN
       (SELECT id FROM failed_deliveries WHERE client_id = ? ${NEWEST_FIRST} LIMIT -1 OFFSET ?)`,
  );
  const select = sqlite.prepare<[string], FailedDelivery>(`${SELECT} WHERE id = ?`);
  const listAll = sqlite.prepare<[number, string, number], FailedDelivery>(
    `${SELECT} WHERE ${IS_OLDER} ${NEWEST_FIRST} LIMIT ?`,
  );
  const listOne = sqlite.prepare<[string, number, string, number], FailedDelivery>(
    `${SELECT} WHERE client_id = ? AND ${IS_OLDER} ${NEWEST_FIRST} LIMIT ?`,
  );
  const countAll = sqlite
    .prepare<[], [clientId: string, count: number]>(
      'SELECT client_id, COUNT(*) FROM failed_deliveries GROUP BY client_id',
    )
    .raw();
  const countOne = sqlite
    .prepare<[string], [clientId: string, count: number]>(
      'SELECT client_id, COUNT(*) FROM failed_deliveries WHERE client_id = ? GROUP BY client_id',
    )
    .raw();
  const remove = sqlite.prepare<[string]>('DELETE FROM failed_deliveries WHERE id = ?');
  const prune = sqlite.prepare<[number]>('DELETE FROM failed_deliveries WHERE failed_at < ?');

  return {
    async add(delivery, keep) {
      inTransaction(() => {
        put.run(delivery);
        dropOldest.run(delivery.clientId, keep);
      });
    },
    async list({ clientId, limit, before = END_OF_TIME }) {
      const { failedAt, id } = before;
      return run(() => {
        if (clientId === undefined) return listAll.all(failedAt, id, limit);
        return listOne.all(clientId, failedAt, id, limit);
      });
    },
    async get(id) {
      return run(() => select.get(id));
    },
    async counts(clientId) {
      return new Map(run(() => (clientId === undefined ? countAll.all() : countOne.all(clientId))));
    },
    async remove(id) {
      run(() => remove.run(id));
    },
    async prune(failedBefore) {
      return run(() => prune.run(failedBefore).changes);
    },
  };
}

const WAITING = 'id, client_id AS clientId, chat, type, message_id AS messageId, size, attempts, since';

/** Waiting deliveries in the table `waiting_deliveries`. */
export function sqliteWaitingDeliveries({ sqlite, run }: OpenDatabase): WaitingDeliveryStore {
  const insert = sqlite.prepare<WaitingDelivery>(
    `INSERT OR IGNORE INTO waiting_deliveries (id, client_id, chat, type, message_id, size, attempts, since, body)
     VALUES (@id, @clientId, @chat, @type, @messageId, @size, @attempts, @since, @body)`,
  );
  const list = sqlite.prepare<[string], Omit<WaitingDelivery, 'body'>>(
    `SELECT ${WAITING} FROM waiting_deliveries WHERE client_id = ? ORDER BY since, id`,
  );
  const select = sqlite.prepare<[string], WaitingDelivery>(
    `SELECT ${WAITING}, body FROM waiting_deliveries WHERE id = ?`,
  );
  const note = sqlite.prepare<[number, string, string]>(
    'UPDATE waiting_deliveries SET attempts = ? WHERE client_id = ? AND id = ?',
  );
  const remove = sqlite.prepare<[string]>('DELETE FROM waiting_deliveries WHERE id = ?');

  return {
    async add(delivery) {
      run(() => insert.run(delivery));
    },
    async list(clientId) {
      return run(() => list.all(clientId));
    },
    async get(id) {
      return run(() => select.get(id));
    },
    async noteAttempts(clientId, id, attempts) {
      run(() => note.run(attempts, clientId, id));
    },
    async remove(id) {
      run(() => remove.run(id));
    },
  };
}
