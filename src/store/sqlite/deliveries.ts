import { WEBHOOK_ID } from '../../domain/ids.js';
import type { FailedDelivery, FailedDeliveryStore, WaitingDelivery, WaitingDeliveryStore } from '../store.js';
import type { OpenDatabase } from './database.js';

const SELECT = `SELECT id, client_id AS clientId, receiver, url, type, message_id AS messageId, body, reason, attempts,
  failed_at AS failedAt FROM failed_deliveries`;
const NEWEST_FIRST = 'ORDER BY failed_at DESC, id DESC';
const IS_OLDER = '(failed_at, id) < (?, ?)';
const OF_RECEIVER = `coalesce(receiver, '${WEBHOOK_ID}') = ?`;
/** Sorts before every delivery. */
const END_OF_TIME = { failedAt: Number.MAX_SAFE_INTEGER, id: '' };

/** A record as it is stored: null stands for the webhook. */
type Stored<R extends { receiver?: string }> = Omit<R, 'receiver'> & { receiver: string | null };

/** Failed deliveries in the table `failed_deliveries`. */
export function sqliteFailedDeliveries({ sqlite, run, inTransaction }: OpenDatabase): FailedDeliveryStore {
  const put = sqlite.prepare<Stored<FailedDelivery>>(
    `REPLACE INTO failed_deliveries (id, client_id, receiver, url, type, message_id, body, reason, attempts, failed_at)
     VALUES (@id, @clientId, @receiver, @url, @type, @messageId, @body, @reason, @attempts, @failedAt)`,
  );
  const dropOldest = sqlite.prepare<[string, string, number]>(
    `DELETE FROM failed_deliveries WHERE id IN
       (SELECT id FROM failed_deliveries WHERE client_id = ? AND ${OF_RECEIVER} ${NEWEST_FIRST} LIMIT -1 OFFSET ?)`,
  );
  const select = sqlite.prepare<[string], Stored<FailedDelivery>>(`${SELECT} WHERE id = ?`);
  const listAll = sqlite.prepare<[number, string, number], Stored<FailedDelivery>>(
    `${SELECT} WHERE ${IS_OLDER} ${NEWEST_FIRST} LIMIT ?`,
  );
  const listOne = sqlite.prepare<[string, number, string, number], Stored<FailedDelivery>>(
    `${SELECT} WHERE client_id = ? AND ${IS_OLDER} ${NEWEST_FIRST} LIMIT ?`,
  );
  const listOfReceiver = sqlite.prepare<[string, string, number, string, number], Stored<FailedDelivery>>(
    `${SELECT} WHERE client_id = ? AND ${OF_RECEIVER} AND ${IS_OLDER} ${NEWEST_FIRST} LIMIT ?`,
  );
  const countEach = sqlite
    .prepare<[string], [receiver: string, count: number]>(
      `SELECT coalesce(receiver, '${WEBHOOK_ID}') AS named, COUNT(*) FROM failed_deliveries
       WHERE client_id = ? GROUP BY named`,
    )
    .raw();
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
  const removeOf = sqlite.prepare<[string, string]>(
    `DELETE FROM failed_deliveries WHERE client_id = ? AND ${OF_RECEIVER}`,
  );
  const prune = sqlite.prepare<[number]>('DELETE FROM failed_deliveries WHERE failed_at < ?');

  return {
    async add(delivery, keep) {
      inTransaction(() => {
        put.run(toStored(delivery));
        dropOldest.run(delivery.clientId, delivery.receiver ?? WEBHOOK_ID, keep);
      });
    },
    async list({ clientId, receiver, limit, before = END_OF_TIME }) {
      const { failedAt, id } = before;
      const found = run(() => {
        if (clientId === undefined) return listAll.all(failedAt, id, limit);
        if (receiver === undefined) return listOne.all(clientId, failedAt, id, limit);
        return listOfReceiver.all(clientId, receiver, failedAt, id, limit);
      });
      return found.map(fromStored);
    },
    async get(id) {
      const found = run(() => select.get(id));
      return found && fromStored(found);
    },
    async counts(clientId) {
      return new Map(run(() => (clientId === undefined ? countAll.all() : countOne.all(clientId))));
    },
    async countsOf(clientId) {
      return new Map(run(() => countEach.all(clientId)));
    },
    async remove(id) {
      run(() => remove.run(id));
    },
    async removeOf(clientId, receiver) {
      run(() => removeOf.run(clientId, receiver));
    },
    async prune(failedBefore) {
      return run(() => prune.run(failedBefore).changes);
    },
  };
}

const WAITING =
  'id, client_id AS clientId, receiver, chat, type, message_id AS messageId, size, attempts, since';

/** Waiting deliveries in the table `waiting_deliveries`. */
export function sqliteWaitingDeliveries({ sqlite, run }: OpenDatabase): WaitingDeliveryStore {
  const insert = sqlite.prepare<Stored<WaitingDelivery>>(
    `INSERT OR IGNORE INTO waiting_deliveries
       (id, client_id, receiver, chat, type, message_id, size, attempts, since, body)
     VALUES (@id, @clientId, @receiver, @chat, @type, @messageId, @size, @attempts, @since, @body)`,
  );
  const list = sqlite.prepare<[string], Stored<Omit<WaitingDelivery, 'body'>>>(
    `SELECT ${WAITING} FROM waiting_deliveries WHERE client_id = ? ORDER BY since, id`,
  );
  const select = sqlite.prepare<[string], Stored<WaitingDelivery>>(
    `SELECT ${WAITING}, body FROM waiting_deliveries WHERE id = ?`,
  );
  const note = sqlite.prepare<[number, string, string]>(
    'UPDATE waiting_deliveries SET attempts = ? WHERE client_id = ? AND id = ?',
  );
  const remove = sqlite.prepare<[string]>('DELETE FROM waiting_deliveries WHERE id = ?');

  return {
    async add(delivery) {
      run(() => insert.run(toStored(delivery)));
    },
    async list(clientId) {
      return run(() => list.all(clientId)).map(fromStored);
    },
    async get(id) {
      const found = run(() => select.get(id));
      return found && fromStored(found);
    },
    async noteAttempts(clientId, id, attempts) {
      run(() => note.run(attempts, clientId, id));
    },
    async remove(id) {
      run(() => remove.run(id));
    },
  };
}

function toStored<R extends { receiver?: string }>(record: R): R & { receiver: string | null } {
  return { ...record, receiver: record.receiver ?? null };
}

function fromStored<R extends { receiver: string | null }>({ receiver, ...record }: R) {
  return receiver === null ? record : { ...record, receiver };
}
