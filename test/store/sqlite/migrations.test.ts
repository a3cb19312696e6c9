import { join } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { expect } from 'chai';
import { isGatewayError } from '../../../src/domain/errors.js';
import { MIGRATIONS } from '../../../src/store/sqlite/migrations/index.js';
import { migrate } from '../../../src/store/sqlite/migrations/migrate.js';
import { openSqliteBackend } from '../../../src/store/sqlite/sqlite-store.js';
import { expectFailure, session } from '../../contracts/store/harness.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';

const FIRST = '-- v1 (compatible with v1+)\nCREATE TABLE one (id INTEGER) STRICT;';
const SECOND = '-- v2 (compatible with v1+)\nCREATE TABLE two (id INTEGER) STRICT;';
const BREAKING = '-- v3 (compatible with v3+)\nDROP TABLE one;';

describe('migrations', () => {
  let database: Database;
  beforeEach(() => {
    database = new SqliteDatabase(':memory:');
  });
  afterEach(() => {
    database.close();
  });
  const version = () => database.pragma('user_version', { simple: true });
  const tables = () =>
    database
      .prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'compatibility'`)
      .pluck()
      .all();

  it('number themselves without a gap and make the newest schema of an empty database', () => {
    migrate(database, MIGRATIONS);
    expect(version()).to.equal(MIGRATIONS.length);
    expect(tables()).to.include.members(['sessions', 'keys', 'journal']);
  });

  it('do only what is missing, once', () => {
    migrate(database, [FIRST]);
    migrate(database, [FIRST, SECOND]);
    migrate(database, [FIRST, SECOND]);
    expect([version(), tables()]).to.deep.equal([2, ['one', 'two']]);
  });

  it('change nothing when one of them fails', () => {
    migrate(database, [FIRST]);
    const broken = '-- v3 (compatible with v3+)\nCREATE TABLE three (id INTEGER) STRICT; DROP TABLE nowhere;';
    expect(() => migrate(database, [FIRST, SECOND, broken])).to.throw('nowhere');
    expect([version(), tables()]).to.deep.equal([1, ['one']]);
  });

  it('must say their number and what they are compatible with', () => {
    expect(() => migrate(database, ['CREATE TABLE one (id INTEGER)'])).to.throw(
      '-- v1 (compatible with vM+)',
    );
    expect(() => migrate(database, [FIRST, FIRST])).to.throw('migration 2');
  });

  it('let an older program use a newer database that says it suits', () => {
    migrate(database, [FIRST, SECOND]);
    migrate(database, [FIRST]);
    expect([version(), tables()]).to.deep.equal([2, ['one', 'two']]);
  });

  it('refuse a database from the future', () => {
    migrate(database, [FIRST, SECOND, BREAKING]);
    let thrown: unknown;
    try {
      migrate(database, [FIRST, SECOND]);
    } catch (error) {
      thrown = error;
    }
    expect(isGatewayError(thrown, 'store_too_new')).to.equal(true);
    expect([version(), tables()]).to.deep.equal([3, ['two']]);
  });
});

describe('a database file from the future', () => {
  let dir: TempDir;
  beforeEach(async () => {
    dir = await makeTempDir();
  });
  afterEach(() => dir.remove());

  it('is refused with one line and left as it was', async () => {
    const backend = await openSqliteBackend({ dataDir: dir.path });
    await backend.sessions.create(session('acme'));
    await backend.close();
    setVersion(MIGRATIONS.length + 1, MIGRATIONS.length + 1);

    const message = await expectFailure(openSqliteBackend({ dataDir: dir.path }), 'store_too_new');
    expect(message)
      .to.contain(`version ${MIGRATIONS.length + 1}`)
      .and.not.contain('\n');

    setVersion(MIGRATIONS.length, MIGRATIONS.length);
    const again = await openSqliteBackend({ dataDir: dir.path });
    expect(await again.sessions.list()).to.have.length(1);
    await again.close();
  });

  function setVersion(version: number, oldest: number): void {
    const database = new SqliteDatabase(join(dir.path, 'switchboard.db'));
    database.pragma(`user_version = ${version}`);
    database.prepare('UPDATE compatibility SET oldest_version = ?').run(oldest);
    database.close();
  }
});
