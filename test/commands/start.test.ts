import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { encryptionKeyBytes } from '../../src/config/secrets.js';
import { openStore } from '../../src/store/open.js';
import { bytes, session, text } from '../contracts/store/harness.js';
import { startReceiver } from '../support/receiver.js';
import { type CliEnd, CliProcess, runCli } from '../support/spawn-cli.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';

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

  /** What every start has in common, where flags may overrule it. */
  const env = () => ({
    SWITCHBOARD_NETWORK: 'sandbox',
    SWITCHBOARD_SANDBOX_PORT: '0',
    SWITCHBOARD_PORT: '0',
    SWITCHBOARD_LOG_LEVEL: 'error',
    SWITCHBOARD_DATA_DIR: dataDir,
  });
  const start = (...flags: string[]) => runCli(['start', ...flags], { env: env() });

  const keptKey = async () => (await readFile(join(dataDir, 'encryption-key'), 'utf8')).trim();

  /** It ended with one line that says why. */
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

  const badSettings: [string, RegExp, number][] = [
    ['--port=70000', /--port \/ SWITCHBOARD_PORT/, 1],
    ['--network=telegram', /--network \/ SWITCHBOARD_NETWORK/, 1],
    ['--encryption-key=short', /--encryption-key \/ SWITCHBOARD_ENCRYPTION_KEY: .*32 bytes/, 1],
    ['--store=redis://localhost', /--store \/ SWITCHBOARD_STORE/, 1],
    ['--workers=2', /--workers \/ SWITCHBOARD_WORKERS: only one node can use SQLite.* --store mongodb:/, 1],
    ['--no-such-flag', /Nonexistent flag/, 2],
  ];
  for (const [flag, message, exitCode] of badSettings) {
    it(`refuses ${flag} and creates nothing`, async () => {
      expectOneLine(await start(flag), exitCode, message);
      expect(await readdir(dir.path)).to.deep.equal([]);
    });
  }

  it('says so when the port is taken, and leaves the data directory free', async () => {
    const other = await startReceiver();
    const end = await start('--port', String(other.port));
    await other.stop();
    expectOneLine(end, 1, new RegExp(`port ${other.port} is taken`));
    await fill(await keptKey());
  });

  it('says so when the data directory cannot be used', async () => {
    await writeFile(dataDir, 'a file');
    expectOneLine(await start(), 1, /data directory .*data cannot be used/);
    expect((await stat(dataDir)).isFile()).to.equal(true);
  });

  it('says so when the database is damaged, and does not touch it', async () => {
    await fill(newKey());
    const path = join(dataDir, 'switchboard.db');
    for (const side of ['-wal', '-shm']) await rm(`${path}${side}`, { force: true });
    await writeFile(path, 'no database '.repeat(1_000));
    expectOneLine(await start(), 1, /Cannot open the database in .*: file is not a database/);
    expect((await stat(path)).size).to.equal(12_000);
  });

  it('says so when the database server cannot be reached', async () => {
    const store = ['--store', 'mongodb://user:hidden-password@127.0.0.1:1/switchboard'];
    for (const end of await Promise.all([start(...store), start(...store, '--workers=2')])) {
      expectOneLine(end, 1, /MongoDB|database/i);
      expect(end.stderr).to.not.contain('hidden-password');
    }
  });

  it('refuses another encryption key, and loses nothing by it', async () => {
    const key = newKey();
    await fill(key);
    expectOneLine(await start('--encryption-key', newKey()), 1, /encrypted with another encryption key/);
    const store = await openStore({ url: 'sqlite', dataDir, encryptionKey: encryptionKeyBytes(key) });
    expect((await store.sessions.list()).map(({ clientId }) => clientId)).to.deep.equal(['acme']);
    expect(text(await store.keys.credentials('acme'))).to.equal('creds');
    await store.close();
  });

  it('serves until it is told to stop, keeps a second one away, and ends with 0', async () => {
    const flags = ['--json', '--node-url', 'http://node.example:3000', '--log-level', 'warn'];
    const daemon = new CliProcess(['start', ...flags], { env: env() });
    await daemon.printed('"url"');
    expectOneLine(await start(), 1, /data directory .* is in use by another daemon \(process \d+\)/);
    daemon.signal('SIGTERM');
    const { exitCode, stdout, stderr } = await daemon.end();
    expect(exitCode, stderr).to.equal(0);
    expect(JSON.parse(stdout)).to.include({ dataDir }).and.have.keys('url', 'sandboxUrl', 'dataDir');
    const [warning, ...others] = stderr.trim().split('\n');
    expect(JSON.parse(warning ?? '').msg).to.match(/the only node .* --store mongodb:/);
    expect(others).to.deep.equal([]);
    await fill(await keptKey());
  });

  it('tells its errors as JSON on request', async () => {
    const { exitCode, stdout } = await start('--json', '--port=70000');
    expect(exitCode).to.equal(1);
    expect(JSON.parse(stdout)).to.include({ code: 'failure', exitCode: 1 });
  });
});
