import type { ExpectedFile, ExpectedFileStore } from '../store.js';
import type { MongoDatabase } from './database.js';
import { insertIfAbsent } from './put-if-absent.js';

/** Older versions have written none of the past. */
type ExpectedFileDocument = Omit<ExpectedFile, 'past'> & { past?: boolean };

/** Files that are to be stored, in the collection `expected_files`. */
export function mongoExpectedFiles({ db, run }: MongoDatabase): ExpectedFileStore {
  const expected = db.collection<ExpectedFileDocument>('expected_files');
  return {
    async add(file) {
      await run(() => insertIfAbsent(expected, { ...file }));
    },
    async get(id) {
      const found = await run(() => expected.findOne({ id }));
      return found ? toExpected(found) : undefined;
    },
    async list(clientId) {
      const found = expected.find({ clientId }).sort({ since: 1, _id: 1 });
      return (await run(() => found.toArray())).map(toExpected);
    },
    async remove(id) {
      await run(() => expected.deleteOne({ id }));
    },
  };
}

function toExpected({
  id,
  clientId,
  chatRoomId,
  messageId,
  since,
  past,
}: ExpectedFileDocument): ExpectedFile {
  return { id, clientId, chatRoomId, messageId, since, past: past ?? false };
}
