import { mkdir, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { expect } from 'chai';
import { openStore } from '../../../../src/gateway/store/open.js';
import type { FileRecord, Store } from '../../../../src/gateway/store/store.js';
import { bytes, expectFailure, newFile } from '../../../contracts/store/harness.js';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';

const ENCRYPTION_KEY = new Uint8Array(32).fill(7);
const SOUND = { withoutRecord: 0, withoutBytes: 0 };

describe('files beside the database', () => {
  let dir: TempDir;
  let store: Store;
  beforeEach(async () => {
    dir = await makeTempDir();
    store = await openStore({ url: 'sqlite', dataDir: dir.path, encryptionKey: ENCRYPTION_KEY });
  });
  afterEach(async () => {
    await store.close();
    await dir.remove();
  });
  const write = (messageId = 'M1') =>
    store.files.write(newFile({ messageId }), Readable.from([bytes('content')]));
  const pathOf = ({ id }: Pick<FileRecord, 'id'>) => join(dir.path, 'media', id.slice(0, 2), id);
  const onDisk = async () => {
    const entries = await readdir(join(dir.path, 'media'), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  };

  it('files are readable by their owner only', async () => {
    const record = await write();
    expect((await stat(pathOf(record))).mode & 0o777).to.equal(0o600);
    for (const folder of ['media', join('media', record.id.slice(0, 2))]) {
      expect((await stat(join(dir.path, folder))).mode & 0o777).to.equal(0o700);
    }
  });

  it('files get their final name only when they are complete', async () => {
    const source = new Readable({ read() {} });
    const file = newFile();
    const writing = store.files.write(file, source);
    source.push('some');
    while (!(await onDisk().catch((): string[] => [])).includes(`${file.id}.part`)) source.push('more');
    source.push(null);
    await writing;
    expect(await onDisk()).to.deep.equal([file.id]);
  });

  it('files leave nothing on the disk when they are removed, pruned, forgotten or aborted', async () => {
    await store.files.remove((await write()).id);
    await write();
    await store.files.prune(Number.MAX_SAFE_INTEGER);
    await write();
    await store.forget('acme');
    const source = new Readable({ read: () => source.destroy(new Error('cut')) });
    await store.files.write(newFile(), source).catch(() => undefined);
    await Promise.all([write(), write()]);
    expect(await onDisk()).to.have.length(1);
  });

  it('files fail with one line that explains why they cannot be stored', async () => {
    await writeFile(join(dir.path, 'media'), 'in the way');
    const source = Readable.from([bytes('content')]);
    const message = await expectFailure(store.files.write(newFile(), source), 'store_unavailable');
    expect(message).to.contain(join(dir.path, 'media')).and.not.contain('\n');
    expect(source.destroyed).to.equal(true);
    expect((await store.files.list('acme', { page: 1, limit: 9 })).total).to.equal(0);
  });

  it('files fail when the disk fails while the source is silent', async () => {
    const file = newFile();
    await mkdir(`${pathOf(file)}.part`, { recursive: true });
    const source = new Readable({ read() {} });
    await expectFailure(store.files.write(file, source), 'store_unavailable');
    expect(source.destroyed).to.equal(true);
  });

  it('files are reported and removed when they have no record, complete or not', async () => {
    const record = await write();
    await writeFile(pathOf({ id: newFile().id.replace(/^../, record.id.slice(0, 2)) }), 'without a record');
    await writeFile(`${pathOf(record)}.part`, 'left by a crash');
    expect(await store.files.check({ repair: false })).to.deep.equal({ ...SOUND, withoutRecord: 2 });
    expect(await onDisk()).to.have.length(3);
    expect(await store.files.check({ repair: true })).to.deep.equal({ ...SOUND, withoutRecord: 2 });
    expect(await onDisk()).to.deep.equal([record.id]);
    expect(await store.files.check({ repair: false })).to.deep.equal(SOUND);
  });

  it('files are reported and repaired when bytes are missing, among many', async () => {
    const written: FileRecord[] = [];
    for (let n = 0; n < 110; n += 1) written.push(await write(`M${n}`));
    const [gone, cut, ...kept] = written;
    if (!gone || !cut) throw new Error('nothing was written');
    await rm(pathOf(gone));
    await truncate(pathOf(cut), 3);
    expect(await store.files.open(gone.id)).to.equal(undefined);
    expect(await store.files.check({ repair: false })).to.deep.equal({ ...SOUND, withoutBytes: 2 });
    expect(await store.files.check({ repair: true })).to.deep.equal({ ...SOUND, withoutBytes: 2 });
    expect(await store.files.check({ repair: true })).to.deep.equal(SOUND);
    expect(await store.files.get(gone.id)).to.equal(undefined);
    const listed = await store.files.list('acme', { page: 1, limit: 999 });
    expect(listed.files.map(({ id }) => id)).to.have.members(kept.map(({ id }) => id));
    const opened = await store.files.open(kept[0]?.id ?? '');
    expect(opened && (await textOf(opened.stream))).to.equal('content');
  });

  it('files pass the check before the first one is written', async () => {
    expect(await store.files.check({ repair: true })).to.deep.equal(SOUND);
  });
});
