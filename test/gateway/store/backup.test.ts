import { writeFileSync } from 'node:fs';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import SqliteDatabase from 'better-sqlite3';
import { expect } from 'chai';
import { writeBackup } from '../../../src/gateway/store/backup/backup.js';
import { checkBackup } from '../../../src/gateway/store/backup/restore.js';
import { COLLECTIONS } from '../../../src/gateway/store/mongo/schema.js';
import { openMongoBackup } from '../../../src/gateway/store/mongo/store.js';
import {
  openBackup,
  openRestore,
  openStore,
  receiveBackup,
  shownPlace,
} from '../../../src/gateway/store/open.js';
import {
  BACKED_UP,
  BACKUP_COLLECTIONS,
  fieldsOf,
  isCollection,
  mayBeNull,
  type Row,
} from '../../../src/gateway/store/port/backup.js';
import { openSqliteBackup } from '../../../src/gateway/store/sqlite/backup.js';
import { openSqliteBackend } from '../../../src/gateway/store/sqlite/store.js';
import { columnsOf } from '../../../src/gateway/store/sqlite/table.js';
import type { Store } from '../../../src/gateway/store/store.js';
import { expectFailure, message, newFile, roomUpdate, session } from '../../contracts/store/harness.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';
import { MONGODB_URL, makeTestDatabase } from './support/mongo.js';
import { fillWithSecrets, found, SECRETS } from './support/secrets.js';

const KEY = Buffer.from(SECRETS.encryptionKey);
const COUNTED = { add: () => undefined };
const ABOUT = { createdAt: '2026-11-22T10:00:00Z', release: '2026-11', counted: COUNTED };
const PAIRS = MONGODB_URL
  ? (['sqlite mongodb', 'mongodb sqlite', 'mongodb mongodb'] as const)
  : (['sqlite sqlite'] as const);

interface Place {
  url: string;
  dataDir: string;
  encryptionKey: Uint8Array;
}

