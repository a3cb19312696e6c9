import { Console } from 'node:console';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { quietLibsignal } from '../src/quiet-console.js';

const LIBSIGNAL = join(dirname(createRequire(import.meta.url).resolve('libsignal')), 'src');

describe('the console', () => {
  let out: PassThrough;
  let quiet: Console;

  beforeEach(() => {
    out = new PassThrough();
    quiet = new Console(out);
    quietLibsignal(quiet);
  });

  it('prints none of the lines that libsignal prints', () => {
    const lines = linesOf(LIBSIGNAL);
    expect(lines.length).to.be.greaterThan(10);
    for (const line of lines) for (const method of METHODS) quiet[method](line, { privKey: 'secret' });
    expect(out.read()).to.equal(null);
  });

  it('prints everything else, once, however often it is quieted', () => {
    quietLibsignal(quiet);
    quiet.info('Closing time', 1);
    quiet.error(new Error('boom').message);
    expect(String(out.read())).to.equal('Closing time 1\nboom\n');
  });
});

const METHODS = ['log', 'info', 'warn', 'error'] as const;

/** The first argument of each print in a folder's sources. */
function linesOf(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    return [...text.matchAll(/^\s*console\.\w+\(["']([^"']+)["']/gm)].map((match) => match[1] ?? '');
  });
}
