import { createHash, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import { eventOf } from '../support/receiver.js';
import { ALICE, BOB, startKillableWorld, type World } from '../support/world.js';

/** Says to the kernel: forget how much memory the process had at most. */
const FORGET_PEAK = '5';

/** Megabytes by which a process grew at most while something was done. */
async function growthDuring(pid: number, act: () => Promise<unknown>): Promise<number> {
  await writeFile(`/proc/${pid}/clear_refs`, FORGET_PEAK);
  const before = await megabytes(pid, 'VmRSS');
  await act();
  return (await megabytes(pid, 'VmHWM')) - before;
}

async function megabytes(pid: number, what: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${what}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
}

const MB = 1024 * 1024;
const SIZE = 64 * MB;
const BOUND_MB = 64;

describe('a daemon that stores files', function () {
  this.timeout(120_000);
  let world: World;

  before(async () => {
    world = await startKillableWorld();
    await world.api.post('/set-org-id', { clientId: 'acme', orgId: 'workspace1' });
  });
  after(() => world.stop());

  /** Bob sends a file of noise; resolves with the path of its link, and its hash. */
  async function receive(size: number): Promise<{ path: string; sha256: string }> {
    const sha256 = createHash('sha256')
      .update(Buffer.concat([...noise(size)]))
      .digest('hex');
    const { file } = await world.phones.addFile(Readable.toWeb(Readable.from(noise(size))));
    const media = { kind: 'document', mimeType: 'application/zip', fileName: 'a.zip', file } as const;
    const { messageId } = await world.phones.write(BOB.number, { to: ALICE.number, media });
    const { media: told } = await eventOf(world.receiver, messageId);
    return { path: new URL(told?.downloadUrl ?? '').pathname, sha256 };
  }

  /** Fetches a stored file; resolves with the hash of what came. */
  async function load(path: string): Promise<string> {
    const { status, body } = await fetch(world.api.url + path);
    expect(status).to.equal(200);
    const hash = createHash('sha256');
    if (body) await pipeline(Readable.fromWeb(body), hash);
    return hash.digest('hex');
  }

  /** Resolves when it is stored. */
  const stored = (path: string) => fetch(world.api.url + path, { method: 'HEAD' });

  it('needs little memory for a file of 64 MB, both when it arrives and when it is fetched', async () => {
    // what the first file loads is no matter of size
    await load((await receive(1_000)).path);
    let file = { path: '', sha256: '' };
    const growth = await growthDuring(world.pid, async () => {
      file = await receive(SIZE);
      expect((await stored(file.path)).headers.get('content-length')).to.equal(String(SIZE));
    });
    expect(growth).to.be.lessThan(BOUND_MB);
    const growthOfReading = await growthDuring(world.pid, async () => {
      expect(await load(file.path)).to.equal(file.sha256);
    });
    expect(growthOfReading).to.be.lessThan(BOUND_MB);
  });

  it('resumes downloads that a kill interrupted', async () => {
    const begun = new Promise<void>((resolve) => {
      world.wire.watch((chunk) => {
        if (!chunk.includes('GET /v/')) return 'pass';
        resolve();
        return 'cut-answer';
      });
    });
    const { path, sha256 } = await receive(4 * MB);
    await begun;
    await world.killDaemon();
    const expected = await world.inspect(({ expectedFiles }) => expectedFiles.list('acme'));
    expect(expected.map(({ id }) => path.includes(id))).to.deep.equal([true]);
    await world.startDaemon();
    expect(await load(path)).to.equal(sha256);
    await world.stopDaemon();
    expect(await world.inspect(({ expectedFiles }) => expectedFiles.list('acme'))).to.deep.equal([]);
    expect(await world.inspect(({ files }) => files.check({ repair: false }))).to.deep.equal({
      withoutRecord: 0,
      withoutBytes: 0,
    });
  });
});

const PIECE = randomBytes(MB);

function* noise(bytes: number): Generator<Buffer> {
  for (let rest = bytes; rest > 0; rest -= MB) yield PIECE.subarray(0, Math.min(rest, MB));
}
