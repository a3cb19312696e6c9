import { SESSIONS } from '../port/sessions.js';
import type { SessionRecord, SessionStore } from '../store.js';
import type { OpenDatabase } from './database.js';
import { type Column, tableOf } from './table.js';

/** Sessions in the table `sessions`. */
export function sqliteSessions({ sqlite, run, inTransaction }: OpenDatabase): SessionStore {
  const { columns, into, read, values } = tableOf(SESSIONS);
  const ofId = sqlite
    .prepare<[string], Column[]>(`SELECT ${columns} FROM sessions WHERE client_id = ?`)
    .raw();
  const selectAll = sqlite.prepare<[], Column[]>(`SELECT ${columns} FROM sessions ORDER BY client_id`).raw();
  const insert = sqlite.prepare<[Column[]]>(`INSERT ${into}`);
  const replace = sqlite.prepare<[Column[]]>(`REPLACE ${into}`);
  const find = (clientId: string) => {
    const row = ofId.get(clientId);
    return row && read(row);
  };
  /** @returns the record as it is read again */
  const put = (statement: typeof insert, record: SessionRecord) => {
    statement.run(values(record.clientId, record));
    return find(record.clientId) ?? record;
  };

  return {
    async create(record) {
      return inTransaction(() => find(record.clientId) ?? put(insert, record));
    },
    async get(clientId) {
      return run(() => find(clientId));
    },
    async list() {
      return run(() => selectAll.all()).map(read);
    },
    async update(clientId, changes) {
      return inTransaction(() => {
        const known = find(clientId);
        return known && put(replace, { ...known, ...defined(changes), clientId });
      });
    },
  };
}

function defined(changes: Partial<SessionRecord>): Partial<SessionRecord> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}
