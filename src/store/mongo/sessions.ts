import { FORMER_EXPORT_MARK } from '../port/sessions.js';
import type { SessionRecord, SessionStore } from '../store.js';
import type { MongoDatabase } from './database.js';
import { assertLease, type Fences } from './fences.js';
import { putIfAbsent, setTo } from './writes.js';

type SessionDocument = Omit<
  SessionRecord,
  | 'clientId'
  | 'statusSince'
  | 'bannedUntil'
  | 'proxy'
  | 'rejectCalls'
  | 'retentionDays'
  | 'keepEvents'
  | 'exportedAt'
  | 'retry'
  | 'webhookPaused'
  | 'previousToken'
  | 'previousTokenUntil'
  | 'linkedAt'
  | 'linkedNumber'
  | 'restrictions'
  | 'receivers'
> & {
  _id: string;
  statusSince?: number;
  bannedUntil?: number;
  proxy?: string;
  rejectCalls?: boolean;
  retentionDays?: number | null;
  keepEvents?: number | null;
  exportedAt?: number | null;
  retry?: SessionRecord['retry'] | null;
  webhookPaused?: string | null;
  previousToken?: string | null;
  previousTokenUntil?: number | null;
  linkedAt?: number | null;
  linkedNumber?: string | null;
  restrictions?: string | null;
  receivers?: string | null;
};

/** Sessions in the collection `sessions`, by clientId. */
export function mongoSessions(database: MongoDatabase, fences: Fences): SessionStore {
  const { db, run } = database;
  const sessions = db.collection<SessionDocument>('sessions');
  const get = async (clientId: string) => {
    const found = await run(() => sessions.findOne({ _id: clientId }));
    return found ? toRecord(found) : undefined;
  };
  return {
    get,
    async create({ clientId, ...fields }) {
      return toRecord(await run(() => putIfAbsent(sessions, { _id: clientId }, fields)));
    },
    async list() {
      return (await run(() => sessions.find().sort({ _id: 1 }).toArray())).map(toRecord);
    },
    async update(clientId, changes) {
      if (Object.values(changes).every((value) => value === undefined)) return get(clientId);
      return fences.run(clientId, (fence) =>
        run(async () => {
          const named = { _id: clientId, ...fence.condition() };
          const changed = await sessions.findOneAndUpdate(named, setTo(changes), { returnDocument: 'after' });
          await assertLease(database, clientId, fence, changed !== null);
          return changed ? toRecord(changed) : undefined;
        }),
      );
    },
  };
}

/** When a session was exported by an earlier version, which marked it by its reason; 0 if it was not. */
function formerExport({ status, statusReason, statusSince }: Omit<SessionDocument, '_id'>): number {
  return status === 'replaced' && statusReason === FORMER_EXPORT_MARK ? (statusSince ?? 0) : 0;
}

/** Records of earlier versions lack the newer fields. */
function toRecord({ _id, ...fields }: SessionDocument): SessionRecord {
  return {
    ...fields,
    clientId: _id,
    statusSince: fields.statusSince ?? 0,
    bannedUntil: fields.bannedUntil ?? 0,
    proxy: fields.proxy ?? '',
    rejectCalls: fields.rejectCalls ?? false,
    retentionDays: fields.retentionDays ?? null,
    keepEvents: fields.keepEvents ?? 0,
    exportedAt: fields.exportedAt ?? formerExport(fields),
    retry: fields.retry ?? 'contract',
    webhookPaused: fields.webhookPaused ?? '',
    previousToken: fields.previousToken ?? null,
    previousTokenUntil: fields.previousTokenUntil ?? 0,
    linkedAt: fields.linkedAt ?? 0,
    linkedNumber: fields.linkedNumber ?? '',
    restrictions: fields.restrictions ?? '',
    receivers: fields.receivers ?? null,
  };
}
