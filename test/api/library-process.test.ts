import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import { Lab } from '../durability/support/lab.js';
import { eventOf } from '../support/events.js';
import { ALICE, BOB } from '../support/pairing.js';
import { growthDuring } from '../support/process-memory.js';

const MB = 1024 * 1024;
const SIZE = 64 * MB;
const BOUND_MB = 64;

describe('a daemon that stores files', function () {
  this.timeout(120_000);
  let lab: Lab;

  before(async () => {
    lab = await Lab.start();
    await lab.api.post('/set-org-id', { clientId: 'acme', orgId: 'workspace1' });
  });
  after(() => lab.stop());

  /** Bob sends a file of noise; resolves with the path of its link, and its hash. */
  async function receive(size: number): Promise<{ path: string; sha256: string }> {
    const sha256 = createHash('sha256')
      .update(Buffer.concat([...noise(size)]))
      .digest('hex');
    const { file } = await lab.phones.addFile(Readable.toWeb(Readable.from(noise(size))));
    const media = { kind: 'document', mimeType: 'application/zip', fileName: 'a.zip', file } as const;
    const { messageId } = await lab.phones.write(BOB.number, { to: ALICE.number, media });
    const { media: told } = await eventOf(lab.receiver, messageId);
    return { path: new URL(told?.downloadUrl ?? '').pathname, sha256 };
  }

  /** Fetches a stored file; resolves with the hash of what came. */
  async function load(path: string): Promise<string> {
    const { status, body } = await fetch(lab.api.url + path);
    expect(status).to.equal(200);
    const hash = createHash('sha256');
    if (body) await pipeline(Readable.fromWeb(body), hash);
    return hash.digest('hex');
  }

  /** Resolves when it is stored. */
  const stored = (path: string) => fetch(lab.api.url + path, { method: 'HEAD' });

  it('hardly grows with one of 64 MB, neither when it comes nor when it is fetched', async () => {
    // what the first file loads is no matter of size
    await load((await receive(1_000)).path);
    let file = { path: '', sha256: '' };
    const growth = await growthDuring(lab.pid, async () => {
      file = await receive(SIZE);
      expect((await stored(file.path)).headers.get('content-length')).to.equal(String(SIZE));
    });
    expect(growth).to.be.lessThan(BOUND_MB);
    const growthOfReading = await growthDuring(lab.pid, async () => {
      expect(await load(file.path)).to.equal(file.sha256);
    });
    expect(growthOfReading).to.be.lessThan(BOUND_MB);
  });

  it('takes up what a kill in the middle left undone', async () => {
    const begun = new Promise<void>((resolve) => {
      lab.wire.watch((chunk) => {
        if (!chunk.includes('GET /v/')) return 'pass';
        resolve();
        return 'cut-answer';
      });
    });
    const { path, sha256 } = await receive(4 * MB);
    await begun;
    await lab.killDaemon();
    const expected = await lab.inspect(({ expectedFiles }) => expectedFiles.list('acme'));
    expect(expected.map(({ id }) => path.includes(id))).to.deep.equal([true]);
    await lab.startDaemon();
    expect(await load(path)).to.equal(sha256);
    await lab.stopDaemon();
    expect(await lab.inspect(({ expectedFiles }) => expectedFiles.list('acme'))).to.deep.equal([]);
    expect(await lab.inspect(({ files }) => files.check({ repair: false }))).to.deep.equal({
      withoutRecord: 0,
      withoutBytes: 0,
    });
  });
});

const PIECE = randomBytes(MB);

function* noise(bytes: number): Generator<Buffer> {
  for (let rest = bytes; rest > 0; rest -= MB) yield PIECE.subarray(0, Math.min(rest, MB));
}
