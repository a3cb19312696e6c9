import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { encryptionKeyBytes } from '../../src/gateway/config/secrets.js';
import { openStore } from '../../src/gateway/store/open.js';
import { bytes, session, text } from '../contracts/store/harness.js';
import { startReceiver } from '../support/receiver.js';
import { type CliEnd, CliProcess, runCli } from '../support/spawn-cli.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import { textEvent } from '../terminal/cli/support/entries.js';
import { FakeDaemon } from '../terminal/cli/support/fake-daemon.js';

describe('the command line as a process', function () {
  this.timeout(120_000);
  let daemon: FakeDaemon;
  let env: Record<string, string>;

  beforeEach(async () => {
    daemon = await FakeDaemon.start();
    env = { SWITCHBOARD_URL: daemon.url, SWITCHBOARD_TOKEN: 't' };
  });
  afterEach(() => daemon.stop());

  it('prints its version at once, in the format of the framework', async () => {
    const asked = [['--version'], ['-v'], ['--version', 'also', 'this']];
    const ends = await Promise.all(asked.map((argv) => runCli(argv, { cwd: tmpdir() })));
    const [first] = ends;
    expect(first?.stdout).to.match(/^switchboard-gateway\/\d+\.\d+\.\d+ .+ node-v.+\n$/);
    // the third one has gone through the framework
    for (const end of ends) expect(end).to.deep.equal({ stdout: first?.stdout, stderr: '', exitCode: 0 });
  });

  it('shows no terminal control sequences in the name of an unknown command', async () => {
    const { stderr, exitCode } = await runCli(['se\u001b]0;title\u0007\u202es'], { cwd: tmpdir() });
    expect(stderr).to.contain('there is no command se�]0;title��s\n');
    expect(exitCode).to.equal(2);
  });

  it('prints help for itself, its topics and its commands', async () => {
    const asked = [['--help'], ['sessions', '--help'], ['send', 'text', '--help']];
    const ends = await Promise.all(asked.map((argv) => runCli(argv)));
    expect(ends.map(({ exitCode }) => exitCode)).to.deep.equal([0, 0, 0]);
    for (const { stdout } of ends) expect(stdout).to.contain('switchboard');
  });

  it('exits with 2 for an unknown command and for an unknown flag', async () => {
    const ends = await Promise.all([runCli(['nonsense']), runCli(['tail', '--nonsense'])]);
    expect(ends.map(({ exitCode }) => exitCode)).to.deep.equal([2, 2]);
  });

  it('exits with 3 when no daemon listens, and prints only on standard error', async () => {
    await daemon.stop();
    const { exitCode, stdout, stderr } = await runCli(['sessions', 'list'], { env });
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 3, stdout: '' });
    expect(stderr).to.match(/^error: .*\n {2}→ start the daemon: switchboard start\n/);
    await daemon.listen();
  });

  it('reads a text from standard input', async () => {
    daemon.on('POST /send-message', { status: 'sent', messageId: '3EB0' });
    const { exitCode, stdout } = await runCli(['send', 'text', 'acme', '+15550000002', '-'], {
      env,
      stdin: 'two\nlines\n',
    });
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 0, stdout: 'sent 3EB0\n' });
    expect(daemon.calls.at(-1)?.body.body).to.equal('two\nlines');
  });

  it('shows events live, reports a reconnect, and exits with 130 at Ctrl+C', async () => {
    const tail = new CliProcess(['tail', '--json'], { env });
    await tail.printed('watching');
    daemon.publish(textEvent({ body: 'first' }));
    await tail.printed('first');
    daemon.cutStreams();
    await tail.printed('reconnecting');
    daemon.publish(textEvent({ body: 'second' }));
    await tail.printed('second');
    tail.signal('SIGINT');
    const { exitCode, stdout } = await tail.end();
    expect(exitCode).to.equal(130);
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).id)).to.deep.equal(['e-1', 'e-2']);
  });

  it('ends when the reader of its output has closed', async () => {
    const tail = new CliProcess(['tail'], { env });
    await tail.printed('watching');
    tail.closeStdout();
    daemon.publish(textEvent());
    daemon.publish(textEvent());
    expect((await tail.end()).exitCode).to.equal(0);
  });

  it('exits with 130 when Ctrl+C stops a pairing', async () => {
    daemon.on('GET /clients', { clients: [] });
    daemon.on('POST /start', { clientId: 'acme', status: 'initializing' });
    daemon.on('GET /qr', { clientId: 'acme', status: 'qr', qr: 'text' });
    daemon.on('POST /disconnect', { ok: true, clientId: 'acme' });
    const pair = new CliProcess(['pair', 'acme'], { env });
    await pair.printed('qr text');
    pair.signal('SIGINT');
    const { exitCode, stdout } = await pair.end();
    expect(exitCode).to.equal(130);
    expect(stdout).to.equal('status qr\nqr text\n');
  });

  it('starts a sandbox network and uses it', async () => {
    const sandbox = new CliProcess(['sandbox', 'start', '--port', '0', '--json']);
    await sandbox.printed('wsUrl');
    sandbox.signal('SIGTERM');
    const { exitCode, stdout } = await sandbox.end();
    expect(exitCode).to.equal(0);
    expect(JSON.parse(stdout).wsUrl).to.match(/^ws:\/\/127\.0\.0\.1:\d+\/ws\/chat$/);
  });
});

