import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { openMongoBackend } from '../../../../src/gateway/store/mongo/store.js';
import { openStore } from '../../../../src/gateway/store/open.js';
import type { Backend } from '../../../../src/gateway/store/store.js';
import { bytes, expectFailure, text } from '../../../contracts/store/harness.js';
import { compiledProgram } from '../../../support/compiled.js';
import { startTcpProxy, type TcpProxy } from '../../../support/tcp-proxy.js';
import { commitGeneration, expectWhole } from '../support/generations.js';
import {
  breakAt,
  MONGODB_URL,
  makeTestDatabase,
  serverAddress,
  type TestDatabase,
  throughProxy,
} from '../support/mongo.js';

const SOURCE = new URL('../support/commit-forever.ts', import.meta.url);
const ENCRYPTION_KEY = new Uint8Array(32).fill(7);
/** The requests of a commit: the commit itself, keys and journal in parallel, the end. */
const REQUESTS = [1, 2, 3, 4];

if (MONGODB_URL) suite(MONGODB_URL);

function suite(server: string): void {
  describe('commits to MongoDB', () => {
    let database: TestDatabase;
    beforeEach(() => {
      database = makeTestDatabase(server);
    });
    afterEach(() => database.drop());

    describe('over a connection that breaks', () => {
      let proxy: TcpProxy;
      let backend: Backend;
      beforeEach(async () => {
        proxy = await startTcpProxy(...serverAddress(server));
        const before = await openMongoBackend(database);
        await commitGeneration(before, 1);
        await before.close();
        backend = await openMongoBackend({
          url: `${throughProxy(database, proxy.port)}&serverSelectionTimeoutMS=1000`,
        });
        expect(await expectWhole(backend)).to.equal(1);
      });
      afterEach(async () => {
        proxy.restore();
        await backend.close();
        await proxy.stop();
      });

      for (const verdict of ['cut', 'cut-answer'] as const) {
        for (const request of REQUESTS) {
          it(`commits are applied completely or not at all: ${verdict}, request ${request}`, async () => {
            proxy.watch(breakAt(request, database.name, verdict));
            const done = await commitGeneration(backend, 2).then(
              () => true,
              () => false,
            );
            proxy.restore();

            const other = await openMongoBackend(database);
            const seenByOther = await expectWhole(other);
            await other.close();
            const seen = await expectWhole(backend);
            expect(seen)
              .to.equal(seenByOther)
              .and.to.be.oneOf(done ? [2] : [1, 2]);

            await commitGeneration(backend, seen + 1);
            expect(await expectWhole(backend)).to.equal(seen + 1);
          });
        }
      }

      it('commits wait for the majority, whatever write concern the URL has', async () => {
        await backend.close();
        const weakened = `${throughProxy(database, proxy.port)}&w=0&journal=false&readPreference=nearest`;
        backend = await openMongoBackend({ url: weakened });
        const commits: Buffer[] = [];
        proxy.watch((chunk) => {
          if (chunk.includes(database.name) && chunk.includes('since')) commits.push(chunk);
          return 'pass';
        });
        await backend.keys.commit('acme', { credentials: bytes('x') });
        expect(commits.map((chunk) => chunk.includes('majority'))).to.deep.equal([true]);
      });

      it('commits are visible to the next reader even if they could not be applied', async () => {
        proxy.watch(breakAt(2, database.name, 'cut'));
        await expectFailure(commitGeneration(backend, 2), 'store_unavailable');
        proxy.restore();
        const keys = await backend.keys.get('acme', 'session', ['0']);
        expect(text(keys.get('0'))).to.equal('2');
      });
    });

    it('commits leave no changes in their own collection', async () => {
      const backend = await openMongoBackend(database);
      await commitGeneration(backend, 1);
      await commitGeneration(backend, 2);
      await backend.close();
      const fields = await database.inspect(async (db) =>
        Object.keys((await db.collection('commits').findOne()) ?? {}),
      );
      expect(fields).to.have.members(['_id', 'n', 'since']);
    });

    it('commits are refused for a daemon that has lost the session to another, until it reads again', async () => {
      const [first, second] = [await openMongoBackend(database), await openMongoBackend(database)];
      await commitGeneration(first, 1);
      expect(await expectWhole(second)).to.equal(1);
      await commitGeneration(second, 2);
      expect(await expectFailure(commitGeneration(first, 9), 'store_unavailable')).to.contain(
        'another daemon',
      );
      expect(await expectWhole(second)).to.equal(2);
      expect(await expectWhole(first)).to.equal(2);
      await commitGeneration(first, 3);
      expect(await expectWhole(second)).to.equal(3);
      await first.close();
      await second.close();
    });

    it('commits keep one of two first commits by two daemons', async () => {
      const backends = [await openMongoBackend(database), await openMongoBackend(database)];
      for (const backend of backends) expect(await expectWhole(backend)).to.equal(0);
      const outcomes = await Promise.allSettled(backends.map((backend) => commitGeneration(backend, 1)));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
      for (const backend of backends) {
        expect(await expectWhole(backend)).to.equal(1);
        await backend.close();
      }
    });

    it('commits restore nothing from before clearing', async () => {
      const backend = await openMongoBackend(database);
      await commitGeneration(backend, 1);
      const old = await database.inspect((db) => db.collection('keys').find().toArray());
      await backend.keys.clear('acme');
      // a request of before that arrives late
      await database.inspect((db) => db.collection('keys').insertMany(old));
      expect(await backend.keys.credentials('acme')).to.equal(undefined);
      expect((await backend.keys.get('acme', 'session', ['0'])).size).to.equal(0);
      await backend.keys.commit('acme', { credentials: bytes('new') });
      expect(text(await backend.keys.credentials('acme'))).to.equal('new');
      await backend.close();
    });

    it('commits are complete after kill -9', async () => {
      for (const generations of [1, 25, 60]) {
        await commitAndKill(database.url, generations);
        const store = await openStore({ url: database.url, dataDir: '', encryptionKey: ENCRYPTION_KEY });
        expect(await expectWhole(store)).to.be.at.least(generations);
        await store.forget('acme');
        await store.close();
      }
    });
  });
}

/** Runs the committing program until it has said that many commits. */
async function commitAndKill(url: string, generations: number): Promise<void> {
  const child = spawn(process.execPath, [compiledProgram(SOURCE), '', url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (Number(line) >= generations) return;
    }
    throw new Error('the committing process ended by itself');
  } finally {
    await kill(child);
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
