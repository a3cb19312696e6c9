import { readTexts } from '../port/json.js';
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
  previousToken: 'previous_token',
  previousTokenUntil: 'previous_token_until',
  pollLookupUrl: 'poll_lookup_url',
  enableGroupAi: 'enable_group_ai',
  rejectCalls: 'reject_calls',
  retry: 'retry',
  webhookPaused: 'webhook_paused',
  proxy: 'proxy',
  extraEvents: 'extra_events',
  apiSecretHash: 'api_secret_hash',
  status: 'status',
  statusReason: 'status_reason',
  statusSince: 'status_since',
  bannedUntil: 'banned_until',
  retentionDays: 'retention_days',
  keepEvents: 'keep_events',
  exportedAt: 'exported_at',
  linkedAt: 'linked_at',
  linkedNumber: 'linked_number',
  restrictions: 'restrictions',
  receivers: 'receivers',
  createdAt: 'created_at',
};

/** Booleans are stored as numbers, lists as JSON text. */
type SessionRow = Omit<
  SessionRecord,
  | 'enableGroupAi'
  | 'rejectCalls'
  | 'extraEvents'
  | 'retry'
  | 'webhookPaused'
  | 'keepEvents'
  | 'exportedAt'
  | 'linkedAt'
  | 'linkedNumber'
  | 'restrictions'
> & {
  enableGroupAi: number;
  rejectCalls: number;
  extraEvents: string;
  retry: SessionRecord['retry'] | null;
  webhookPaused: string | null;
  keepEvents: number | null;
  exportedAt: number | null;
  linkedAt: number | null;
  linkedNumber: string | null;
  restrictions: string | null;
};

/** Sessions in the table `sessions`. */
export function sqliteSessions({ sqlite, run, inTransaction }: OpenDatabase): SessionStore {
  const selected = Object.entries(COLUMNS).map(([field, column]) => `${column} AS ${field}`);
  const columns = Object.values(COLUMNS).join(', ');
  const values = Object.keys(COLUMNS).map((field) => `@${field}`);
  const select = sqlite.prepare<[string], SessionRow>(`SELECT ${selected} FROM sessions WHERE client_id = ?`);
  const selectAll = sqlite.prepare<[], SessionRow>(`SELECT ${selected} FROM sessions ORDER BY client_id`);
  const insert = sqlite.prepare<SessionRow>(`INSERT INTO sessions (${columns}) VALUES (${values})`);
  const replace = sqlite.prepare<SessionRow>(`REPLACE INTO sessions (${columns}) VALUES (${values})`);

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

function toRow(record: SessionRecord): SessionRow {
  return {
    ...record,
    enableGroupAi: record.enableGroupAi ? 1 : 0,
    rejectCalls: record.rejectCalls ? 1 : 0,
    extraEvents: JSON.stringify(record.extraEvents),
  };
}

function toRecord(row: SessionRow): SessionRecord {
  return {
    ...row,
    enableGroupAi: row.enableGroupAi === 1,
    rejectCalls: row.rejectCalls === 1,
    extraEvents: readTexts(row.extraEvents),
    retry: row.retry ?? 'contract',
    webhookPaused: row.webhookPaused ?? '',
    keepEvents: row.keepEvents ?? 0,
    exportedAt: row.exportedAt ?? 0,
    linkedAt: row.linkedAt ?? 0,
    linkedNumber: row.linkedNumber ?? '',
    restrictions: row.restrictions ?? '',
  };
}

function defined(changes: Partial<SessionRecord>): Partial<SessionRecord> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}