const newKey = () => randomBytes(32).toString('hex');

/** Errors as people see them; the log goes to the same stream, in JSON. */
function told({ stderr }: CliEnd): string[] {
  return stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
}

describe('switchboard start, as a process of its own', function () {
  this.timeout(120_000);
  let dir: TempDir;
  let dataDir: string;
  beforeEach(async () => {
    dir = await makeTempDir();
    dataDir = join(dir.path, 'data');
  });
  afterEach(() => dir.remove());

  /** Common flags of every start; later flags override them. */
  const env = () => ({
    SWITCHBOARD_NETWORK: 'sandbox',
    SWITCHBOARD_SANDBOX_PORT: '0',
    SWITCHBOARD_PORT: '0',
    SWITCHBOARD_LOG_LEVEL: 'error',
    SWITCHBOARD_DATA_DIR: dataDir,
  });
  const start = (...flags: string[]) => runCli(['start', ...flags], { env: env() });

  const keptKey = async () => (await readFile(join(dataDir, 'encryption-key'), 'utf8')).trim();

  /** Expects an exit with a one-line error. */
  function expectOneLine(end: CliEnd, exitCode: number, message: RegExp): void {
    expect(end.exitCode, end.stderr).to.equal(exitCode);
    expect(end.stdout).to.equal('');
    const [line, ...rest] = told(end);
    expect(line)
      .to.match(message)
      .and.match(/^error: /);
    for (const hint of rest) expect(hint, 'nothing but what to do next').to.match(/^ {2}→ /);
    expect(end.stderr).to.not.match(/\n\s+at /);
  }

  async function fill(key: string): Promise<void> {
    await mkdir(dataDir, { recursive: true });
    const store = await openStore({ url: 'sqlite', dataDir, encryptionKey: encryptionKeyBytes(key) });
    await store.sessions.create(session('acme'));
    await store.keys.commit('acme', { credentials: bytes('creds') });
    await store.close();
  }

  const badSettings: [string, RegExp][] = [
    ['--port=70000', /--port \/ SWITCHBOARD_PORT/],
    ['--network=telegram', /--network \/ SWITCHBOARD_NETWORK/],
    ['--encryption-key=short', /--encryption-key \/ SWITCHBOARD_ENCRYPTION_KEY: .*32 bytes/],
    ['--store=redis://localhost', /--store \/ SWITCHBOARD_STORE/],
    ['--workers=2', /--workers \/ SWITCHBOARD_WORKERS: only one node can use SQLite.* --store mongodb:/],
    ['--no-such-flag', /there is no flag --no-such-flag/],
  ];
  for (const [flag, message] of badSettings) {
    it(`refuses ${flag} and creates nothing`, async () => {
      expectOneLine(await start(flag), 2, message);
      expect(await readdir(dir.path)).to.deep.equal([]);
    });
  }

  it('reports that the port is in use, and leaves the data directory unlocked', async () => {
    const other = await startReceiver();
    const end = await start('--port', String(other.port));
    await other.stop();
    expectOneLine(end, 1, new RegExp(`port ${other.port} is in use`));
    await fill(await keptKey());
  });

  it('reports a data directory that cannot be used', async () => {
    await writeFile(dataDir, 'a file');
    expectOneLine(await start(), 1, /data directory .*data cannot be used/);
    expect((await stat(dataDir)).isFile()).to.equal(true);
  });

  it('reports a damaged database, and does not change it', async () => {
    await fill(newKey());
    const path = join(dataDir, 'switchboard.db');
    for (const side of ['-wal', '-shm']) await rm(`${path}${side}`, { force: true });
    await writeFile(path, 'no database '.repeat(1_000));
    expectOneLine(await start(), 1, /it has a database, but no file encryption-key/);
    await writeFile(join(dataDir, 'encryption-key'), '11'.repeat(32));
    expectOneLine(
      await start(),
      1,
      /The database in .* is damaged \(file is not a database\): run switchboard store restore/,
    );
    expect((await stat(path)).size).to.equal(12_000);
  });

  it('reports that the database server cannot be reached', async () => {
    const store = ['--store', 'mongodb://user:hidden-password@127.0.0.1:1/switchboard'];
    for (const end of await Promise.all([start(...store), start(...store, '--workers=2')])) {
      expectOneLine(end, 1, /MongoDB|database/i);
      expect(end.stderr).to.not.contain('hidden-password');
    }
  });

  it('refuses another encryption key, without losing data', async () => {
    const key = newKey();
    await fill(key);
    expectOneLine(await start('--encryption-key', newKey()), 1, /encrypted with another encryption key/);
    const store = await openStore({ url: 'sqlite', dataDir, encryptionKey: encryptionKeyBytes(key) });
    expect((await store.sessions.list()).map(({ clientId }) => clientId)).to.deep.equal(['acme']);
    expect(text(await store.keys.credentials('acme'))).to.equal('creds');
    await store.close();
  });

  it('serves until a signal, refuses a second process, and exits with 0', async () => {
    const flags = ['--json', '--node-url', 'http://node.example:3000', '--log-level', 'warn'];
    const daemon = new CliProcess(['start', ...flags], { env: env() });
    await daemon.printed('"url"');
    expectOneLine(await start(), 1, /data directory .* is in use by another daemon \(process \d+\)/);
    daemon.signal('SIGTERM');
    const { exitCode, stdout, stderr } = await daemon.end();
    expect(exitCode, stderr).to.equal(0);
    expect(JSON.parse(stdout)).to.include({ dataDir }).and.have.keys('url', 'sandboxUrl', 'dataDir');
    const [warning, ...others] = stderr.trim().split('\n');
    expect(JSON.parse(warning ?? '').msg).to.match(/no effect with SQLite.* --store mongodb:/);
    expect(others).to.deep.equal([]);
    await fill(await keptKey());
  });

  it('reports to systemd that it is ready, alive and stopping', async () => {
    const program = join(dir.path, 'systemd-notify');
    const told = join(dir.path, 'told');
    await writeFile(program, '#!/bin/sh\necho "$*" >> "$TOLD"\n', { mode: 0o700 });
    const daemon = new CliProcess(['start', '--json'], {
      env: {
        ...env(),
        PATH: `${dir.path}:${process.env.PATH}`,
        TOLD: told,
        NOTIFY_SOCKET: '/run/systemd/notify',
        WATCHDOG_USEC: '200000',
      },
    });
    await daemon.printed('"url"');
    const isTold = async (word: string) => (await readFile(told, 'utf8').catch(() => '')).includes(word);
    await until('the watchdog', () => isTold('WATCHDOG=1'));
    daemon.signal('SIGTERM');
    expect((await daemon.end()).exitCode).to.equal(0);
    await until('the end', () => isTold('STOPPING=1'));
    expect((await readFile(told, 'utf8')).split('\n')).to.include('--ready');
  });

  it('prints errors as JSON on request', async () => {
    const { exitCode, stdout } = await start('--json', '--port=70000');
    expect(exitCode).to.equal(2);
    expect(JSON.parse(stdout)).to.include({ code: 'usage', exitCode: 2 });
  });
});
