import { setImmediate } from 'node:timers/promises';
import { KEPT_EVENTS, KEPT_IN_BRIEF } from '../port/deliveries.js';
import type { KeptEvent, KeptEventStore } from '../store.js';
import type { OpenDatabase } from './database.js';
import { type Column, tableOf } from './table.js';

/** Rows that one step removes: a step must not hold up other work. */
const REMOVED_AT_ONCE = 500;

interface ListParameters {
  clientId: string;
  from: number;
  to: number;
  /** JSON lists; null for any. */
  types: string | null;
  ids: string | null;
  at: number;
  id: string;
  limit: number;
}

const MATCHES = `client_id = @clientId AND at BETWEEN @from AND @to
  AND (@types IS NULL OR type IN (SELECT value FROM json_each(@types)))
  AND (@ids IS NULL OR id IN (SELECT value FROM json_each(@ids)))`;

/** Before and after every event. */
const FIRST = { at: -1, id: '' };
const LAST = { at: Number.MAX_SAFE_INTEGER, id: '' };

/** Kept events in the table `kept_events`. */
export function sqliteKeptEvents({ sqlite, run, inTransaction }: OpenDatabase): KeptEventStore {
  const { columns, into, read, values } = tableOf(KEPT_EVENTS);
  const brief = tableOf(KEPT_IN_BRIEF);
  const matching = `SELECT ${brief.columns} FROM kept_events WHERE ${MATCHES}`;
  const insert = sqlite.prepare<[Column[]]>(`INSERT OR IGNORE ${into}`);
  const oldestFirst = sqlite
    .prepare<ListParameters, Column[]>(`${matching} AND (at, id) > (@at, @id) ORDER BY at, id LIMIT @limit`)
    .raw();
  const newestFirst = sqlite
    .prepare<ListParameters, Column[]>(
      `${matching} AND (at, id) < (@at, @id) ORDER BY at DESC, id DESC LIMIT @limit`,
    )
    .raw();
  const select = sqlite
    .prepare<[string, string], Column[]>(`SELECT ${columns} FROM kept_events WHERE id = ? AND client_id = ?`)
    .raw();
  const sum = sqlite
    .prepare<[string], number>('SELECT coalesce(sum(size), 0) FROM kept_events WHERE client_id = ?')
    .pluck();
  const oldest = sqlite.prepare<[string], Pick<KeptEvent, 'at' | 'id' | 'size'>>(
    `SELECT at, id, size FROM kept_events WHERE client_id = ? ORDER BY at, id LIMIT ${REMOVED_AT_ONCE}`,
  );
  const removeUpTo = sqlite.prepare<[string, number, string]>(
    'DELETE FROM kept_events WHERE client_id = ? AND (at, id) <= (?, ?)',
  );
  const pruneAll = sqlite.prepare<[number]>(`DELETE FROM kept_events WHERE at < ? LIMIT ${REMOVED_AT_ONCE}`);
  const pruneOne = sqlite.prepare<[string, number]>(
    `DELETE FROM kept_events WHERE client_id = ? AND at < ? LIMIT ${REMOVED_AT_ONCE}`,
  );

  return {
    async add(event) {
      return run(() => insert.run(values(event.clientId, event)).changes === 1);
    },
    async list({ clientId, from = 0, to = Number.MAX_SAFE_INTEGER, types, ids, order, after, limit }) {
      const isOldestFirst = order === 'oldest first';
      const { at, id } = after ?? (isOldestFirst ? FIRST : LAST);
      const parameters = {
        ...{ clientId, from, to, at, id, limit },
        types: types ? JSON.stringify(types) : null,
        ids: ids ? JSON.stringify(ids) : null,
      };
      return run(() => (isOldestFirst ? oldestFirst : newestFirst).all(parameters)).map(brief.read);
    },
    async get(clientId, id) {
      const row = run(() => select.get(id, clientId));
      return row && read(row);
    },
    async bytes(clientId) {
      return run(() => sum.get(clientId) ?? 0);
    },
    async removeOldest(clientId, bytes) {
      return inTransaction(() => {
        let removed = 0;
        let last: Pick<KeptEvent, 'at' | 'id'> | undefined;
        for (const row of oldest.all(clientId)) {
          if (removed >= bytes) break;
          removed += row.size;
          last = row;
        }
        if (last) removeUpTo.run(clientId, last.at, last.id);
        return removed;
      });
    },
    async prune(before, clientId) {
      for (let pruned = 0; ; await setImmediate()) {
        const { changes } = run(() =>
          clientId === undefined ? pruneAll.run(before) : pruneOne.run(clientId, before),
        );
        pruned += changes;
        if (changes < REMOVED_AT_ONCE) return pruned;
      }
    },
  };
}
