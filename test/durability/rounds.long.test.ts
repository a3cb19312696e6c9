import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { compiledProgram } from '../support/compiled.js';
import { linkSession, startKillableWorld, type World } from '../support/world.js';
import type { Leftovers } from './support/rounds-script.js';

const SOURCE = new URL('support/rounds-script.ts', import.meta.url);
const SESSIONS = 50;
const ROUNDS = 5;
/** Handles that may come and go by themselves: connections that are kept for a moment in case of another request. */
const HANDLES_TOLERANCE = 5;
/** Bytes over all rounds; the sessions of a single round take more. */
const HEAP_TOLERANCE = 1.5 * 1024 * 1024;
const PATIENCE_MS = 240_000;

describe(`start and stop of ${SESSIONS} sessions`, () => {
  let world: World;
  let child: ChildProcess | undefined;
  const left: Leftovers[] = [];

  before(async function () {
    this.timeout(PATIENCE_MS);
    world = await startKillableWorld();
    const people = Array.from({ length: SESSIONS - 1 }, (_, index) => ({
      number: `+1555010${String(index).padStart(4, '0')}`,
      name: `Person ${index}`,
    }));
    await Promise.all(people.map((person, index) => linkSession(world, `s${index}`, person)));
    await world.stopDaemon();
  });
  after(async () => {
    child?.kill('SIGKILL');
    await world.stop();
  });

  it(`succeed ${ROUNDS} times in one process`, async () => {
    const argv = ['--expose-gc', compiledProgram(SOURCE)];
    child = spawn(
      process.execPath,
      [...argv, JSON.stringify(world.settings()), String(SESSIONS), String(ROUNDS)],
      { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
    );
    child.on('message', (message: Leftovers) => left.push(message));
    const [code] = await once(child, 'close');
    expect(code).to.equal(0);
    expect(left).to.have.length(ROUNDS);
  }).timeout(PATIENCE_MS);

  it('return open handles to their initial number', () => {
    const counts = left.map(({ handles }) => handles.reduce((sum, [, count]) => sum + count, 0));
    const most = Math.max(...counts.slice(1));
    expect(most, JSON.stringify(left)).to.be.at.most((counts[0] ?? 0) + HANDLES_TOLERANCE);
  });

  it('return memory to its initial size', () => {
    // the first round also fills caches and compiles code
    const [, before = 0, ...after] = left.map(({ heapUsed }) => heapUsed);
    expect(Math.min(...after.slice(-2)), JSON.stringify(left)).to.be.at.most(before + HEAP_TOLERANCE);
  });
});
