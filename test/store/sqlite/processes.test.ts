import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { openStore } from '../../../src/store/open.js';
import { expectFailure } from '../../contracts/store/harness.js';
import { compiledProgram } from '../../support/compiled.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';
import { expectWhole } from '../support/generations.js';

const SOURCE = new URL('../support/commit-forever.ts', import.meta.url);
const ENCRYPTION_KEY = new Uint8Array(32).fill(7);

describe('an SQLite data directory and processes', () => {
  let dir: TempDir;
  const children: ChildProcess[] = [];
  beforeEach(async () => {
    dir = await makeTempDir();
  });
  afterEach(async () => {
    for (const child of children.splice(0)) await kill(child);
    await dir.remove();
  });
  const open = () => openStore({ url: 'sqlite', dataDir: dir.path, encryptionKey: ENCRYPTION_KEY });

  it('belongs to one of them: the second is told who has it', async () => {
    const child = await startCommitting(5);
    const message = await expectFailure(open(), 'store_in_use');
    expect(message).to.contain(`process ${child.pid}`).and.contain(dir.path).and.not.contain('\n');
  });

  it('is free again when the store is closed, in the same process too', async () => {
    const first = await open();
    await expectFailure(open(), 'store_in_use');
    await first.ping();
    await first.close();
    await (await open()).close();
  });

  it('is free at once after kill -9, and every commit is there as a whole', async () => {
    for (const generations of [1, 40, 150]) {
      const child = await startCommitting(generations);
      await kill(child);
      const store = await open();
      expect(await expectWhole(store)).to.be.at.least(generations);
      await store.forget('acme');
      await store.close();
    }
  });

  /** Starts the program and waits until it has said that many commits. */
  async function startCommitting(generations: number): Promise<ChildProcess> {
    const child = spawn(process.execPath, [compiledProgram(SOURCE), dir.path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    for await (const line of createInterface({ input: child.stdout })) {
      if (Number(line) >= generations) return child;
    }
    throw new Error('the committing process ended by itself');
  }
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
