import { renameSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { expect } from 'chai';
import { isGatewayError } from '../../../../src/domain/errors.js';
import { FORMER_EXPORT_MARK } from '../../../../src/gateway/store/port/sessions.js';
import { MIGRATIONS } from '../../../../src/gateway/store/sqlite/migrations.js';
import { migrate } from '../../../../src/gateway/store/sqlite/schema.js';
import { openSqliteBackend } from '../../../../src/gateway/store/sqlite/store.js';
import { expectFailure, failed, session, waiting } from '../../../contracts/store/harness.js';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';

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

  it('migrations have consecutive numbers, and create the newest schema in an empty database', () => {
    migrate(database, MIGRATIONS);
    expect(version()).to.equal(MIGRATIONS.length);
    expect(tables()).to.include.members(['sessions', 'keys', 'journal']);
  });

  it('apply the missing steps, once', () => {
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

  it('migrations must have a number and the version that they are compatible with', () => {
    expect(() => migrate(database, ['CREATE TABLE one (id INTEGER)'])).to.throw(
      '-- v1 (compatible with vM+)',
    );
    expect(() => migrate(database, [FIRST, FIRST])).to.throw('migration 2');
  });

  it('admit an older program to a newer database that allows it', () => {
    migrate(database, [FIRST, SECOND]);
    migrate(database, [FIRST]);
    expect([version(), tables()]).to.deep.equal([2, ['one', 'two']]);
  });

  it('refuse a database of a newer version', () => {
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

describe('a database file of another version', () => {
  let dir: TempDir;
  beforeEach(async () => {
    dir = await makeTempDir();
  });
  afterEach(() => dir.remove());

  it('a database of a newer version is refused with one line, and stays unchanged', async () => {
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

  it('keeps the sends of the previous release, which stored no file names', async () => {
    const database = new SqliteDatabase(join(dir.path, 'switchboard.db'));
    migrate(database, MIGRATIONS.slice(0, 14));
    database
      .prepare(
        `INSERT INTO sends (client_id, message_id, recipient, content, meta_data, sent_at, acknowledged, closed)
         VALUES ('acme', 'M1', '1@lid', x'01', '', 5, 0, 0)`,
      )
      .run();
    database.close();
    const backend = await openSqliteBackend({ dataDir: dir.path });
    const [open] = await backend.sends.open('acme');
    await backend.close();
    expect(open).to.include({ messageId: 'M1', fileName: '', sentAt: 5 });
  });

  it('reads waiting and failed events of the previous release as those of the webhook', async () => {
    const dataDir = dir.path;
    const store = await openSqliteBackend({ dataDir });
    await store.sessions.create(session('acme'));
    await store.failedDeliveries.add(failed('F1'), 10);
    await store.waitingDeliveries.add(waiting('W1'));
    await store.close();
    goBackTo(21);
    const backend = await openSqliteBackend({ dataDir });
    expect((await backend.sessions.get('acme'))?.receivers).to.equal(null);
    expect(await backend.failedDeliveries.list({ clientId: 'acme', receiver: '1', limit: 9 })).to.deep.equal([
      failed('F1'),
    ]);
    expect(await backend.waitingDeliveries.get('W1')).to.deep.equal(waiting('W1'));
    await backend.close();
  });

  it('recognises the sessions that the previous release exported, and none that another client took over', async () => {
    const dataDir = dir.path;
    const store = await openSqliteBackend({ dataDir });
    const parked = { status: 'replaced' as const, statusSince: 1_700_000_000_000 };
    await store.sessions.create({ ...session('moved'), ...parked, statusReason: FORMER_EXPORT_MARK });
    await store.sessions.create({
      ...session('taken'),
      ...parked,
      statusReason: 'Another client has the link.',
    });
    await store.close();
    goBackTo(25);
    const backend = await openSqliteBackend({ dataDir });
    expect((await backend.sessions.get('moved'))?.exportedAt).to.equal(parked.statusSince);
    expect((await backend.sessions.get('taken'))?.exportedAt).to.equal(0);
    await backend.close();
  });

  /** Moves the rows to a database of an older schema, as far as it has their tables and columns. */
  function goBackTo(version: number): void {
    const path = join(dir.path, 'switchboard.db');
    const newer = join(dir.path, 'newer.db');
    renameSync(path, newer);
    const database = new SqliteDatabase(path);
    migrate(database, MIGRATIONS.slice(0, version));
    database.prepare('ATTACH ? AS newer').run(newer);
    const tables = database
      .prepare<[], [table: string, columns: string]>(
        `SELECT t.name, group_concat(c.name) FROM main.sqlite_schema t JOIN pragma_table_info(t.name, 'main') c
         WHERE t.type = 'table' AND t.name <> 'compatibility' GROUP BY t.name`,
      )
      .raw()
      .all();
    for (const [table, columns] of tables) {
      database.exec(`INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM newer.${table}`);
    }
    database.close();
  }

  function setVersion(version: number, oldest: number): void {
    const database = new SqliteDatabase(join(dir.path, 'switchboard.db'));
    database.pragma(`user_version = ${version}`);
    database.prepare('UPDATE compatibility SET oldest_version = ?').run(oldest);
    database.close();
  }
});
