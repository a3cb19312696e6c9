import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { compareStanzas } from './stanzas/run.js';
import { WITNESS_LIBRARIES, WitnessProgram } from './witness.js';

const MOCHA = [
  '--no-config',
  '--node-option',
  'no-experimental-require-module',
  '--node-option',
  'import=tsx',
];
const SUPPORT = ['--require', './test/support/no-ci.ts', '--timeout', '60000'];

/**
 * `npm run witnesses` lets each witness play its day; more arguments go to mocha. `npm run witnesses -- stanzas` compares what
 * the clients send for the same acts, and `npm run witnesses -- build` only compiles the clients, which takes minutes at first.
 */
const given = process.argv.slice(2);
if (given[0] === 'stanzas') {
  process.exitCode = (await compareStanzas()) > 0 ? 1 : 0;
} else if (given[0] === 'build') {
  for (const library of WITNESS_LIBRARIES) await (await WitnessProgram.build(library)).remove();
} else {
  const files = 'test/witnesses/**/*.witness.ts';
  const child = spawn('mocha', [...MOCHA, ...SUPPORT, files, ...given], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
}
