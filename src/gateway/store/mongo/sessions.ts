import type { Document } from 'mongodb';
import { FORMER_EXPORT_MARK, SESSIONS } from '../port/sessions.js';
import type { SessionRecord, SessionStore } from '../store.js';
import type { MongoDatabase } from './database.js';
import { type DocumentById, documentsOf } from './documents.js';
import { assertLease, type Fences } from './fences.js';
import { putIfAbsent, setTo } from './writes.js';

/** Sessions in the collection `sessions`, by clientId. */
export function mongoSessions(database: MongoDatabase, fences: Fences): SessionStore {
  const { db, run } = database;
  const sessions = db.collection<DocumentById<SessionRecord, 'clientId'>>(SESSIONS.name);
  const { toRecord, toFields } = documentsOf(SESSIONS);
  const read = (document: Document) => toRecord(withFormerExport(document));
  const get = async (clientId: string) => {
    const found = await run(() => sessions.findOne({ _id: clientId }));
    return found ? read(found) : undefined;
  };
  return {
    get,
    async create(record) {
      const key = { _id: record.clientId };
      return read(await run(() => putIfAbsent(sessions, key, toFields(record))));
    },
    async list() {
      return (await run(() => sessions.find().sort({ _id: 1 }).toArray())).map(read);
    },
    async update(clientId, changes) {
      const fields = toFields(changes);
      if (Object.keys(fields).length === 0) return get(clientId);
      return fences.run(clientId, (fence) =>
        run(async () => {
          const named = { _id: clientId, ...fence.condition() };
          const changed = await sessions.findOneAndUpdate(named, setTo(fields), { returnDocument: 'after' });
          await assertLease(database, clientId, fence, changed !== null);
          return changed ? read(changed) : undefined;
        }),
      );
    },
  };
}

/** A session that an earlier release exported: that one marked it by its reason, and stored no time. */
export function withFormerExport(document: Document): Document {
  const { status, statusReason, statusSince, exportedAt } = document;
  const isMarked = status === 'replaced' && statusReason === FORMER_EXPORT_MARK;
  return isMarked ? { ...document, exportedAt: exportedAt ?? statusSince } : document;
}
