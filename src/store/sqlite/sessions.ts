import type { SessionRecord, SessionStore } from '../store.js';
import type { OpenDatabase } from './database.js';

const COLUMNS: Readonly<Record<keyof SessionRecord, string>> = {
  clientId: 'client_id',
  lid: 'lid',
  pn: 'pn',
  jid: 'jid',
  name: 'name',
  orgId: 'org_id',
  webhookUrl: 'webhook_url',
  webhookToken: 'webhook_token',
  pollLookupUrl: 'poll_lookup_url',
  enableGroupAi: 'enable_group_ai',
  extraEvents: 'extra_events',
  apiSecretHash: 'api_secret_hash',
  status: 'status',
  statusReason: 'status_reason',
  statusSince: 'status_since',
  createdAt: 'created_at',
};

/** As stored: booleans are numbers, lists are JSON text. */
type Row = Omit<SessionRecord, 'enableGroupAi' | 'extraEvents'> & {
  enableGroupAi: number;
  extraEvents: string;
};

/** Sessions in the table `sessions`. */
export function sqliteSessions({ sqlite, run, inTransaction }: OpenDatabase): SessionStore {
  const selected = Object.entries(COLUMNS).map(([field, column]) => `${column} AS ${field}`);
  const columns = Object.values(COLUMNS).join(', ');
  const values = Object.keys(COLUMNS).map((field) => `@${field}`);
  const select = sqlite.prepare<[string], Row>(`SELECT ${selected} FROM sessions WHERE client_id = ?`);
  const selectAll = sqlite.prepare<[], Row>(`SELECT ${selected} FROM sessions ORDER BY client_id`);
  const insert = sqlite.prepare<Row>(`INSERT INTO sessions (${columns}) VALUES (${values})`);
  const replace = sqlite.prepare<Row>(`REPLACE INTO sessions (${columns}) VALUES (${values})`);

  return {
    async create(record) {
      return inTransaction(() => {
        const known = select.get(record.clientId);
        if (known) return toRecord(known);
        insert.run(toRow(record));
        return toRecord(toRow(record));
      });
    },
    async get(clientId) {
      const row = run(() => select.get(clientId));
      return row && toRecord(row);
    },
    async list() {
      return run(() => selectAll.all()).map(toRecord);
    },
    async update(clientId, changes) {
      return inTransaction(() => {
        const row = select.get(clientId);
        if (!row) return undefined;
        const changed = { ...toRecord(row), ...defined(changes), clientId };
        replace.run(toRow(changed));
        return toRecord(toRow(changed));
      });
    },
  };
}

function toRow(record: SessionRecord): Row {
  return {
    ...record,
    enableGroupAi: record.enableGroupAi ? 1 : 0,
    extraEvents: JSON.stringify(record.extraEvents),
  };
}

function toRecord(row: Row): SessionRecord {
  return { ...row, enableGroupAi: row.enableGroupAi === 1, extraEvents: JSON.parse(row.extraEvents) };
}

/** A field that is there but undefined is not named. */
function defined(changes: Partial<SessionRecord>): Partial<SessionRecord> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}
