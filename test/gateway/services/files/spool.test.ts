import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { LIMITS } from '../../../../src/domain/limits.js';
import { Spool } from '../../../../src/gateway/services/files/spool.js';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';

const DAY_MS = 24 * 60 * 60_000;
const OWN = `${process.pid}@${hostname()}`;

describe('Spool', () => {
  let folder: TempDir;
  let spool: Spool;

  beforeEach(async () => {
    folder = await makeTempDir();
    spool = new Spool(join(folder.path, 'spool'));
  });
  afterEach(() => folder.remove());

  const runs = () => readdir(join(folder.path, 'spool'));
  const files = () => readdir(join(folder.path, 'spool', OWN));

  it('keeps files where no other user can read them', async () => {
    await spool.start();
    const file = await spool.take('acme', Readable.from([randomBytes(10)]));
    for (const path of [join(folder.path, 'spool'), join(folder.path, 'spool', OWN)]) {
      expect((await stat(path)).mode & 0o777, path).to.equal(0o700);
    }
    expect((await stat(file.path)).mode & 0o777).to.equal(0o600);
  });

  it('counts and hashes the bytes of a file', async () => {
    await spool.start();
    const bytes = randomBytes(300_000);
    const file = await spool.take(
      'acme',
      Readable.from([bytes.subarray(0, 100_000), bytes.subarray(100_000)]),
    );
    expect(file.size).to.equal(bytes.length);
    expect(file.sha256).to.equal(createHash('sha256').update(bytes).digest('hex'));
    expect(await readFile(file.path)).to.deep.equal(bytes);
  });

  it('does not count a file whose stream failed, even if a piece of it was still waiting', async () => {
    await spool.start();
    const passage = async function* (source: AsyncIterable<Buffer>) {
      yield* source;
    };
    for (let attempt = 0; attempt < 20; attempt++) {
      const stream = new PassThrough();
      const writing = spool.write('acme', stream, passage).catch((error: unknown) => error);
      stream.write(randomBytes(1_000));
      for (let turn = 0; turn < attempt; turn++) await setImmediate();
      stream.destroy(new Error('cut off'));
      expect(await writing).to.be.an('error');
    }
    for (let turn = 0; turn < 400; turn++) await setImmediate();
    expect(spool.onDisk()).to.deep.equal({ files: 0, bytes: 0 });
  });

  it('removes a file when it is discarded, once or twice', async () => {
    await spool.start();
    const file = await spool.take('acme', Readable.from([randomBytes(10)]));
    await file.discard();
    await file.discard();
    expect(await files()).to.deep.equal([]);
  });

  it('keeps a file for a second user while the session has room', async () => {
    spool = new Spool(join(folder.path, 'spool'), 20);
    await spool.start();
    const first = await spool.take('acme', Readable.from([randomBytes(10)]));
    const held = spool.hold('acme', first.sha256);
    expect(held?.path).to.equal(first.path);
    const second = await spool.take('acme', Readable.from([randomBytes(5)]));
    expect(spool.hold('acme', second.sha256), 'more than half').to.equal(undefined);
    await first.discard();
    await first.discard();
    expect(await files()).to.have.length(2);
    await held?.discard();
    await second.discard();
    expect(await files()).to.deep.equal([]);
    expect(spool.hold('acme', first.sha256), 'removed').to.equal(undefined);
  });

  it('leaves no file behind when a stream is too large', async () => {
    await spool.start();
    const part = Buffer.alloc(1024 * 1024);
    function* tooMuch() {
      for (let size = 0; size <= LIMITS.uploadBytes; size += part.length) yield part;
    }
    const error = await spool.take('acme', Readable.from(tooMuch())).catch((failure) => failure);
    expect(error).to.include({ code: 'media_too_large' });
    expect(error.message).to.equal(`file must have ${LIMITS.uploadBytes} bytes at most`);
    expect(await files()).to.deep.equal([]);
  });

  it('leaves no file behind when a stream fails', async () => {
    await spool.start();
    const source = new PassThrough();
    const taken = spool.take('acme', source).catch((failure) => failure);
    source.write(randomBytes(100_000));
    source.destroy(new Error('gone'));
    expect(await taken)
      .to.be.an('error')
      .with.property('message', 'gone');
    expect(await files()).to.deep.equal([]);
  });

  it('leaves no file behind when a stream fails while its file is being created', async () => {
    await spool.start();
    const bytes = randomBytes(100_000);
    // the order of the two is the operating system's: about one of 800 came the wrong way round
    for (let turn = 0; turn < 3_000; turn++) {
      const source = new PassThrough();
      const taken = spool.take('acme', source).catch((failure) => failure);
      source.write(bytes);
      source.destroy(new Error('gone'));
      await taken;
    }
    expect(await files()).to.deep.equal([]);
  });

  it('limits the bytes of one session on the disk until its files are discarded, and counts other sessions separately', async () => {
    spool = new Spool(join(folder.path, 'spool'), 1_000);
    await spool.start();
    const first = await spool.take('acme', Readable.from([randomBytes(600)]));
    const refused = await spool.take('acme', Readable.from([randomBytes(600)])).catch((failure) => failure);
    expect(refused).to.include({ code: 'too_many_uploads', status: 429 });
    expect(await files()).to.have.lengthOf(1);
    await spool.take('other', Readable.from([randomBytes(600)]));
    await first.discard();
    await spool.take('acme', Readable.from([randomBytes(1_000)]));
    expect(await files()).to.have.lengthOf(2);
  });

  it('reports what is on the disk, and frees the space of a file once, however often it is discarded', async () => {
    spool = new Spool(join(folder.path, 'spool'), 1_000);
    await spool.start();
    const first = await spool.take('acme', Readable.from([randomBytes(400)]));
    await spool.take('acme', Readable.from([randomBytes(500)]));
    await spool.take('other', Readable.from([randomBytes(50)]));
    expect(spool.onDisk()).to.deep.equal({ files: 3, bytes: 950 });
    for (let times = 0; times < 3; times++) await first.discard();
    expect(spool.onDisk()).to.deep.equal({ files: 2, bytes: 550 });
    const refused = await spool.take('acme', Readable.from([randomBytes(600)])).catch((failure) => failure);
    expect(refused).to.include({ code: 'too_many_uploads' });
    expect(spool.onDisk()).to.deep.equal({ files: 2, bytes: 550 });
  });

  it('removes all its files when the process ends', async () => {
    await spool.start();
    await spool.take('acme', Readable.from([randomBytes(10)]));
    await spool.stop();
    expect(await runs()).to.deep.equal([]);
  });

  describe('Spool, with files of other processes', () => {
    const leave = async (run: string, modifiedAgoMs = 0) => {
      const path = join(folder.path, 'spool', run);
      await mkdir(path, { recursive: true });
      await writeFile(join(path, 'file'), 'left over');
      const modified = new Date(Date.now() - modifiedAgoMs);
      await utimes(path, modified, modified);
    };
    let other: ChildProcess;

    before(() => {
      other = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
        stdio: ['pipe', 'ignore', 'ignore'],
      });
    });
    after(async () => {
      other.kill();
      await once(other, 'exit');
    });

    it('removes files of a process that has ended, and keeps those of a running one', async () => {
      const dead = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
      await once(dead, 'exit');
      await leave(`${dead.pid}@${hostname()}`);
      await leave(`${other.pid}@${hostname()}`);
      await leave('no-run');
      await leave(OWN);
      await spool.start();
      expect((await runs()).sort()).to.deep.equal([`${other.pid}@${hostname()}`, OWN, 'no-run'].sort());
      expect(await files()).to.deep.equal([]);
    });

    it('removes files of other machines after a day', async () => {
      await leave('1@old.example', DAY_MS + 60_000);
      await leave('1@new.example', DAY_MS - 60_000);
      await spool.start();
      expect((await runs()).sort()).to.deep.equal(['1@new.example', OWN].sort());
    });
  });
});
