import { cp, mkdir, open as openFile, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect } from 'chai';
import StoreCheck from '../../../../commands/store/check.js';
import StoreRestore from '../../../../commands/store/restore.js';
import { messageForOperator } from '../../../../src/domain/errors.js';
import { createLog } from '../../../../src/gateway/log.js';
import { findStoreDamage, openBackup, openStore } from '../../../../src/gateway/store/open.js';
import type { Store } from '../../../../src/gateway/store/store.js';
import { bytes, expectFailure, message, roomUpdate, session } from '../../../contracts/store/harness.js';
import { Chance } from '../../../support/chance.js';
import { runCommand } from '../../../support/run-command.js';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';
import { diagnose } from '../../../terminal/cli/doctor/support/diagnose.js';

const KEY = bytes('encryption-key-of-32-characters!');
const MESSAGES = 300;
const FLIPS = 10;
const PATIENCE_MS = 120_000;

describe('an SQLite store that is damaged', function () {
  this.timeout(PATIENCE_MS);
  const chance = new Chance();
  let dir: TempDir;
  let store: Store;
  /** The files as a process that was killed leaves them. */
  let killed: string;

  before(async () => {
    dir = await makeTempDir();
    const dataDir = join(dir.path, 'open');
    store = await openStore({ url: 'sqlite', dataDir, encryptionKey: KEY });
    await store.sessions.create(session('acme'));
    for (let n = 0; n < MESSAGES; n++) {
      await store.history.record('acme', roomUpdate(), message(`M${n}`, { sentAt: n }));
    }
    checkpoint(dataDir);
    await store.sessions.update('acme', { name: 'in the log' });
    killed = join(dir.path, 'killed');
    await cp(dataDir, killed, { recursive: true });
    await store.close();
  });
  after(() => dir.remove());

  let copies = 0;
  const copyOf = async (folder: string) => {
    const dataDir = join(dir.path, `copy-${copies++}`);
    await cp(folder, dataDir, { recursive: true });
    return dataDir;
  };
  const open = (dataDir: string) => openStore({ url: 'sqlite', dataDir, encryptionKey: KEY });
  const file = (dataDir: string) => join(dataDir, 'switchboard.db');
  /** Flips the bits of the first byte of a page. */
  const flip = async (dataDir: string, page: number) => {
    const size = (await readFile(file(dataDir))).readUInt16BE(16);
    const handle = await openFile(file(dataDir), 'r+');
    const byte = Buffer.alloc(1);
    await handle.read(byte, 0, 1, (page - 1) * size);
    await handle.write(Buffer.of((byte[0] ?? 0) ^ 0xff), 0, 1, (page - 1) * size);
    await handle.close();
  };
  const anyPage = async () => {
    const size = (await readFile(file(killed))).readUInt16BE(16);
    return chance.between(2, Math.floor((await stat(file(killed))).size / size));
  };

  it(`is refused after an unclean stop, whatever page is hit (seed ${chance.seed})`, async () => {
    for (let n = 0; n < FLIPS; n++) {
      const [dataDir, page] = [await copyOf(killed), await anyPage()];
      // the log would replace some pages
      await rm(`${file(dataDir)}-wal`);
      await flip(dataDir, page);
      const error = await open(dataDir).then(
        () => undefined,
        (reason: Error) => reason,
      );
      expect(error?.message, `page ${page}`).to.match(/damaged|malformed/);
      expect((await findStoreDamage({ url: 'sqlite', dataDir }))?.lines, `page ${page}`).not.to.deep.equal(
        [],
      );
      await rm(dataDir, { recursive: true });
    }
  });

  it('is not changed by the start that refuses it', async () => {
    const dataDir = await copyOf(killed);
    await flip(dataDir, await anyPage());
    const files = [file(dataDir), `${file(dataDir)}-wal`];
    const before = await Promise.all(files.map((path) => readFile(path)));
    await expectFailure(open(dataDir), 'store_damaged');
    for (const [index, path] of files.entries())
      expect((await readFile(path)).equals(before[index] ?? bytes(''))).to.equal(true);
  });

  it('is refused with advice at each start, until the operator decides', async () => {
    const dataDir = await copyOf(killed);
    const size = (await readFile(file(dataDir))).readUInt16BE(16);
    await flip(dataDir, Math.floor((await stat(file(dataDir))).size / size));
    for (let attempt = 0; attempt < 2; attempt++) {
      const reason = await expectFailure(open(dataDir), 'store_damaged');
      expect(reason).to.contain('switchboard store restore').and.to.contain('switchboard.open');
    }
    const args = ['--data-dir', dataDir, '--encryption-key', Buffer.from(KEY).toString('hex')];
    const { stderr, exitCode } = await runCommand(StoreCheck, args);
    expect(stderr).to.contain('the database is damaged: ');
    expect(exitCode).to.equal(1);
    await rm(join(dataDir, 'switchboard.open'));
    await (await open(dataDir)).close();
  });

  it('is opened after an unclean stop when another program kept it from being checked', async () => {
    const dataDir = await copyOf(killed);
    const held = hold(dataDir);
    const logged: string[] = [];
    const write = (line: string) => {
      logged.push(line);
      held.close();
    };
    const log = createLog({ level: 'warn', pretty: false, destination: { write } });
    const opened = await openStore({ url: 'sqlite', dataDir, encryptionKey: KEY, log });
    expect((await opened.sessions.get('acme'))?.name).to.equal('in the log');
    await opened.close();
    expect(logged.join())
      .to.contain('the check for damage could not run')
      .and.to.contain('database is locked');
  });

  it('is not reported as damaged when it cannot be read', async () => {
    const dataDir = await copyOf(killed);
    const held = hold(dataDir);
    const args = ['--data-dir', dataDir, '--encryption-key', Buffer.from(KEY).toString('hex')];
    const { stderr, exitCode } = await runCommand(StoreCheck, args);
    expect(stderr).to.contain('the database could not be checked for damage: database is locked');
    expect(exitCode).to.equal(1);
    const found = (await diagnose({ url: 'http://127.0.0.1:1', dataDir })).of('store-damage');
    expect(found).to.include({ level: 'failed', trouble: 'store-unchecked' });
    expect(found.detail).to.contain('database is locked');
    held.close();
    await rm(file(dataDir));
    await mkdir(file(dataDir));
    const error = await findStoreDamage({ url: 'sqlite', dataDir }).catch(messageForOperator);
    expect(error).to.match(/disk I\/O error|unable to open database file/);
  });

  it('is opened after an unclean stop without damage, and not checked after a clean one', async () => {
    const dataDir = await copyOf(killed);
    const opened = await open(dataDir);
    expect((await opened.sessions.get('acme'))?.name).to.equal('in the log');
    expect(await findStoreDamage({ url: 'sqlite', dataDir }))
      .to.have.property('lines')
      .that.deep.equals([]);
    await opened.close();
    for (let n = 0; n < FLIPS; n++) {
      const [damaged, page] = [await copyOf(dataDir), await anyPage()];
      await flip(damaged, page);
      // nothing was left open: the daemon starts as before, unless it reads the page at once
      await open(damaged).then(
        (again) => again.close(),
        (error: unknown) => expect(messageForOperator(error), `page ${page}`).to.match(/malformed/),
      );
      await rm(damaged, { recursive: true });
    }
  });

  it('is not replaced by an empty one when its file was emptied or removed while its log remains', async () => {
    for (const lose of [(path: string) => truncate(path), (path: string) => rm(path)]) {
      const dataDir = await copyOf(killed);
      await lose(file(dataDir));
      const log = await readFile(`${file(dataDir)}-wal`);
      for (const mark of ['left', 'gone']) {
        if (mark === 'gone') await rm(join(dataDir, 'switchboard.open'), { force: true });
        const reason = await expectFailure(open(dataDir), 'store_damaged');
        expect(reason)
          .to.contain('empty or missing')
          .and.contain('switchboard.db-wal')
          .and.not.to.contain('To start with it all the same');
      }
      expect((await readFile(`${file(dataDir)}-wal`)).equals(log)).to.equal(true);
    }
  });

  it('is set aside by a restore, as its error says', async () => {
    const backup = join(dir.path, 'whole.backup');
    const source = await openBackup({ url: 'sqlite', dataDir: await copyOf(killed), encryptionKey: KEY });
    await source.write({
      ...{ path: backup, createdAt: '2026-11-24T10:00:00Z', release: '2026-11' },
      counted: { add: () => undefined },
    });
    await source.close();
    const damages: ((path: string) => Promise<void>)[] = [
      // pages, the header, the whole file
      (path) => flipFrom(path, 5),
      (path) => overwrite(path, Buffer.alloc(64, 7)),
      (path) => truncate(path),
    ];
    for (const spoil of damages) {
      const dataDir = await copyOf(killed);
      await spoil(file(dataDir));
      const spoilt = await readFile(file(dataDir));
      const key = Buffer.from(KEY).toString('hex');
      const argv = [backup, '--data-dir', dataDir, '--encryption-key', key];
      const { stderr, exitCode } = await runCommand(StoreRestore, argv);
      expect(exitCode, stderr).to.equal(0);
      const [, kept = ''] = /the damaged database is kept as (\S+)/.exec(stderr) ?? [];
      expect((await readFile(kept)).equals(spoilt)).to.equal(true);
      const restored = await open(dataDir);
      expect((await restored.sessions.get('acme'))?.name).to.equal('in the log');
      await restored.close();
    }
  });

  it('loses only the newest commits when its write-ahead log was cut, and is not damaged', async () => {
    const dataDir = await copyOf(killed);
    const log = `${file(dataDir)}-wal`;
    await truncate(log, Math.floor((await stat(log)).size / 2));
    const opened = await open(dataDir);
    expect(await opened.history.messages('acme', 'acme-1-2', { limit: 9 })).to.have.length(9);
    await opened.close();
  });
});

/** Holds the whole file, as another program may. */
function hold(dataDir: string): SqliteDatabase.Database {
  const sqlite = new SqliteDatabase(join(dataDir, 'switchboard.db'));
  sqlite.pragma('locking_mode = EXCLUSIVE');
  sqlite.exec('BEGIN EXCLUSIVE; COMMIT');
  return sqlite;
}

async function overwrite(path: string, bytesOfFile: Uint8Array): Promise<void> {
  const handle = await openFile(path, 'r+');
  await handle.write(bytesOfFile, 0, bytesOfFile.length, 0);
  await handle.close();
}

/** Spoils the first byte of each page from the given one. */
async function flipFrom(path: string, page: number): Promise<void> {
  const database = await readFile(path);
  const size = database.readUInt16BE(16);
  for (let at = page * size; at < database.length; at += size) database[at] = 0xff;
  await writeFile(path, database);
}

function checkpoint(dataDir: string): void {
  const sqlite = new SqliteDatabase(join(dataDir, 'switchboard.db'));
  sqlite.pragma('wal_checkpoint(FULL)');
  sqlite.close();
}
