import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import RotateKey from '../../../commands/store/rotate-key.js';
import { draftEncryptionKey, encryptionKeyBytes } from '../../../src/gateway/config/secrets.js';
import { openStore, rotateEncryptionKey } from '../../../src/gateway/store/open.js';
import { bytes, session, text } from '../../contracts/store/harness.js';
import { runCommand } from '../../support/run-command.js';
import { runCli } from '../../support/spawn-cli.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';
import { ALICE, BOB, linkSession, reached, startWorld } from '../../support/world.js';

const NO_KEYS = {
  SWITCHBOARD_ENCRYPTION_KEY: undefined,
  SWITCHBOARD_NEW_ENCRYPTION_KEY: undefined,
  SWITCHBOARD_STORE: undefined,
};

const newKey = () => randomBytes(32).toString('hex');

describe('switchboard store rotate-key', () => {
  let dir: TempDir;
  beforeEach(async () => {
    dir = await makeTempDir();
  });
  afterEach(() => dir.remove());

  const rotate = (argv: string[] = [], env: Record<string, string> = {}) =>
    runCommand(RotateKey, ['--data-dir', dir.path, ...argv], { ...NO_KEYS, ...env });
  const keyFile = () => join(dir.path, 'encryption-key');
  const keptKey = async () => (await readFile(keyFile(), 'utf8')).trim();
  const open = (key: string) =>
    openStore({ url: 'sqlite', dataDir: dir.path, encryptionKey: encryptionKeyBytes(key) });

  /** A store with one session, begun under that key. */
  async function fill(key: string): Promise<void> {
    const store = await open(key);
    await store.sessions.create(session('acme'));
    await store.keys.commit('acme', { credentials: bytes('creds') });
    await store.close();
  }

  async function readable(key: string): Promise<boolean> {
    const store = await open(key).catch(() => undefined);
    const credentials = await store?.keys.credentials('acme');
    await store?.close();
    return credentials !== undefined && text(credentials) === 'creds';
  }

  /** A store whose key is kept beside it. */
  async function fillWithKeptKey(): Promise<string> {
    const key = newKey();
    await writeFile(keyFile(), `${key}\n`, { mode: 0o600 });
    await fill(key);
    return key;
  }

  it('replaces the key in the data directory, readable by its owner only', async () => {
    const old = await fillWithKeptKey();
    const { exitCode, stdout } = await rotate();
    expect(exitCode).to.equal(0);
    expect(stdout).to.equal(`1 session is under the new key, stored in ${keyFile()}\n`);
    expect(await keptKey())
      .to.match(/^[0-9a-f]{64}$/)
      .and.not.equal(old);
    expect((await stat(keyFile())).mode & 0o777).to.equal(0o600);
    expect(await readable(await keptKey())).to.equal(true);
    expect(await readable(old)).to.equal(false);
    expect(await readdir(dir.path)).to.not.include('encryption-key.next');
  });

  it('copies a named key into the data directory', async () => {
    await fillWithKeptKey();
    const to = newKey();
    const { exitCode, stdout } = await rotate(['--json'], { SWITCHBOARD_NEW_ENCRYPTION_KEY: to });
    expect(exitCode).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.equal({ sessions: 1, keyFile: keyFile() });
    expect(await keptKey()).to.equal(to);
    expect(await readable(to)).to.equal(true);
  });

  it('changes a key that an operator stores, and writes neither key to the disk', async () => {
    const [from, to] = [newKey(), randomBytes(32).toString('base64')];
    await fill(from);
    const { exitCode, stdout } = await rotate(['--from', from, '--to', to]);
    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/start the daemon with that key/);
    expect(await readable(to)).to.equal(true);
    expect(await readdir(dir.path)).to.not.include('encryption-key');
  });

  it('completes a change that was interrupted before the store was re-encrypted', async () => {
    const old = await fillWithKeptKey();
    const { key } = await draftEncryptionKey(dir.path);
    expect(await readable(old)).to.equal(true);
    expect((await rotate()).exitCode).to.equal(0);
    expect(await keptKey()).to.equal(key);
    expect(await readable(key)).to.equal(true);
  });

  it('completes a change that was interrupted after the store was re-encrypted', async () => {
    const old = await fillWithKeptKey();
    const { key } = await draftEncryptionKey(dir.path);
    await rotateEncryptionKey({
      url: 'sqlite',
      dataDir: dir.path,
      from: encryptionKeyBytes(old),
      to: encryptionKeyBytes(key),
    });
    const other = await rotate(['--to', newKey()]);
    expect(other.exitCode).to.equal(6);
    const started = await runCli(['start', '--port', '0', '--data-dir', dir.path]);
    expect(started.exitCode).to.equal(1);
    expect(started.stderr).to.match(/was interrupted; complete it with: switchboard store rotate-key/);
    expect((await rotate()).exitCode).to.equal(0);
    expect(await keptKey()).to.equal(key);
    expect(await readable(key)).to.equal(true);
  });

  it('refuses while a daemon uses the store, and leaves nothing behind', async () => {
    const old = await fillWithKeptKey();
    const store = await open(old);
    const { exitCode, stderr } = await rotate();
    await store.close();
    expect(exitCode).to.equal(6);
    expect(stderr).to.match(/^error: .* is in use by another daemon.*: stop that one first/);
    expect(await keptKey()).to.equal(old);
    expect(await readable(old)).to.equal(true);
    expect(await readdir(dir.path)).to.not.include('encryption-key.next');
  });

  it('changes nothing when the old key is wrong', async () => {
    const key = newKey();
    await fill(key);
    const { exitCode, stderr } = await rotate(['--from', newKey(), '--to', newKey()]);
    expect(exitCode).to.equal(1);
    expect(stderr).to.match(/^error: the current key does not open the store.*\n$/);
    expect(await readable(key)).to.equal(true);
  });

  const mistakes: [string, () => string[], number, RegExp][] = [
    ['the key is missing', () => [], 1, /no encryption key in/],
    ['the new key is missing', () => ['--from', newKey()], 2, /SWITCHBOARD_NEW_ENCRYPTION_KEY/],
    ['the new key is too short', () => ['--from', newKey(), '--to', 'abc'], 2, /32 bytes/],
    ['the old key is too short', () => ['--from', 'abc', '--to', newKey()], 2, /32 bytes/],
    [
      'the store address is invalid',
      () => ['--store', 'redis://x', '--from', newKey(), '--to', newKey()],
      2,
      /store/,
    ],
    ['the database is missing', () => ['--from', newKey(), '--to', newKey()], 1, /no database/],
  ];
  for (const [what, argv, code, message] of mistakes) {
    it(`reports when ${what}, and creates nothing`, async () => {
      const { exitCode, stdout, stderr } = await rotate(argv());
      expect(exitCode, stderr).to.equal(code);
      expect(stdout).to.equal('');
      expect(stderr).to.match(message);
      expect(stderr).to.not.match(/[0-9a-f]{64}/);
      expect(await readdir(dir.path)).to.deep.equal([]);
    });
  }

  it('keeps numbers linked and API secrets valid', async () => {
    const world = await startWorld({ settings: { store: 'sqlite', encryptionKey: undefined } });
    try {
      await linkSession(world, 'acme', ALICE);
      await world.phones.addPhone(BOB);
      const secret = 'a-secret-of-this-session';
      await world.api.post('/set-api-secret', { clientId: 'acme', secret });
      await world.stopDaemon();
      const argv = ['--data-dir', world.dataDir, '--json'];
      const { exitCode, stdout } = await runCommand(RotateKey, argv, NO_KEYS);
      expect(exitCode, stdout).to.equal(0);
      expect(JSON.parse(stdout)).to.include({ sessions: 1 });
      await world.startDaemon();
      await reached(world, 'acme', 'connected');
      const message = { clientId: 'acme', to: BOB.number, body: 'still here' };
      const sent = await world.api.as(secret).post('/send-message', message);
      expect(sent.status, JSON.stringify(sent.body)).to.equal(200);
      expect((await world.api.as(`${secret}!`).post('/send-message', message)).status).to.equal(401);
    } finally {
      await world.stop();
    }
  });

  it('prints its help', async () => {
    const { stdout, exitCode } = await runCli(['store', 'rotate-key', '--help']);
    expect(exitCode).to.equal(0);
    for (const part of [
      'SWITCHBOARD_NEW_ENCRYPTION_KEY',
      'Stop every daemon that uses the store first',
      '--json',
      'EXAMPLES',
    ]) {
      expect(stdout).to.contain(part);
    }
  });
});
