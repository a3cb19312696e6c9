import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import SqliteDatabase from 'better-sqlite3';
import { expect } from 'chai';
import { openStore } from '../../../../src/gateway/store/open.js';
import { openSqliteBackend } from '../../../../src/gateway/store/sqlite/store.js';
import type { Backend } from '../../../../src/gateway/store/store.js';
import { bytes, expectFailure, sent, session } from '../../../contracts/store/harness.js';
import { compiledProgram } from '../../../support/compiled.js';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';
import { expectWhole } from '../support/generations.js';

const SOURCE = new URL('../support/commit-forever.ts', import.meta.url);
const ENCRYPTION_KEY = new Uint8Array(32).fill(7);

describe('an SQLite data directory and processes', () => {
  let dir: TempDir;
  const children: ChildProcess[] = [];
  beforeEach(async () => {
    dir = await makeTempDir();
  });
  afterEach(async () => {
    for (const child of children.splice(0)) await kill(child);
    await dir.remove();
  });
  const open = () => openStore({ url: 'sqlite', dataDir: dir.path, encryptionKey: ENCRYPTION_KEY });

  it('the data directory belongs to one process: the second gets an error that names the first', async () => {
    const child = await startCommitting(5);
    const message = await expectFailure(open(), 'store_in_use');
    expect(message).to.contain(`process ${child.pid}`).and.contain(dir.path).and.not.contain('\n');
  });

  it('the data directory is free again when the store is closed, in the same process too', async () => {
    const first = await open();
    await expectFailure(open(), 'store_in_use');
    await first.ping();
    await first.close();
    await (await open()).close();
  });

  it('the data directory is free at once after kill -9, with every commit complete', async () => {
    for (const generations of [1, 40, 150]) {
      const child = await startCommitting(generations);
      await kill(child);
      const store = await open();
      expect(await expectWhole(store)).to.be.at.least(generations);
      await store.forget('acme');
      await store.close();
    }
  });

  /** Starts the program and waits until it has said that many commits. */
  async function startCommitting(generations: number): Promise<ChildProcess> {
    const child = spawn(process.execPath, [compiledProgram(SOURCE), dir.path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    for await (const line of createInterface({ input: child.stdout })) {
      if (Number(line) >= generations) return child;
    }
    throw new Error('the committing process ended by itself');
  }
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

describe('an SQLite database that cannot be used', () => {
  let dir: TempDir;
  let backend: Backend;
  const file = () => join(dir.path, 'switchboard.db');
  beforeEach(async () => {
    dir = await makeTempDir();
    backend = await openSqliteBackend({ dataDir: dir.path });
  });
  afterEach(async () => {
    await backend.close();
    await dir.remove();
  });

  it('the database is reported by ping when its file is gone, until it is back', async () => {
    await rename(file(), `${file()}.away`);
    expect(await expectFailure(backend.ping(), 'store_unavailable')).to.contain('moved or deleted');
    await rename(`${file()}.away`, file());
    await backend.ping();
  });

  it('fails ping and writes while another program locks it, and works afterwards', async () => {
    const intruder = new SqliteDatabase(file());
    intruder.exec('BEGIN IMMEDIATE');
    await expectFailure(backend.ping(), 'store_unavailable');
    await expectFailure(backend.sessions.create(session('acme')), 'store_unavailable');
    intruder.exec('ROLLBACK');
    intruder.close();
    await backend.ping();
    expect(await backend.sessions.list()).to.deep.equal([]);
  });

  it('makes only the first write wait, because waiting blocks the process', async () => {
    const intruder = new SqliteDatabase(file());
    intruder.exec('BEGIN IMMEDIATE');
    const start = performance.now();
    for (let write = 0; write < 20; write++) await expectFailure(backend.ping(), 'store_unavailable');
    expect(performance.now() - start).to.be.below(5_000);
    intruder.exec('ROLLBACK');
    intruder.close();
    await backend.ping();
  });

  it('reports a table that cannot be read', async () => {
    const intruder = new SqliteDatabase(file());
    intruder.exec('DROP TABLE keys');
    intruder.close();
    await expectFailure(backend.keys.get('acme', 'session', ['a']), 'store_unavailable');
  });
});

describe('changes of an SQLite store in one turn of the event loop', () => {
  let dir: TempDir;
  let backend: Backend;
  beforeEach(async () => {
    dir = await makeTempDir();
    backend = await openSqliteBackend({ dataDir: dir.path });
  });
  afterEach(async () => {
    await backend.close();
    await dir.remove();
  });
  /** Bytes of the write-ahead log: each commit adds every page that it changed. */
  const logBytes = async () => (await stat(join(dir.path, 'switchboard.db-wal'))).size;
  const commit = (id: string) =>
    backend.keys.commit('acme', { keys: [{ type: 'session', id, value: bytes(id) }] });
  const ids = Array.from({ length: 40 }, (_, index) => `key ${index}`);
  const stored = async () => [...(await backend.keys.get('acme', 'session', ids)).keys()];

  it('move a trace that is noted in the same turn with its chat', async () => {
    const [pn, lid] = ['15550000002@s.whatsapp.net', '100000000000002@lid'];
    const trace = {
      messageId: 'M1',
      chat: pn,
      fromMe: true,
      authorLid: '',
      authorPn: '',
      secret: undefined,
      sentAt: 1,
    };
    await Promise.all([backend.traces.add('acme', trace), backend.traces.rekey('acme', pn, lid)]);
    expect(await backend.traces.get('acme', 'M1')).to.include({ chat: lid });
  });

  it('are committed together', async () => {
    const before = await logBytes();
    for (const id of ids) await commit(id);
    const oneByOne = (await logBytes()) - before;
    await Promise.all(ids.map(commit));
    expect((await logBytes()) - before - oneByOne).to.be.below(oneByOne / 4);
    expect(await stored()).to.deep.equal(ids);
  });

  it('let other work run, however many follow one another', async () => {
    let iterations = 0;
    let counting = setImmediate(function count() {
      iterations += 1;
      counting = setImmediate(count);
    });
    for (const id of ids) await commit(id);
    clearImmediate(counting);
    expect(iterations).to.be.above(0);
  });

  it('fail alone: one that is refused changes nothing of the others', async () => {
    const refused = sent('M1', { sentAt: Number.NaN });
    const outcomes = await Promise.allSettled([
      commit('key 0'),
      backend.sends.put('acme', refused),
      backend.sends.put('acme', sent('M2')),
      commit('key 1'),
    ]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(await stored()).to.deep.equal(['key 0', 'key 1']);
    expect(await backend.sends.get('acme', 'M1')).to.equal(undefined);
    expect(await backend.sends.get('acme', 'M2')).to.not.equal(undefined);
  });

  it('are made in their order, also before one that does not wait', async () => {
    const committed = ids.map(commit);
    await backend.keys.clear('acme');
    await Promise.all(committed);
    expect(await stored()).to.deep.equal([]);
  });

  it('are committed before the store closes', async () => {
    const committed = ids.map(commit);
    await backend.close();
    await Promise.all(committed);
    backend = await openSqliteBackend({ dataDir: dir.path });
    expect(await stored()).to.deep.equal(ids);
  });

  it('fail together while another program holds the database, and can be made again', async () => {
    const intruder = new SqliteDatabase(join(dir.path, 'switchboard.db'));
    intruder.exec('BEGIN IMMEDIATE');
    await Promise.all(ids.map((id) => expectFailure(commit(id), 'store_unavailable')));
    intruder.exec('ROLLBACK');
    intruder.close();
    await Promise.all(ids.map(commit));
    expect(await stored()).to.deep.equal(ids);
  });
});
