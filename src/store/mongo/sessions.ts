import type { SessionRecord, SessionStore } from '../store.js';
import type { MongoDatabase } from './database.js';
import type { Fences } from './fences.js';
import { putIfAbsent } from './put-if-absent.js';
import { setTo, unlessRefused } from './under-fence.js';

type SessionDocument = Omit<SessionRecord, 'clientId' | 'statusSince'> & {
  _id: string;
  statusSince?: number;
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
          await unlessRefused(database, clientId, fence, changed !== null);
          return changed ? toRecord(changed) : undefined;
        }),
      );
    },
  };
}

/** What earlier versions wrote does not say since when a session is in its status. */
function toRecord({ _id, ...fields }: SessionDocument): SessionRecord {
  return { ...fields, clientId: _id, statusSince: fields.statusSince ?? 0 };
}
