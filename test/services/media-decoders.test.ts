import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Decoders } from '../../src/services/media/inspect/decoders.js';
import { ManualClock } from '../support/manual-clock.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';

const TASK_MS = 15_000;
const IDLE_MS = 30_000;

describe('decoders', () => {
  let folder: TempDir;
  let clock: ManualClock;
  let decoders: Decoders;
  /** A file whose reader waits for ever. */
  let endless: string;
  let gif: string;

  before(async () => {
    folder = await makeTempDir();
    endless = join(folder.path, 'endless');
    gif = join(folder.path, 'gif');
    execFileSync('mkfifo', [endless]);
    await writeFile(gif, 'GIF89a');
  });
  after(() => folder.remove());

  beforeEach(() => {
    clock = new ManualClock();
    decoders = new Decoders(clock);
  });
  afterEach(() => decoders.stop());

  const detect = (path: string) => decoders.run('detect', { path });
  const failureOf = (task: Promise<unknown>) =>
    task.then(
      (result) => expect.fail(`it ended with ${result}`),
      (error) => error.message,
    );

  it('do one task after the other', async () => {
    expect(await Promise.all([detect(gif), detect(gif), detect(gif)])).to.deep.equal(
      Array.from({ length: 3 }, () => 'image/gif'),
    );
  });

  it('tell why a task failed, and go on', async () => {
    expect(await failureOf(detect(join(folder.path, 'missing')))).to.match(/ENOENT/);
    expect(await detect(gif)).to.equal('image/gif');
  });

  it('end what takes too long, and go on', async () => {
    const stuck = [failureOf(detect(endless)), failureOf(detect(endless))];
    const waiting = detect(gif);
    await clock.scheduled(TASK_MS);
    clock.advance(TASK_MS);
    for (const failure of stuck) expect(await failure).to.equal('detect took longer than 15000 ms');
    expect(await waiting).to.equal('image/gif');
  });

  it('hold nobody up with what takes long', async () => {
    const stuck = failureOf(detect(endless));
    expect(await detect(gif)).to.equal('image/gif');
    decoders.stop();
    expect(await stuck).to.equal('stopped');
    expect(clock.pending(), 'nothing is left to end').to.deep.equal([]);
  });

  it('end when there is nothing to do, and start again', async () => {
    await detect(gif);
    expect(clock.pending()).to.deep.equal([IDLE_MS]);
    clock.advance(IDLE_MS);
    expect(clock.pending()).to.deep.equal([]);
    expect(await detect(gif)).to.equal('image/gif');
  });

  it('do nothing more when they are stopped', async () => {
    await detect(gif);
    decoders.stop();
    expect(await failureOf(detect(gif))).to.equal('stopped');
    expect(clock.pending()).to.deep.equal([]);
  });
});
