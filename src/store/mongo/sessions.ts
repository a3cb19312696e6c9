import type { SessionRecord, SessionStore } from '../store.js';
import type { MongoDatabase } from './database.js';
import { putIfAbsent } from './put-if-absent.js';

type SessionDocument = Omit<SessionRecord, 'clientId' | 'statusSince'> & {
  _id: string;
  statusSince?: number;
};

/** Sessions in the collection `sessions`, by clientId. */
export function mongoSessions({ db, run }: MongoDatabase): SessionStore {
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
      const named = Object.entries(changes).filter(([, value]) => value !== undefined);
      if (named.length === 0) return get(clientId);
      const changed = await run(() =>
        sessions.findOneAndUpdate(
          { _id: clientId },
          { $set: Object.fromEntries(named) },
          { returnDocument: 'after' },
        ),
      );
      return changed ? toRecord(changed) : undefined;
    },
  };
}

/** What earlier versions wrote does not say since when a session is in its status. */
function toRecord({ _id, ...fields }: SessionDocument): SessionRecord {
  return { ...fields, clientId: _id, statusSince: fields.statusSince ?? 0 };
}
