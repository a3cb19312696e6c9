import { expect } from 'chai';
import type { Db } from 'mongodb';
import { MIGRATIONS, type Migration, prepareSchema } from '../../../../src/gateway/store/mongo/schema.js';
import { openMongoBackend, openMongoBackup } from '../../../../src/gateway/store/mongo/store.js';
import { expectFailure, session } from '../../../contracts/store/harness.js';
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

    it('applies the missing steps, each once', async () => {
      await prepare(FIRST);
      await prepare(FIRST, SECOND);
      await prepare(FIRST, SECOND);
      expect(await done()).to.have.ordered.members(['first', 'second']);
    });

    it('repeats an interrupted step', async () => {
      const broken = { compatibleWith: 1, apply: () => Promise.reject(new Error('interrupted')) };
      const outcome = await prepare(FIRST, broken).catch((error: Error) => error.message);
      expect(outcome).to.equal('interrupted');
      await prepare(FIRST, SECOND);
      expect(await done()).to.have.ordered.members(['first', 'second']);
    });

    it('admits an older program to a newer database that allows it', async () => {
      await prepare(FIRST, SECOND);
      await prepare(FIRST);
    });

    it('refuses a database of a newer version with one line, and does not change it', async () => {
      const backend = await openMongoBackend(database);
      await backend.sessions.create(session('acme'));
      await backend.close();
      await prepare(...MIGRATIONS, SECOND, BREAKING);

      const message = await expectFailure(openMongoBackend(database), 'store_too_new');
      expect(message)
        .to.contain(`version ${MIGRATIONS.length + 2}`)
        .and.not.contain('\n');
      const kept = await database.inspect((db) => db.collection('sessions').countDocuments());
      expect(kept).to.equal(1);
    });

    it('refuses a backup of a database with an older schema or without one, and does not change it', async () => {
      expect(await expectFailure(openMongoBackup(database), 'store_missing')).to.contain('no daemon');
      await prepare(...MIGRATIONS.slice(0, -1));
      const schema = () => database.inspect((db) => db.collection('schema').find().toArray());
      const before = await schema();
      const message = await expectFailure(openMongoBackup(database), 'store_unsupported');
      expect(message)
        .to.contain(`version ${MIGRATIONS.length - 1}`)
        .and.to.contain('release of the daemon');
      expect(await schema()).to.deep.equal(before);
    });

    it('the schema has an index for every query', async () => {
      await (await openMongoBackend(database)).close();
      const scans = await database.inspect((db) => Promise.all(LOOKUPS.map((lookup) => scanned(db, lookup))));
      expect(scans.flat()).to.deep.equal([]);
    });

    it('the schema can be created by two daemons at the same time', async () => {
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
  { collection: 'sends', filter: { clientId: 'a', held: { $gt: '' } } },
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
  { collection: 'waiting_deliveries', filter: { clientId: 'a' } },
  { collection: 'kept_events', filter: { clientId: 'a', at: { $lt: 5 } } },
  { collection: 'kept_events', filter: { at: { $lt: 5 } } },
  { collection: 'failed_deliveries', filter: { failedAt: { $lt: 5 } } },
];

async function scanned(db: Db, { collection, filter }: Lookup): Promise<string[]> {
  const plan = JSON.stringify(await db.collection(collection).find(filter).explain('queryPlanner'));
  return plan.includes('COLLSCAN') ? [`${collection} by ${Object.keys(filter)}`] : [];
}
