import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { shownPlace } from '../../../src/gateway/store/open.js';
import { placeOf } from '../../../src/local/store/access.js';
import { foundOrigin, noDaemonEither } from '../../../src/local/store/backup.js';
import { DaemonClient } from '../../../src/terminal/cli/client.js';
import { errorReport } from '../../../src/terminal/cli/output.js';
import { keepFile } from '../../support/kept-store.js';
import { runCli } from '../../support/spawn-cli.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { startWorld, TOKEN, type World } from '../../support/world.js';

/** Bytes of a backup that no connection holds by itself. */
const LARGE = 24 * 1024 * 1024;

describe('switchboard store backup through the API', function () {
  this.timeout(120_000);
  let world: World;
  let folder: TempDir;
  const servers: Server[] = [];
  let count = 0;
  before(async () => {
    world = await startWorld();
    folder = await makeTempDir();
    for (const clientId of ['acme', 'other']) await world.api.post(`/start?clientId=${clientId}`, {});
  });
  after(async () => {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
    await world.stop();
    await folder.remove();
  });

  const newPath = () => {
    count += 1;
    return join(folder.path, `${count}.backup`);
  };
  /** Without anything of this machine's own configuration and data. */
  const home = () => ({
    XDG_CONFIG_HOME: join(folder.path, 'config'),
    XDG_DATA_HOME: join(folder.path, 'data'),
    HOME: folder.path,
  });
  const backUp = async (path: string, argv: string[], env: Record<string, string> = {}) => {
    const end = await runCli(['store', 'backup', path, ...argv], { env: { ...home(), ...env } });
    const leftover = (await readdir(folder.path)).filter((name) => name.endsWith('.part'));
    expect(leftover, end.stderr).to.deep.equal([]);
    return end;
  };
  const named = () => ({ SWITCHBOARD_URL: world.daemon.url, SWITCHBOARD_TOKEN: TOKEN });
  const serve = async (listener: RequestListener) => {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address: AddressInfo | string | null = server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  };

  it('names its store, and says that the encryption key is not part of the backup', async () => {
    const path = newPath();
    const { exitCode, stdout, stderr } = await backUp(path, [], named());
    expect({ exitCode, stderr }).to.deep.equal({
      exitCode: 0,
      stderr:
        'the encryption key of the store is not in the file, and a restore needs it: keep a copy of the key elsewhere\n',
    });
    const { store, dataDir, encryptionKey } = world.settings();
    const place = shownPlace({ url: String(store), dataDir: String(dataDir) });
    expect(stdout).to.match(/^2 sessions, 0 messages and 0 files are in /);
    expect(stdout).to.contain(place).and.to.contain(`through the daemon at ${world.daemon.url}`);
    const asJson = JSON.parse((await backUp(newPath(), ['--json'], named())).stdout);
    expect(asJson).to.include({ sessions: 2, place, daemon: world.daemon.url, encryptionKeyIncluded: false });
    const env = { ...home(), SWITCHBOARD_ENCRYPTION_KEY: String(encryptionKey) };
    const dry = await runCli(['store', 'restore', path, '--dry-run'], { env });
    expect(dry.stdout).to.match(/^backup of .*: 2 sessions/);
    expect(dry.stdout).to.contain(place);
  });

  it('backs up the store of the named daemon, never the store of this machine', async () => {
    const env = { ...home(), SWITCHBOARD_ENCRYPTION_KEY: '11'.repeat(32) };
    await mkdir(join(folder.path, 'data', 'switchboard'), { recursive: true });
    const own = join(folder.path, 'data', 'switchboard');
    const empty = await startWorld({
      settings: { dataDir: own, store: 'sqlite', encryptionKey: '11'.repeat(32) },
    });
    await empty.stopDaemon();
    try {
      await runCli(['context', 'add', 'production', '--url', world.daemon.url, '--token', TOKEN], { env });
      const inUse = await runCli(['context', 'use', 'production'], { env });
      expect(inUse.exitCode, inUse.stderr).to.equal(0);
      for (const [argv, more] of [
        [[], {}],
        [['--context', 'production'], {}],
        [['--url', world.daemon.url, '--token', TOKEN], {}],
        [[], named()],
        [[], { ...named(), SWITCHBOARD_DATA_DIR: own, SWITCHBOARD_STORE: 'sqlite' }],
      ] as const) {
        const { stdout, stderr } = await backUp(newPath(), [...argv, '--json'], { ...env, ...more });
        expect(JSON.parse(stdout), stderr).to.include({ sessions: 2, daemon: world.daemon.url });
      }
      const local = await backUp(newPath(), ['--data-dir', own, '--json'], env);
      expect(JSON.parse(local.stdout)).to.include({ sessions: 0, store: 'sqlite', place: own });
      const gone = newPath();
      const refused = await backUp(gone, ['--json'], { ...env, SWITCHBOARD_URL: 'http://127.0.0.1:9' });
      expect(refused.exitCode).to.equal(3);
      expect(existsSync(gone)).to.equal(false);
      await runCli(['context', 'remove', 'production'], { env });
    } finally {
      await empty.stop();
    }
  });

  it('refuses a daemon and a store at the same time, and an API secret', async () => {
    const both = await backUp(newPath(), ['--data-dir', folder.path, '--url', world.daemon.url]);
    expect(both.exitCode).to.equal(2);
    expect(both.stderr).to.contain('--url names a daemon, and --data-dir a store: give one of them');
    const secret = 'a-secret-of-a-session';
    await world.api.post('/set-api-secret', { clientId: 'acme', secret });
    const refused = await backUp(newPath(), [], { ...named(), SWITCHBOARD_TOKEN: secret });
    expect(refused.exitCode).to.equal(4);
    expect(refused.stderr).to.contain('use the master token');
  });

  it('refuses a path that exists', async () => {
    const path = newPath();
    await backUp(path, [], named());
    const whole = await readFile(path);
    expect((await backUp(path, [], named())).exitCode).to.equal(6);
    expect(await readFile(path)).to.deep.equal(whole);
  });

  it('leaves no file if the answer is cut off, ends too early, or is not a backup', async () => {
    const path = newPath();
    await backUp(path, [], named());
    const whole = await readFile(path);
    const half = whole.subarray(0, whole.length / 2);
    const type = { 'content-type': 'application/octet-stream' };
    const cut = await serve((_request, response) => {
      response.writeHead(200, type).write(half, () => response.destroy());
    });
    const early = await serve((_request, response) => response.writeHead(200, type).end(half));
    const other = await serve((_request, response) => response.writeHead(200, type).end('Something else'));
    const page = await serve((_request, response) => response.end('<html>Something else</html>'));
    const webhook = await serve((_request, response) => response.writeHead(204).end());
    for (const [url, exitCode, words] of [
      [cut, 3, 'cut the backup off before its end'],
      [early, 1, 'it is cut off'],
      [other, 1, 'it is no backup of Switchboard'],
      [page, 3, `the server at ${page} is not a Switchboard daemon`],
      [webhook, 3, `the server at ${webhook} is not a Switchboard daemon`],
    ] as const) {
      const received = newPath();
      const end = await backUp(received, ['--url', url, '--token', 't']);
      expect(end.stderr).to.contain(words);
      expect(end.exitCode).to.equal(exitCode);
      expect(existsSync(received)).to.equal(false);
    }
  });

  it('says that a daemon of an older release makes no backups', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(404, { 'x-sn-error': 'route_unknown' });
      response.end('{"error":"there is no GET /backup"}');
    });
    const end = await backUp(newPath(), ['--url', url, '--token', 't']);
    expect(end.exitCode).to.equal(1);
    expect(end.stderr).to.contain('is of a release that makes no backups');
  });

  it('suggests only remedies that work for a named daemon', async () => {
    const dataDir = join(folder.path, 'data-of-the-daemon');
    const url = ['--url', world.daemon.url];
    const none = await backUp(newPath(), url);
    expect(none.exitCode).to.equal(4);
    expect(none.stderr).to.contain('or set SWITCHBOARD_DATA_DIR').and.not.to.contain('--data-dir');
    await mkdir(dataDir);
    await writeFile(join(dataDir, 'token'), 'the-token-of-another-daemon');
    const other = await backUp(newPath(), url, { SWITCHBOARD_DATA_DIR: dataDir });
    expect(other.exitCode).to.equal(4);
    expect(other.stderr).to.contain(`does not know the token in ${join(dataDir, 'token')}`);
    await writeFile(join(dataDir, 'token'), TOKEN);
    expect((await backUp(newPath(), url, { SWITCHBOARD_DATA_DIR: dataDir })).exitCode).to.equal(0);
  });

  it('says that neither a daemon nor a store was found, and which folder is missing', async () => {
    const missing = join(folder.path, 'missing');
    const missingStore = await placeOf({}, missing).catch((error: unknown) => error);
    const { error, suggestions } = errorReport(noDaemonEither(missingStore, 'http://127.0.0.1:3000'));
    expect(error).to.equal(`no daemon answers at http://127.0.0.1:3000, and there is no folder ${missing}`);
    expect(suggestions[0]).to.equal('name the daemon to back up: --url or --context');
    const typo = await backUp(newPath(), ['--data-dir', missing]);
    expect(typo.stderr).to.contain(`error: there is no folder ${missing}`);
    expect(typo.exitCode).to.equal(5);
    const file = await backUp(join(missing, '1.backup'), [], named());
    expect(file.stderr).to.contain(`error: there is no folder ${missing}`);
    expect(file.exitCode).to.equal(5);
  });

  it('checks a backup without a store, and reports the key of another store', async () => {
    const path = newPath();
    await backUp(path, [], named());
    const check = async (key: string) =>
      runCli(['store', 'restore', path, '--dry-run'], {
        env: { ...home(), SWITCHBOARD_ENCRYPTION_KEY: key },
      });
    const other = await check('22'.repeat(32));
    expect(other.exitCode).to.equal(1);
    expect(other.stderr).to.contain(`${path} is of a store with another encryption key`);
    expect(other.stderr).to.contain('--encryption-key').and.not.to.contain('start with');
  });

  it('chooses the store of this machine only if no daemon of another store answers', async () => {
    const choose = (url: string, hasToken: boolean) =>
      foundOrigin(new DaemonClient({ url }), { hasToken, dataDir: '/data' }).catch(
        (error: Error) => error.message,
      );
    const stranger = await serve((_request, response) => response.end('hello'));
    expect(await choose('http://127.0.0.1:9', false)).to.equal('store');
    expect(await choose(stranger, false)).to.equal('store');
    expect(await choose(world.daemon.url, true)).to.equal('daemon');
    expect(await choose(world.daemon.url, false)).to.equal(
      `a daemon runs at ${world.daemon.url}, and /data has no token for it: say which store to back up`,
    );
  });

  describe('switchboard store backup of a large store', () => {
    let large: World;
    before(async () => {
      large = await startWorld();
      await large.api.post('/start?clientId=acme', {});
      await large.stopDaemon();
      await large.inspect((store) => keepFile(store, 'M1', { content: 'x'.repeat(LARGE) }));
      await large.startDaemon();
    });
    after(() => large.stop());

    /** Begins a backup, and reads nothing of it beyond what the connection takes by itself. */
    const begin = async () => {
      const { hostname, port } = new URL(large.daemon.url);
      const socket = connect(Number(port), hostname);
      const request = `GET /backup HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`;
      socket.write(request);
      await new Promise<void>((resolve) => socket.once('readable', resolve));
      return socket;
    };

    it('makes one backup at a time, and the next one once a caller has disconnected', async () => {
      const socket = await begin();
      const refused = await large.api.get('/backup');
      expect([refused.status, refused.headers.get('x-sn-error')]).to.deep.equal([409, 'backup_running']);
      const env = { SWITCHBOARD_URL: large.daemon.url, SWITCHBOARD_TOKEN: TOKEN };
      expect((await backUp(newPath(), [], env)).exitCode).to.equal(6);
      socket.destroy();
      let end = await backUp(newPath(), ['--json'], env);
      await until('the end of the first backup', async () => {
        if (end.exitCode !== 0) end = await backUp(newPath(), ['--json'], env);
        return end.exitCode === 0;
      });
      expect(JSON.parse(end.stdout)).to.include({ sessions: 1, files: 1 }).and.property('bytes').above(LARGE);
    });

    it('is cut off by a daemon that stops, which does not wait for its reader', async () => {
      const socket = await begin();
      const received: Buffer[] = [];
      const stopping = large.stopDaemon();
      socket.on('data', (bytes: Buffer) => received.push(bytes));
      socket.on('error', () => undefined);
      await new Promise((resolve) => socket.once('close', resolve));
      await stopping;
      const answer = Buffer.concat(received);
      expect(answer.length).to.be.below(LARGE);
      // the last chunk of a whole answer
      expect(answer.subarray(-5).toString()).to.not.equal('0\r\n\r\n');
      await large.startDaemon();
    });
  });
});
