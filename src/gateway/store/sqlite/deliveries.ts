import { WEBHOOK_ID } from '../../../domain/ids.js';
import { FAILED_DELIVERIES, WAITING_DELIVERIES, WAITING_IN_BRIEF } from '../port/deliveries.js';
import type { FailedDeliveryStore, WaitingDeliveryStore } from '../store.js';
import type { OpenDatabase } from './database.js';
import { type Column, tableOf } from './table.js';

const NEWEST_FIRST = 'ORDER BY failed_at DESC, id DESC';
const IS_OLDER = '(failed_at, id) < (?, ?)';
const OF_RECEIVER = `coalesce(receiver, '${WEBHOOK_ID}') = ?`;
/** Sorts before every delivery. */
const END_OF_TIME = { failedAt: Number.MAX_SAFE_INTEGER, id: '' };

/** Failed deliveries in the table `failed_deliveries`. */
export function sqliteFailedDeliveries({ sqlite, run, inTransaction }: OpenDatabase): FailedDeliveryStore {
  const { columns, into, read, values } = tableOf(FAILED_DELIVERIES);
  const selecting = `SELECT ${columns} FROM failed_deliveries`;
  const put = sqlite.prepare<[Column[]]>(`REPLACE ${into}`);
  const dropOldest = sqlite.prepare<[string, string, number]>(
    `DELETE FROM failed_deliveries WHERE id IN
       (SELECT id FROM failed_deliveries WHERE client_id = ? AND ${OF_RECEIVER} ${NEWEST_FIRST} LIMIT -1 OFFSET ?)`,
  );
  const select = sqlite.prepare<[string], Column[]>(`${selecting} WHERE id = ?`).raw();
  const listAll = sqlite
    .prepare<[number, string, number], Column[]>(`${selecting} WHERE ${IS_OLDER} ${NEWEST_FIRST} LIMIT ?`)
    .raw();
  const listOne = sqlite
    .prepare<[string, number, string, number], Column[]>(
      `${selecting} WHERE client_id = ? AND ${IS_OLDER} ${NEWEST_FIRST} LIMIT ?`,
    )
    .raw();
  const listOfReceiver = sqlite
    .prepare<[string, string, number, string, number], Column[]>(
      `${selecting} WHERE client_id = ? AND ${OF_RECEIVER} AND ${IS_OLDER} ${NEWEST_FIRST} LIMIT ?`,
    )
    .raw();
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
        put.run(values(delivery.clientId, delivery));
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
      return found.map(read);
    },
    async get(id) {
      const found = run(() => select.get(id));
      return found && read(found);
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

/** Waiting deliveries in the table `waiting_deliveries`. */
export function sqliteWaitingDeliveries({ sqlite, run }: OpenDatabase): WaitingDeliveryStore {
  const { columns, into, read, values } = tableOf(WAITING_DELIVERIES);
  const brief = tableOf(WAITING_IN_BRIEF);
  const insert = sqlite.prepare<[Column[]]>(`INSERT OR IGNORE ${into}`);
  const list = sqlite
    .prepare<[string], Column[]>(
      `SELECT ${brief.columns} FROM waiting_deliveries WHERE client_id = ? ORDER BY since, id`,
    )
    .raw();
  const select = sqlite
    .prepare<[string], Column[]>(`SELECT ${columns} FROM waiting_deliveries WHERE id = ?`)
    .raw();
  const note = sqlite.prepare<[number, string, string]>(
    'UPDATE waiting_deliveries SET attempts = ? WHERE client_id = ? AND id = ?',
  );
  const remove = sqlite.prepare<[string]>('DELETE FROM waiting_deliveries WHERE id = ?');

  return {
    async add(delivery) {
      run(() => insert.run(values(delivery.clientId, delivery)));
    },
    async list(clientId) {
      return run(() => list.all(clientId)).map(brief.read);
    },
    async get(id) {
      const found = run(() => select.get(id));
      return found && read(found);
    },
    async noteAttempts(clientId, id, attempts) {
      run(() => note.run(attempts, clientId, id));
    },
    async remove(id) {
      run(() => remove.run(id));
    },
  };
}
