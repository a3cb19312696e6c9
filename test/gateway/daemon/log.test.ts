import { Console } from 'node:console';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { loadConfig } from '../../../src/gateway/config/load.js';
import { summarize } from '../../../src/gateway/config/schema.js';
import { cleanLogLine, createLog } from '../../../src/gateway/log.js';
import { quietLibsignal } from '../../../src/quiet-console.js';
import { makeTempDir } from '../../support/temp-dir.js';

describe('the log', () => {
  function capture() {
    let text = '';
    const destination = new Writable({
      write(chunk, _encoding, done) {
        text += chunk;
        done();
      },
    });
    return { log: createLog({ level: 'info', pretty: false, destination }), text: () => text };
  }

  it('never shows secrets or texts of people, however deeply they are nested', () => {
    const { log, text } = capture();
    log.info({
      mediaKey: 'SECRET1',
      a: { token: 'SECRET2', b: { webhookToken: 'SECRET3' } },
      body: 'SECRET4',
    });
    log.info({ headers: { authorization: 'Bearer SECRET5' } }, 'request');
    expect(text()).not.to.include('SECRET');
    expect(text()).to.include('[redacted]');
  });

  it('shows no terminal control sequences in pretty lines', () => {
    const { log, text } = capture();
    const evil = 'a\u001b[2J\u0007\u009b\u202e\n[12:00:00] INFO: forged';
    log.info({ clientId: evil, err: new Error(evil), deep: { list: [evil] } }, evil);
    const cleaned = JSON.parse(cleanLogLine(text()));
    expect(cleaned.msg).to.equal('a�[2J��� ⏎ [12:00:00] INFO: forged');
    expect([cleaned.clientId, cleaned.err.message, cleaned.deep.list[0]]).to.deep.equal(
      Array(3).fill(cleaned.msg),
    );
    // pino-pretty indents the lines of a stack
    expect(cleaned.err.stack).to.match(/\n +at /);
    expect(cleaned.err.stack).to.not.match(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
  });

  it('shows the settings of a start, secrets only as "set"', async () => {
    const folder = await makeTempDir();
    const config = await loadConfig({ flags: {}, env: {}, defaultDataDir: folder.path });
    const { log, text } = capture();
    log.info({ settings: summarize(config) }, 'starting');
    const { settings } = JSON.parse(text());
    expect(settings).to.include({ token: 'set', 'encryption-key': 'set', store: 'sqlite', port: '3000' });
    expect(text()).not.to.include(config.token);
    await folder.remove();
  });
});

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

  it('prints everything else, once, however often it is quieted', async () => {
    quietLibsignal(quiet);
    quiet.info('Closing time', 1);
    quiet.error(new Error('boom').message);
    out.end();
    expect(await text(out)).to.equal('Closing time 1\nboom\n');
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
