import { expect } from 'chai';
import type { Db } from 'mongodb';
import { openMongoBackend } from '../../../src/store/mongo/mongo-store.js';
import { MIGRATIONS, type Migration, prepareSchema } from '../../../src/store/mongo/schema.js';
import { expectFailure, session } from '../../contracts/store/harness.js';
import { MONGODB_URL, makeTestDatabase, type TestDatabase } from '../support/mongo.js';

const FIRST = step('first', 1);
const SECOND = step('second', 1);
const BREAKING = step('breaking', 3);

if (MONGODB_URL) suite(MONGODB_URL);

function suite(server: string): void {
  describe('the schema in MongoDB', () => {
    let database: TestDatabase;
    beforeEach(() => {
      database = makeTestDatabase(server);
    });
    afterEach(() => database.drop());
    const prepare = (...migrations: Migration[]) => database.inspect((db) => prepareSchema(db, migrations));
    const done = () =>
      database.inspect(async (db) => (await db.collection('steps').find().toArray()).map(({ step }) => step));

    it('takes the steps that are missing, each once', async () => {
      await prepare(FIRST);
      await prepare(FIRST, SECOND);
      await prepare(FIRST, SECOND);
      expect(await done()).to.have.ordered.members(['first', 'second']);
    });

    it('takes an interrupted step again', async () => {
      const broken = { compatibleWith: 1, apply: () => Promise.reject(new Error('interrupted')) };
      const outcome = await prepare(FIRST, broken).catch((error: Error) => error.message);
      expect(outcome).to.equal('interrupted');
      await prepare(FIRST, SECOND);
      expect(await done()).to.have.ordered.members(['first', 'second']);
    });

    it('lets an older program use a newer database that says it suits', async () => {
      await prepare(FIRST, SECOND);
      await prepare(FIRST);
    });

    it('refuses a database from the future with one line and leaves it as it was', async () => {
      const backend = await openMongoBackend(database);
      await backend.sessions.create(session('acme'));
      await backend.close();
      await prepare(...MIGRATIONS, SECOND, BREAKING);

      const message = await expectFailure(openMongoBackend(database), 'store_too_new');
      expect(message).to.contain('version 3').and.not.contain('\n');
      const kept = await database.inspect((db) => db.collection('sessions').countDocuments());
      expect(kept).to.equal(1);
    });

    it('has an index for everything that is looked up', async () => {
      await (await openMongoBackend(database)).close();
      const scans = await database.inspect((db) => Promise.all(LOOKUPS.map((lookup) => scanned(db, lookup))));
      expect(scans.flat()).to.deep.equal([]);
    });

    it('may be made by two daemons at once', async () => {
      const backends = await Promise.all([1, 2, 3].map(() => openMongoBackend(database)));
      for (const backend of backends) await backend.close();
    });
  });
}

function step(name: string, compatibleWith: number): Migration {
  return {
    compatibleWith,
    async apply(db) {
      await db.collection('steps').insertOne({ step: name });
    },
  };
}

interface Lookup {
  collection: string;
  filter: object;
}

const LOOKUPS: readonly Lookup[] = [
  { collection: 'keys', filter: { clientId: 'a', type: 't', id: { $in: ['x', 'y'] }, n: { $gte: 1 } } },
  { collection: 'keys', filter: { clientId: 'a' } },
  { collection: 'journal', filter: { clientId: 'a', id: 'x' } },
  { collection: 'journal', filter: { clientId: 'a', open: true } },
  { collection: 'journal', filter: { open: true } },
  { collection: 'journal', filter: { closedAt: { $lt: 5 } } },
  { collection: 'contacts', filter: { clientId: 'a', lid: 'L' } },
  { collection: 'contacts', filter: { clientId: 'a', pn: 'P' } },
  { collection: 'sends', filter: { clientId: 'a', messageId: 'M' } },
  { collection: 'sends', filter: { open: true, clientId: 'a' } },
  { collection: 'sends', filter: { sentAt: { $lt: 5 } } },
  { collection: 'traces', filter: { clientId: 'a', messageId: 'M' } },
  { collection: 'traces', filter: { clientId: 'a', chat: 'c', byNumber: true } },
  { collection: 'traces', filter: { sentAt: { $lt: 5 } } },
  { collection: 'messages', filter: { clientId: 'a', chatRoomId: 'r', messageId: 'M' } },
  { collection: 'rooms', filter: { clientId: 'a', chatRoomId: 'r' } },
  { collection: 'messages', filter: { clientId: 'a', chatRoomId: 'r', sentAt: { $lt: 5 } } },
  { collection: 'rooms', filter: { clientId: 'a' } },
  { collection: 'files', filter: { id: 'x' } },
  { collection: 'files', filter: { clientId: 'a', messageId: { $gt: '' } } },
  { collection: 'files', filter: { bytesId: { $in: ['x'] } } },
  { collection: 'files', filter: { createdAt: { $lt: 5 }, messageId: { $gt: '' } } },
  { collection: 'message_status', filter: { clientId: 'a', messageId: { $in: ['M'] } } },
  { collection: 'message_status', filter: { at: { $lt: 5 } } },
  { collection: 'expected_files', filter: { id: 'x' } },
  { collection: 'expected_files', filter: { clientId: 'a' } },
  { collection: 'pictures', filter: { clientId: 'a', jid: 'j', preview: true } },
  { collection: 'pending_changes', filter: { clientId: 'a', chatRoomId: 'r', targetId: 'M' } },
  { collection: 'pending_changes', filter: { at: { $lt: 5 } } },
  { collection: 'idempotency', filter: { clientId: 'a', key: 'k' } },
  { collection: 'idempotency', filter: { createdAt: { $lt: 5 } } },
  { collection: 'failed_deliveries', filter: { clientId: 'a' } },
  { collection: 'failed_deliveries', filter: { failedAt: { $lt: 5 } } },
];

async function scanned(db: Db, { collection, filter }: Lookup): Promise<string[]> {
  const plan = JSON.stringify(await db.collection(collection).find(filter).explain('queryPlanner'));
  return plan.includes('COLLSCAN') ? [`${collection} by ${Object.keys(filter)}`] : [];
}