describe('backup and restore of a store', () => {
  let folder: TempDir;
  let count = 0;
  const drops: (() => Promise<void>)[] = [];
  before(async () => {
    folder = await makeTempDir();
  });
  after(async () => {
    for (const drop of drops) await drop();
    await folder.remove();
  });

  const fresh = (kind: string): Place => {
    count += 1;
    const dataDir = join(folder.path, `data-${count}`);
    if (kind !== 'mongodb' || !MONGODB_URL) return { url: 'sqlite', dataDir, encryptionKey: KEY };
    const database = makeTestDatabase(MONGODB_URL);
    drops.push(() => database.drop());
    return { url: database.url, dataDir, encryptionKey: KEY };
  };
  const newPath = () => {
    count += 1;
    return join(folder.path, `${count}.backup`);
  };
  const inStore = async <T>(place: Place, work: (store: Store) => Promise<T>): Promise<T> => {
    const store = await openStore(place);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const filesAt = async (path: string) =>
    (await readdir(folder.path)).filter((name) => name.startsWith(basename(path)));
  const backUp = async (place: Place, path = newPath()) => {
    const store = await openBackup(place);
    try {
      return { path, ...(await store.write({ ...ABOUT, path })) };
    } finally {
      await store.close();
    }
  };
  const restore = async (path: string, place: Place, counted: { add(count: number): void } = COUNTED) => {
    const backup = await checkBackup(path, place.encryptionKey);
    const store = await openRestore(place);
    try {
      await store.restore(backup, counted);
    } finally {
      await store.close();
    }
  };
  /** All rows of a store, in any order of those of one collection. */
  const rowsOf = async (place: Place) => {
    const source = await (place.url === 'sqlite' ? openSqliteBackup(place) : openMongoBackup(place));
    const rows = new Map<string, string[]>();
    try {
      for (const clientId of await source.sessions()) {
        for (const collection of BACKUP_COLLECTIONS) {
          const all = rows.get(collection) ?? [];
          for await (const batch of source.rows(clientId, collection)) {
            all.push(...batch.map((row) => `${clientId} ${textOfRow(row)}`));
          }
          rows.set(collection, all.sort());
        }
      }
    } finally {
      await source.close();
    }
    return rows;
  };
  /** Every collection has a row, in two sessions. */
  const fill = (place: Place) =>
    inStore(place, async (store) => {
      await fillWithSecrets(store);
      await store.sessions.create(session('other', { pn: '', retentionDays: null }));
      await store.history.record(
        'other',
        roomUpdate({ chatRoomId: 'R' }),
        message('O1', { chatRoomId: 'R' }),
      );
      await store.history.advance('acme', { messageId: 'M1', status: 'delivered', at: 5 });
      const expected = { clientId: 'acme', chatRoomId: 'acme-1-2', messageId: 'M9', since: 7, past: true };
      await store.expectedFiles.add({ ...expected, id: '99999999-1111-4111-8111-111111111111' });
      // a restore corrects rooms
      for (const clientId of ['acme', 'other']) {
        for (const { chatRoomId } of await store.history.rooms(clientId)) {
          await store.history.checkRoom(clientId, chatRoomId, { repair: true });
        }
      }
    });

  for (const pair of PAIRS) {
    const [from = '', to = ''] = pair.split(' ');
    it(`brings every record of every collection from ${from} to ${to}, while the store is in use`, async () => {
      const [source, target] = [fresh(from), fresh(to)];
      await fill(source);
      const written = await inStore(source, () => backUp(source));
      expect(written).to.deep.include({ messages: 3, files: 1, missingFiles: 0, store: from });
      expect(written.sessions.map(({ clientId }) => clientId)).to.deep.equal(['acme', 'other']);
      expect(found(await readFile(written.path), Object.values(SECRETS))).to.deep.equal([]);
      await restore(written.path, target);
      const [before, after] = [await rowsOf(source), await rowsOf(target)];
      for (const collection of BACKUP_COLLECTIONS) {
        expect(before.get(collection), collection).to.not.have.length(0);
        expect(after.get(collection), collection).to.deep.equal(before.get(collection));
      }
      await inStore(target, async (store) => {
        expect(await store.sessions.get('acme')).to.include({ webhookToken: SECRETS.changedToken });
        expect(Buffer.from((await store.keys.credentials('acme')) ?? []).toString()).to.equal(
          SECRETS.credentials,
        );
        const [file] = (await store.files.list('acme', { page: 1, limit: 9 })).files;
        const opened = await store.files.open(file?.id ?? '');
        const bytes = opened ? await opened.stream.toArray() : [];
        expect(Buffer.concat(bytes).toString()).to.equal('FILE-acme');
      });
    });
  }

  const kind = MONGODB_URL ? 'mongodb' : 'sqlite';
  const filled = async () => {
    const place = fresh(kind);
    await fill(place);
    return { source: place, ...(await backUp(place)) };
  };

  it('brings sessions from a backup of a release that did not know all of their fields', async () => {
    const { dataDir } = fresh('sqlite');
    const backend = await openSqliteBackend({ dataDir });
    const known = { ...session('acme'), extraEvents: '[]' };
    const row = Object.fromEntries(
      fieldsOf('sessions').map(([name, field]) => [
        name,
        mayBeNull(field) ? null : (Object.entries(known).find(([one]) => one === name)?.[1] ?? ''),
      ]),
    );
    await backend.restore.insert('acme', 'sessions', [row]);
    const { name, previousTokenUntil, linkedAt, linkedNumber } = (await backend.sessions.get('acme')) ?? {};
    await backend.close();
    expect({ name, previousTokenUntil, linkedAt, linkedNumber }).to.deep.equal({
      ...{ name: 'Acme', previousTokenUntil: 0, linkedAt: 0, linkedNumber: '' },
    });
  });

  it('keeps messages of the same instant in their order', async () => {
    const [source, target] = [fresh(kind), fresh(kind)];
    const ids = ['C', 'A', 'B', 'D'];
    await inStore(source, async ({ sessions, history }) => {
      await sessions.create(session('acme'));
      for (const id of ids) await history.record('acme', roomUpdate(), message(id));
    });
    await restore((await backUp(source)).path, target);
    const messages = await inStore(target, ({ history }) =>
      history.messages('acme', 'acme-1-2', { limit: 9 }),
    );
    expect(messages.map(({ messageId }) => messageId)).to.deep.equal(ids);
  });

  it('marks a file whose bytes are missing as expected again', async () => {
    const [source, target] = [fresh(kind), fresh(kind)];
    const id = await inStore(source, async (store) => {
      await store.sessions.create(session('acme'));
      const file = newFile({ messageId: 'M1' });
      await store.files.write(file, Readable.from([Buffer.from('content')]));
      return file.id;
    });
    const opened = await (kind === 'sqlite' ? openSqliteBackup(source) : openMongoBackup(source));
    const path = newPath();
    const broken = { ...opened, openFile: async () => Readable.from([Buffer.from('conte')]) };
    const written = await writeBackup(broken, { ...ABOUT, place: 'here', path, encryptionKey: KEY });
    await opened.close();
    expect(written).to.include({ files: 0, missingFiles: 1 });
    await restore(path, target);
    await inStore(target, async ({ files, expectedFiles }) => {
      expect(await files.get(id)).to.equal(undefined);
      expect(await expectedFiles.get(id)).to.include({ messageId: 'M1', past: true });
    });
  });

  it('names its store, without the credentials of a database', async () => {
    const { source, path, ...written } = await filled();
    const { contents } = await checkBackup(path, KEY);
    const { host, pathname } = new URL(source.url === 'sqlite' ? 'file:///' : source.url);
    const place = source.url === 'sqlite' ? source.dataDir : `mongodb://${host}${pathname}`;
    expect({ store: written.store, place: written.place }).to.deep.equal({ store: kind, place });
    expect({ store: contents.store, place: contents.place }).to.deep.equal({ store: kind, place });
    const url = 'mongodb://me:s3cr@t@one:1,two:2/switchboard?authSource=admin&password=x';
    expect(shownPlace({ url, dataDir: '/data' })).to.equal('mongodb://one:1,two:2/switchboard');
  });

  it('gives the same backup as a file and as a stream, which is received in pieces of any length', async () => {
    const [source, target] = [fresh(kind), fresh(kind)];
    await fill(source);
    const path = newPath();
    const store = await openBackup(source);
    const bytes = Buffer.concat(await Readable.from(store.bytes(ABOUT)).toArray());
    await store.close();
    const pieces = function* (length: number) {
      for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
    };
    for (const length of [1, 7, 4_096, bytes.length]) {
      const received = newPath();
      const contents = await receiveBackup(Readable.from(pieces(length)), {
        path: received,
        counted: COUNTED,
      });
      expect(contents).to.deep.include({ messages: 3, files: 1, missingFiles: 0, bytes: bytes.length });
      expect(await readFile(received)).to.deep.equal(bytes);
    }
    await receiveBackup(Readable.from(pieces(999)), { path, counted: COUNTED });
    await restore(path, target);
    expect(await rowsOf(target)).to.deep.equal(await rowsOf(source));
  });

  it('leaves no file of a stream that is cut off anywhere or breaks', async () => {
    const { path, bytes } = await filled();
    const whole = await readFile(path);
    for (const length of [0, 7, 8, 100, Math.floor(bytes / 2), bytes - 37, bytes - 1]) {
      const received = newPath();
      const cut = Readable.from([whole.subarray(0, length)]);
      await expectFailure(receiveBackup(cut, { path: received, counted: COUNTED }), 'backup_damaged');
      const breaks = async function* () {
        yield whole.subarray(0, length);
        throw new Error('the connection was cut');
      };
      const failure = await receiveBackup(breaks(), { path: received, counted: COUNTED }).catch(String);
      expect(failure).to.equal('Error: the connection was cut');
      expect(await filesAt(received)).to.deep.equal([]);
    }
  });

  it('refuses a backup that was cut off or changed anywhere, and another key, and writes nothing', async () => {
    const { path, bytes } = await filled();
    const whole = await readFile(path);
    const target = fresh('sqlite');
    const refused = async (content: Buffer, code = 'backup_damaged') => {
      const other = newPath();
      await writeFile(other, content);
      await expectFailure(restore(other, target), code);
      await expectFailure(openBackup(target), 'store_missing');
    };
    for (const length of [0, 4, 9, 200, bytes - 33, bytes - 1]) await refused(whole.subarray(0, length));
    await refused(Buffer.concat([whole, Buffer.from('x')]));
    await refused(Buffer.from('{"no": "backup of ours"}'));
    for (const position of [2, Math.floor(bytes / 3), Math.floor(bytes / 2), bytes - 40, bytes - 1]) {
      const changed = Buffer.from(whole);
      changed.writeUInt8(whole.readUInt8(position) ^ 1, position);
      await refused(changed);
    }
    // a frame that says it is longer than the file, and a head that is longer than any
    const foreign = (type: number, length: number, content: Buffer) => {
      const head = Buffer.from([type, 0, 0, 0, 0]);
      head.writeUInt32BE(length, 1);
      return Buffer.concat([Buffer.from('SWBACKUP'), head, content]);
    };
    await refused(foreign(0, 64 * 1024 * 1024, Buffer.from('{')));
    const long = Buffer.from(JSON.stringify({ format: 1, dataKey: 'A'.repeat(100_000) }));
    await refused(foreign(0, long.length, long));
    await expectFailure(
      restore(path, { ...target, encryptionKey: Buffer.alloc(32) }),
      'encryption_key_wrong',
    );
    await expectFailure(openBackup(target), 'store_missing');
  });

  it('keeps a store unusable if the backup is changed between its check and its restore', async () => {
    const { path, bytes } = await filled();
    const whole = await readFile(path);
    const backup = await checkBackup(path, KEY);
    const target = fresh(kind);
    const changed = Buffer.from(whole);
    changed.writeUInt8(whole.readUInt8(bytes - 1) ^ 1, bytes - 1);
    await writeFile(path, changed);
    const store = await openRestore(target);
    const failure = await expectFailure(store.restore(backup, COUNTED), 'backup_damaged');
    await store.close();
    expect(failure).to.contain('changed while it was restored');
    await expectFailure(openStore(target), 'store_damaged');
    await writeFile(path, whole);
    await restore(path, target);
    await inStore(target, ({ ping }) => ping());
  });

  it('does not replace a file that appears while the backup is written', async () => {
    const { source } = await filled();
    const path = newPath();
    const counted = { add: () => writeFileSync(path, 'of somebody else') };
    const store = await openBackup(source);
    const failure = await store.write({ ...ABOUT, path, counted }).catch((error: unknown) => error);
    await store.close();
    expect(failure).to.be.an('error').with.property('code', 'EEXIST');
    expect(await readFile(path, 'utf8')).to.equal('of somebody else');
    expect(await filesAt(path)).to.deep.equal([basename(path)]);
  });

  it('follows no symbolic link beside the path of the backup', async () => {
    const { source } = await filled();
    const [path, other] = [newPath(), newPath()];
    await writeFile(other, 'of somebody else');
    await symlink(other, `${path}.part`);
    await backUp(source, path);
    expect(await readFile(other, 'utf8')).to.equal('of somebody else');
    await checkBackup(path, KEY);
  });

  it('writes no backup with another key, and leaves no file behind', async () => {
    const { source } = await filled();
    const path = newPath();
    await expectFailure(backUp({ ...source, encryptionKey: Buffer.alloc(32) }, path), 'encryption_key_wrong');
    expect(await filesAt(path)).to.deep.equal([]);
  });

  it('refuses a store with sessions, and leaves it unchanged', async () => {
    const { path } = await filled();
    const target = fresh(kind);
    await inStore(target, ({ sessions }) => sessions.create(session('mine')));
    expect(await expectFailure(restore(path, target), 'store_not_empty')).to.contain('1 session');
    const sessions = await inStore(target, (store) => store.sessions.list());
    expect(sessions.map(({ clientId }) => clientId)).to.deep.equal(['mine']);
  });

  it('refuses a store whose restore was interrupted, until a restore has repeated it', async () => {
    const { source, path } = await filled();
    const target = fresh(kind);
    let left = 8;
    const breaks = {
      add: (rows: number) => {
        left -= rows;
        if (left < 0) throw new Error('interrupted');
      },
    };
    await restore(path, target, breaks).catch((error: Error) =>
      expect(error.message).to.equal('interrupted'),
    );
    expect(await expectFailure(openStore(target), 'store_damaged')).to.contain('switchboard store restore');
    await restore(path, target);
    expect(await rowsOf(target)).to.deep.equal(await rowsOf(source));
    await inStore(target, ({ ping }) => ping());
  });

  it('reads a session again whose rooms move while it is read', async () => {
    const source = fresh(kind);
    await fill(source);
    const opened = await (kind === 'sqlite' ? openSqliteBackup(source) : openMongoBackup(source));
    let readings = 0;
    const moving: typeof opened = {
      ...opened,
      async *rows(clientId, collection) {
        if (clientId === 'other' && collection === 'rooms' && readings++ === 0) {
          return yield [{ chatRoomId: 'of a number' }];
        }
        yield* opened.rows(clientId, collection);
      },
    };
    const path = newPath();
    const written = await writeBackup(moving, { ...ABOUT, place: 'here', path, encryptionKey: KEY });
    await opened.close();
    expect(written).to.include({ messages: 3 });
    const target = fresh(kind);
    await restore(path, target);
    expect(await rowsOf(target)).to.deep.equal(await rowsOf(source));
  });

  it('knows every table and column of SQLite that belongs to sessions', async () => {
    const place = fresh('sqlite');
    await inStore(place, async () => undefined);
    const sqlite = new SqliteDatabase(join(place.dataDir, 'switchboard.db'), { readonly: true });
    const columns = sqlite
      .prepare<[], [string, string]>(
        `SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'`,
      )
      .raw()
      .all();
    sqlite.close();
    // of no session; found again; or written beside the rows
    const others = ['compatibility', 'probe', 'client_version', 'restoring', 'data_keys', 'credentials'];
    const unknown = columns.filter(([table, column]) => {
      if (others.includes(table) || column === 'client_id') return false;
      // the place among messages of the same instant
      if (table === 'messages' && column === 'turn') return false;
      return !(isCollection(table) && columnsOf(BACKED_UP[table]).some((known) => known.column === column));
    });
    expect(unknown).to.deep.equal([]);
  });

  it('knows every collection of MongoDB that belongs to sessions', () => {
    const names = COLLECTIONS.map(({ name }) => name).filter(
      (name) => !['commits', 'data_keys'].includes(name),
    );
    expect(names.sort()).to.deep.equal(Object.keys(BACKED_UP).sort());
  });
});

function textOfRow(row: Row): string {
  const cells = Object.entries(row).map(([field, cell]) => [
    field,
    cell instanceof Uint8Array ? Buffer.from(cell).toString('hex') : cell,
  ]);
  return JSON.stringify(Object.fromEntries(cells));
}
