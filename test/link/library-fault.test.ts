import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';

const run = promisify(execFile);

/** A process of its own, because test runners have their own opinion of unhandled rejections. */
const SCRIPT = `
  import { pino } from 'pino';
  import { inNameOf, watchRejections } from './src/link/baileys/faults.ts';
  const lines = [];
  watchRejections(pino({}, { write: (line) => lines.push(JSON.parse(line)) }));
  const told = [];
  const owner = (name) => ({ owner: { onLibraryFault: (error) => told.push(name + ': ' + error.message) } });
  inNameOf(owner('a'), () => setTimeout(async () => { throw new Error('in a timer') }, 1));
  inNameOf(owner('b'), () => queueMicrotask(async () => { await null; throw new Error('after an await') }));
  setTimeout(() => Promise.reject(new Error('of nobody')), 1);
  setTimeout(() => console.log(JSON.stringify({ told, logged: lines.map((line) => line.err.message) })), 20);
`;

describe('a rejection that nobody handles', () => {
  it('goes to the link whose work it was; any other is logged, and the process lives', async () => {
    const args = ['--no-experimental-require-module', '--import=tsx', '--input-type=module', '-e', SCRIPT];
    const { stdout } = await run(process.execPath, args);
    expect(JSON.parse(stdout)).to.deep.equal({
      told: ['b: after an await', 'a: in a timer'],
      logged: ['of nobody'],
    });
  });
});
