import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect } from 'chai';
import { openSqliteBackend } from '../../../src/store/sqlite/sqlite-store.js';
import type { Backend } from '../../../src/store/store.js';
import { expectFailure, session } from '../../contracts/store/harness.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';

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

  it('is noticed by ping when its file is gone, and when it is back', async () => {
    await rename(file(), `${file()}.away`);
    expect(await expectFailure(backend.ping(), 'store_unavailable')).to.contain('moved or deleted');
    await rename(`${file()}.away`, file());
    await backend.ping();
  });

  it('is noticed by ping and by writes when another program holds it, and works again after', async () => {
    const intruder = new SqliteDatabase(file());
    intruder.exec('BEGIN IMMEDIATE');
    await expectFailure(backend.ping(), 'store_unavailable');
    await expectFailure(backend.sessions.create(session('acme')), 'store_unavailable');
    intruder.exec('ROLLBACK');
    intruder.close();
    await backend.ping();
    expect(await backend.sessions.list()).to.deep.equal([]);
  });

  it('is waited for by the first write only, because waiting holds everybody up', async () => {
    const intruder = new SqliteDatabase(file());
    intruder.exec('BEGIN IMMEDIATE');
    const start = performance.now();
    for (let write = 0; write < 20; write++) await expectFailure(backend.ping(), 'store_unavailable');
    expect(performance.now() - start).to.be.below(5_000);
    intruder.exec('ROLLBACK');
    intruder.close();
    await backend.ping();
  });

  it('is noticed when a table cannot be read', async () => {
    const intruder = new SqliteDatabase(file());
    intruder.exec('DROP TABLE keys');
    intruder.close();
    await expectFailure(backend.keys.get('acme', 'session', ['a']), 'store_unavailable');
  });
});
