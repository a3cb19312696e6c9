import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { encryptionKeyBytes } from '../../../../src/gateway/config/secrets.js';
import { openStore } from '../../../../src/gateway/store/open.js';
import type { Store } from '../../../../src/gateway/store/store.js';
import { startTcpProxy } from '../../../support/tcp-proxy.js';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';
import { diagnose, type Patient, WELL_LIMITS } from './support/diagnose.js';
import { WellDaemon } from './support/well.js';

const KEY = 'a'.repeat(64);

describe('doctor, of an installation', () => {
  let folder: TempDir;
  let closedPort: number;

  before(async () => {
    const gone = await startTcpProxy('127.0.0.1', 1);
    closedPort = gone.port;
    await gone.stop();
  });
  beforeEach(async () => {
    folder = await makeTempDir();
  });
  afterEach(() => folder.remove());

  /** No daemon runs. */
  const look = ({ env, ...changes }: Partial<Patient> = {}) =>
    diagnose({
      url: `http://127.0.0.1:${closedPort}`,
      dataDir: folder.path,
      network: 'sandbox',
      env: { SWITCHBOARD_PORT: String(closedPort), ...env },
      ...changes,
    });
  const inFolder = (name: string) => join(folder.path, name);
  const writeSecret = (name: string, text: string, mode = 0o600) => writeFile(inFolder(name), text, { mode });
  const openHere = (): Promise<Store> =>
    openStore({ url: 'sqlite', dataDir: folder.path, encryptionKey: encryptionKeyBytes(KEY) });

  it('finds a Node that is too old', async () => {
    const program = { release: '2026-01', nodeVersion: '18.20.8', nodeRange: '>=20.19' };
    expect((await look({ program })).of('node')).to.include({ level: 'failed', trouble: 'node-too-old' });
    const newer = { ...program, nodeVersion: '22.1.0' };
    expect((await look({ program: newer })).of('node').level).to.equal('ok');
  });

  it('finds an invalid setting, and creates no secrets', async () => {
    const diagnosis = await look({ env: { SWITCHBOARD_PORT: 'many' } });
    expect(diagnosis.of('settings')).to.include({ level: 'failed', trouble: 'settings-invalid' });
    expect(diagnosis.of('settings').detail).to.contain('SWITCHBOARD_PORT');
    expect(diagnosis.of('token-file').level).to.equal('skipped');
  });

  it('finds a data directory that is missing, not a folder, or open to other users', async () => {
    const missing = await look({ dataDir: inFolder('missing') });
    expect(missing.of('data-dir')).to.include({ level: 'warning', trouble: 'data-dir-missing' });
    await writeSecret('file', '');
    const file = await look({ dataDir: inFolder('file') });
    expect(file.of('data-dir')).to.include({ level: 'failed', trouble: 'data-dir-not-writable' });
    await chmod(folder.path, 0o755);
    const open = await look();
    expect(open.of('data-dir')).to.include({ trouble: 'data-dir-open', advice: `chmod 700 ${folder.path}` });
  });

  it('finds a disk that is full, or nearly so', async () => {
    const nearly = await look({ limits: { ...WELL_LIMITS, nearlyFullBytes: Number.MAX_SAFE_INTEGER } });
    expect(nearly.of('disk')).to.include({ level: 'warning', trouble: 'disk-nearly-full' });
    const full = await look({ limits: { ...WELL_LIMITS, fullBytes: Number.MAX_SAFE_INTEGER } });
    expect(full.of('disk')).to.include({ level: 'failed', trouble: 'disk-full' });
    expect(full.of('disk').facts.freeBytes).to.be.a('number');
  });

  it('finds a token file that is readable by others, or unreadable', async () => {
    await writeSecret('token', 'x'.repeat(32), 0o644);
    const open = (await look()).of('token-file');
    expect(open).to.include({ trouble: 'token-file-open', advice: `chmod 600 ${inFolder('token')}` });
    await rm(inFolder('token'));
    await symlink('token', inFolder('token'));
    expect((await look()).of('token-file').trouble).to.equal('token-file-unreadable');
  });

  it('finds an encryption key that is open, unreadable, or half changed', async () => {
    await writeSecret('encryption-key', KEY, 0o640);
    expect((await look()).of('encryption-key').trouble).to.equal('key-file-open');
    await rm(inFolder('encryption-key'));
    await symlink('encryption-key', inFolder('encryption-key'));
    expect((await look()).of('encryption-key').trouble).to.equal('key-file-unreadable');
    await writeSecret('encryption-key.next', KEY);
    expect((await look()).of('encryption-key').trouble).to.equal('key-change-unfinished');
  });

  it('finds that the key of a database is missing or wrong', async () => {
    await (await openHere()).close();
    expect((await look()).of('encryption-key').trouble).to.equal('key-file-missing');
    await writeSecret('encryption-key', 'b'.repeat(64));
    const wrong = await look();
    expect(wrong.of('store-file')).to.include({ level: 'failed', trouble: 'key-wrong' });
    await writeSecret('encryption-key', KEY);
    const right = await look();
    expect(right.of('encryption-key').level).to.equal('ok');
    expect(right.of('store-file').level).to.equal('ok');
  });

  it('finds that another process uses the data directory', async () => {
    await writeSecret('encryption-key', KEY);
    const store = await openHere();
    const found = (await look()).of('store-file');
    await store.close();
    expect(found).to.include({ level: 'failed', trouble: 'store-locked' });
    expect(found.detail).to.contain(String(process.pid));
  });

  it('finds a file that is not a database', async () => {
    await writeSecret('encryption-key', KEY);
    await writeSecret(
      'switchboard.db',
      'no database at all, but long enough to be read as a header'.repeat(20),
    );
    expect((await look()).of('store-file')).to.include({ level: 'failed', trouble: 'store-broken' });
  });

  it('finds damage in the database', async () => {
    await writeSecret('encryption-key', KEY);
    await (await openHere()).close();
    expect((await look()).of('store-damage').level).to.equal('ok');
    const path = inFolder('switchboard.db');
    const database = await readFile(path);
    const pageSize = database.readUInt16BE(16);
    // the first byte of a page says what kind of page it is; those of the schema stay
    for (let at = 5 * pageSize; at < database.length; at += pageSize) database[at] = 0xff;
    await writeFile(path, database);
    const found = (await look()).of('store-damage');
    expect(found).to.include({ level: 'failed', trouble: 'store-damaged' });
    expect(found.advice).to.contain('switchboard store restore');
  });

  it('finds that another program uses the port', async () => {
    const other = await startTcpProxy('127.0.0.1', 1);
    const found = (await look({ env: { SWITCHBOARD_PORT: String(other.port) } })).of('port');
    await other.stop();
    expect(found).to.include({ level: 'failed', trouble: 'port-taken' });
    expect(found.advice).to.contain(`:${other.port}`);
  });

  it('checks the port of the URL that commands use, unless the settings have another one', async () => {
    const other = await startTcpProxy('127.0.0.1', 1);
    const ofUrl = await look({ env: { SWITCHBOARD_PORT: '' }, url: `http://127.0.0.1:${other.port}` });
    const ofSettings = await look({ url: `http://127.0.0.1:${other.port}` });
    await other.stop();
    expect(ofUrl.of('port')).to.include({ level: 'failed', trouble: 'port-taken' });
    expect(ofSettings.of('port')).to.include({ level: 'ok', detail: `127.0.0.1:${closedPort} is free` });
  });

  it('finds an address that this machine does not have', async () => {
    const found = (await look({ env: { SWITCHBOARD_HOST: '192.0.2.1' } })).of('port');
    expect(found).to.include({ level: 'failed', trouble: 'port-no-such-address' });
  });

  it('changes nothing in a data directory', async () => {
    await mkdir(inFolder('empty'), { mode: 0o700 });
    const { troubles } = await look({ dataDir: inFolder('empty') });
    expect(troubles).to.deep.equal(['daemon-refused']);
    expect(await readdir(inFolder('empty'))).to.deep.equal([]);
  });

  describe('doctor, of an installation with a daemon', () => {
    let daemon: WellDaemon;
    before(async () => {
      daemon = await WellDaemon.start();
    });
    after(() => daemon.http.stop());

    const publicUrl = async (url: string, host = '0.0.0.0') => {
      const env = { SWITCHBOARD_HOST: host, ...(url && { SWITCHBOARD_PUBLIC_URL: url }) };
      return (await look({ url: daemon.http.url, env })).of('public-url');
    };

    it('finds a public URL that is unreachable from other machines', async () => {
      expect((await publicUrl('')).trouble).to.equal('public-url-loopback');
      expect((await publicUrl('http://localhost:3000')).trouble).to.equal('public-url-loopback');
      expect((await publicUrl('', '127.0.0.1')).level).to.equal('skipped');
      expect((await publicUrl('http://nowhere.invalid')).trouble).to.equal('public-url-unreachable');
    });

    it('skips the port check while a daemon answers on another port', async () => {
      const env = { SWITCHBOARD_PORT: new URL(daemon.http.url).port };
      expect((await look({ url: daemon.http.url, env })).of('port').level).to.equal('skipped');
    });

    it('skips file checks for a daemon on another machine', async () => {
      const port = new URL(daemon.http.url).port;
      const diagnosis = await look({ url: `http://127.0.0.1.nip.invalid:${port}` });
      for (const id of [
        'settings',
        'data-dir',
        'disk',
        'token-file',
        'encryption-key',
        'port',
        'store-file',
      ]) {
        expect(diagnosis.of(id).level, id).to.equal('skipped');
      }
    });
  });
});
