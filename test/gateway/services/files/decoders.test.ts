import { execFileSync, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Decoders } from '../../../../src/gateway/services/files/inspect/decoders.js';
import { FairQueue } from '../../../../src/gateway/services/files/inspect/fair-queue.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';

const IDLE_MS = 30_000;

/** Containers often forbid it. */
function canLeaveNetwork(): boolean {
  return spawnSync('unshare', ['--user', '--net', 'true']).status === 0;
}

function interfacesIn(table: string): string[] {
  return [...table.matchAll(/^ *([^ :|]+):/gm)].map(([, name = '']) => name);
}

describe('Decoders', () => {
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

  const detect = (path: string, signal = new AbortController().signal) =>
    decoders.run('detect', { path }, signal);
  const failureOf = (task: Promise<unknown>) =>
    task.then(
      (result) => expect.fail(`it ended with ${result}`),
      (error) => error.message,
    );

  it('runs one task after another in a process', async () => {
    expect(await Promise.all([detect(gif), detect(gif), detect(gif)])).to.deep.equal(
      Array.from({ length: 3 }, () => 'image/gif'),
    );
  });

  it('reports why a task failed, and runs the next one', async () => {
    expect(await failureOf(detect(join(folder.path, 'missing')))).to.match(/ENOENT/);
    expect(await detect(gif)).to.equal('image/gif');
  });

  it('kills a process whose task is aborted, and runs the next task', async () => {
    const late = new AbortController();
    const stuck = failureOf(detect(endless, late.signal));
    expect(await detect(gif)).to.equal('image/gif');
    late.abort(new Error('it took too long'));
    expect(await stuck).to.equal('it took too long');
    expect(await detect(gif)).to.equal('image/gif');
  });

  if (process.platform === 'linux') {
    it('takes rights, memory, environment and network from a process', async () => {
      process.env.SECRET_OF_THE_TEST = 'canary';
      const stuck = failureOf(detect(endless));
      expect(await detect(gif)).to.equal('image/gif');
      const children = (await readFile(`/proc/self/task/${process.pid}/children`, 'utf8')).trim().split(' ');
      const commands = await Promise.all(children.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8')));
      const decoding = children.filter((_, at) => commands[at]?.includes('decoder'));
      expect(decoding).to.have.lengthOf(2);
      for (const pid of decoding) {
        const of = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8');
        expect(await of('limits')).to.match(/^Max data size +(1073741824|1610612736) +\1 /m);
        expect(await of('limits')).to.match(/^Max core file size +0 /m);
        expect(await of('status')).to.match(/^NoNewPrivs:\s+1$/m);
        // a group of its own, which can be killed as a whole
        expect((await of('stat')).replace(/^.*\) /, '').split(' ')[2]).to.equal(pid);
        expect(await of('environ')).to.not.contain('SECRET_OF_THE_TEST');
        if (canLeaveNetwork()) expect(interfacesIn(await of('net/dev'))).to.deep.equal(['lo']);
      }
      decoders.stop();
      await stuck;
      delete process.env.SECRET_OF_THE_TEST;
    });
  }

  it('runs a short task while a long one is in flight', async () => {
    const stuck = failureOf(detect(endless));
    expect(await detect(gif)).to.equal('image/gif');
    decoders.stop();
    expect(await stuck).to.equal('stopped');
    expect(clock.pending(), 'nothing is left to end').to.deep.equal([]);
  });

  it('ends idle processes, and starts new ones', async () => {
    await detect(gif);
    expect(clock.pending()).to.deep.equal([IDLE_MS]);
    clock.advance(IDLE_MS);
    expect(clock.pending()).to.deep.equal([]);
    expect(await detect(gif)).to.equal('image/gif');
  });

  it('runs no task after the stop', async () => {
    await detect(gif);
    decoders.stop();
    expect(await failureOf(detect(gif))).to.equal('stopped');
    expect(clock.pending()).to.deep.equal([]);
  });
});

describe('FairQueue', () => {
  let queue: FairQueue;
  let order: string[];
  let ends: Map<string, () => void>;

  beforeEach(() => {
    queue = new FairQueue();
    order = [];
    ends = new Map();
  });

  /** A task of a session, which ends when the test says so. */
  function task(name: string, signal = new AbortController().signal): Promise<void> {
    const [clientId = ''] = name.split(' ');
    return queue.run(clientId, signal, async () => {
      order.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    });
  }

  const begun = () => new Promise((resolve) => setImmediate(resolve));

  async function end(name: string): Promise<void> {
    ends.get(name)?.();
    await begun();
  }

  it('runs one task of each session, and the sessions in turn', async () => {
    const all = ['a 1', 'a 2', 'a 3', 'b 1', 'b 2', 'c 1'].map((name) => task(name));
    await begun();
    expect(order).to.deep.equal(['a 1', 'b 1']);
    for (const name of ['a 1', 'b 1', 'c 1', 'a 2', 'b 2', 'a 3']) await end(name);
    expect(order).to.deep.equal(['a 1', 'b 1', 'c 1', 'a 2', 'b 2', 'a 3']);
    await Promise.all(all);
  });

  it('keeps a place for other sessions, however many tasks of one session wait', async () => {
    const many = Array.from({ length: 20 }, (_, number) => task(`a ${number}`));
    await begun();
    expect(order).to.deep.equal(['a 0']);
    const other = task('b 1');
    await begun();
    expect(order).to.deep.equal(['a 0', 'b 1']);
    await end('b 1');
    await other;
    for (let number = 0; number < 20; number++) await end(`a ${number}`);
    await Promise.all(many);
  });

  it('refuses a task when many of its session wait, and none of the others', async () => {
    const all = Array.from({ length: 33 }, (_, number) => task(`a ${number}`));
    await begun();
    const refused = await task('a 33').catch((error) => error);
    expect(refused).to.include({ code: 'media_busy', status: 503 });
    const others = [task('b 1'), task('c 1')];
    await begun();
    expect(order).to.deep.equal(['a 0', 'b 1']);
    for (const name of ['b 1', 'c 1']) await end(name);
    for (let number = 0; number < 33; number++) await end(`a ${number}`);
    await Promise.all([...all, ...others]);
  });

  it('forgets a task that is aborted while it waits', async () => {
    const late = new AbortController();
    const first = task('a 1');
    const waiting = task('a 2', late.signal).catch((error) => error.message);
    const last = task('a 3');
    late.abort(new Error('too late'));
    expect(await waiting).to.equal('too late');
    await end('a 1');
    await end('a 3');
    await Promise.all([first, last]);
    expect(order).to.deep.equal(['a 1', 'a 3']);
  });
});
