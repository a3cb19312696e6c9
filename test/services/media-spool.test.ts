import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { expect } from 'chai';
import { LIMITS } from '../../src/domain/limits.js';
import { Spool } from '../../src/services/media/spool.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';

const DAY_MS = 24 * 60 * 60_000;
const OWN = `${process.pid}@${hostname()}`;

describe('files on their way', () => {
  let folder: TempDir;
  let spool: Spool;

  beforeEach(async () => {
    folder = await makeTempDir();
    spool = new Spool(join(folder.path, 'spool'));
  });
  afterEach(() => folder.remove());

  const runs = () => readdir(join(folder.path, 'spool'));
  const files = () => readdir(join(folder.path, 'spool', OWN));

  it('are kept where nobody else can read them', async () => {
    await spool.start();
    const file = await spool.take(Readable.from([randomBytes(10)]));
    for (const path of [join(folder.path, 'spool'), join(folder.path, 'spool', OWN)]) {
      expect((await stat(path)).mode & 0o777, path).to.equal(0o700);
    }
    expect((await stat(file.path)).mode & 0o777).to.equal(0o600);
  });

  it('are weighed and hashed', async () => {
    await spool.start();
    const bytes = randomBytes(300_000);
    const file = await spool.take(Readable.from([bytes.subarray(0, 100_000), bytes.subarray(100_000)]));
    expect(file.size).to.equal(bytes.length);
    expect(file.sha256).to.equal(createHash('sha256').update(bytes).digest('hex'));
    expect(await readFile(file.path)).to.deep.equal(bytes);
  });

  it('are gone when they are discarded, once or twice', async () => {
    await spool.start();
    const file = await spool.take(Readable.from([randomBytes(10)]));
    await file.discard();
    await file.discard();
    expect(await files()).to.deep.equal([]);
  });

  it('leave nothing behind when they are too large', async () => {
    await spool.start();
    const part = Buffer.alloc(1024 * 1024);
    function* tooMuch() {
      for (let size = 0; size <= LIMITS.uploadBytes; size += part.length) yield part;
    }
    const error = await spool.take(Readable.from(tooMuch())).catch((failure) => failure);
    expect(error).to.include({ code: 'media_too_large' });
    expect(error.message).to.equal(`file must have ${LIMITS.uploadBytes} bytes at most`);
    expect(await files()).to.deep.equal([]);
  });

  it('leave nothing behind when their source breaks off', async () => {
    await spool.start();
    const source = new PassThrough();
    const taken = spool.take(source).catch((failure) => failure);
    source.write(randomBytes(100_000));
    source.destroy(new Error('gone'));
    expect(await taken)
      .to.be.an('error')
      .with.property('message', 'gone');
    expect(await files()).to.deep.equal([]);
  });

  it('are gone when the run ends', async () => {
    await spool.start();
    await spool.take(Readable.from([randomBytes(10)]));
    await spool.stop();
    expect(await runs()).to.deep.equal([]);
  });

  describe('of other runs', () => {
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

    it('are removed when the run is dead, and left alone when it lives', async () => {
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

    it('on other machines are removed after a day', async () => {
      await leave('1@old.example', DAY_MS + 60_000);
      await leave('1@new.example', DAY_MS - 60_000);
      await spool.start();
      expect((await runs()).sort()).to.deep.equal(['1@new.example', OWN].sort());
    });
  });
});
