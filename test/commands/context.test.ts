import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCli } from '../support/spawn-cli.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { FakeDaemon } from '../terminal/cli/support/fake-daemon.js';

const TOKEN = 'token-of-the-first-daemon';
const OTHER_TOKEN = 'token-of-the-second-daemon';
/** A port where nothing listens. */
const NOWHERE = 'http://127.0.0.1:9';

function rowOf(clientId: string) {
  const webhook = { url: '', failed: 0, waiting: 0, inFlight: 0 };
  return {
    clientId,
    status: 'connected',
    connected: true,
    loggedIn: true,
    jid: '',
    podName: 'node-1',
    reason: '',
    webhook,
  };
}

describe('switchboard context', () => {
  let first: FakeDaemon;
  let second: FakeDaemon;
  let folder: TempDir;

  beforeEach(async () => {
    [first, second] = [await FakeDaemon.start(), await FakeDaemon.start()];
    folder = await makeTempDir();
    for (const [daemon, token, clientId] of [
      [first, TOKEN, 'acme'],
      [second, OTHER_TOKEN, 'beta'],
    ] as const) {
      daemon.token = token;
      daemon.on('GET /clients', {
        clients: [{ clientId, jid: '', podName: 'node-1', orgId: '', webhookUrl: '' }],
      });
      daemon.on('GET /health/clients', { clients: [{ clientId, status: 'connected', reason: '' }] });
      daemon.on('GET /fleet', { at: '2026-11-21T12:00:00.000Z', nodes: [], sessions: [rowOf(clientId)] });
    }
  });
  afterEach(async () => {
    await Promise.all([first.stop(), second.stop()]);
    await folder.remove();
  });

  const run = (argv: readonly string[], env: Readonly<Record<string, string>> = {}, stdin?: string) =>
    runCli(argv, {
      env: { XDG_CONFIG_HOME: folder.path, XDG_DATA_HOME: folder.path, ...env },
      ...(stdin !== undefined && { stdin }),
    });
  const add = (name: string, daemon: FakeDaemon, token: string, ...more: string[]) =>
    run(['context', 'add', name, '--url', daemon.url, '--token', '-', ...more], {}, `${token}\n`);
  const file = () => join(folder.path, 'switchboard', 'contexts.json');

  it('keeps address and token where only the owner can read them, and prints no token', async () => {
    const added = await add('production', first, TOKEN, '--use');
    expect(added).to.include({ exitCode: 0, stdout: `production is ${first.url}\n`, stderr: '' });
    expect((await stat(file())).mode & 0o777).to.equal(0o600);
    expect(JSON.parse(await readFile(file(), 'utf8'))).to.deep.equal({
      current: 'production',
      contexts: { production: { url: first.url, token: TOKEN } },
    });
    const listed = await run(['context', 'list', '--json']);
    expect(JSON.parse(listed.stdout)).to.deep.equal({
      contexts: [{ context: 'production', url: first.url, hasToken: true, isCurrent: true }],
    });
    expect((await run(['context', 'list'])).stdout)
      .to.match(/^production +✓ +http\S+ +kept$/m)
      .and.not.contain(TOKEN);
  });

  it('keeps the token of a daemon that is added again, and says when a token is removed', async () => {
    await add('production', first, TOKEN);
    const tokenIn = async () => JSON.parse(await readFile(file(), 'utf8')).contexts.production.token;
    const again = await run(['context', 'add', 'production', '--url', first.url, '--use']);
    expect(again).to.include({ exitCode: 0, stderr: '' });
    expect(await tokenIn()).to.equal(TOKEN);
    const moved = await run(['context', 'add', 'production', '--url', second.url]);
    expect(moved.stderr).to.contain('production has no token any more');
    expect(await tokenIn()).to.equal(undefined);
    await add('production', first, TOKEN);
    const removed = await run(['context', 'add', 'production', '--url', first.url, '--token', '']);
    expect(removed.stderr).to.contain('production has no token any more');
  });

  it('chooses the daemon by --url, --context, SWITCHBOARD_URL and the current context, in this order', async () => {
    await add('one', first, TOKEN, '--use');
    await add('two', second, OTHER_TOKEN);
    const asked = async (argv: string[], env: Record<string, string> = {}) => {
      const { stdout, stderr } = await run(['sessions', 'list', ...argv], env);
      return /^(acme|beta)/m.exec(stdout)?.[1] ?? stderr;
    };
    expect(await asked([])).to.equal('acme');
    expect(await asked(['--context', 'two'])).to.equal('beta');
    expect(await asked([], { SWITCHBOARD_CONTEXT: 'two', SWITCHBOARD_URL: first.url })).to.equal('beta');
    const byUrl = { SWITCHBOARD_URL: second.url, SWITCHBOARD_TOKEN: OTHER_TOKEN };
    expect(await asked([], byUrl)).to.equal('beta');
    expect(await asked(['--url', second.url, '--token', OTHER_TOKEN])).to.equal('beta');
    expect(await asked(['--url', second.url, '--context', 'one'])).to.contain('either --url or --context');
  });

  it('sends the token of a context to its own address only', async () => {
    await add('one', first, TOKEN, '--use');
    const { exitCode } = await run(['sessions', 'list', '--url', second.url]);
    expect(exitCode).to.equal(4);
    expect(second.calls.map(({ headers }) => headers.authorization)).to.deep.equal([undefined]);
    await run(['sessions', 'list'], { SWITCHBOARD_TOKEN: OTHER_TOKEN });
    expect(first.calls.at(-1)?.headers.authorization).to.equal(`Bearer ${TOKEN}`);
  });

  it('changes and removes contexts, and forgets a current one that is removed', async () => {
    await add('one', first, TOKEN, '--use');
    await add('two', second, OTHER_TOKEN);
    expect((await run(['context', 'use', 'two'])).stdout).to.equal(`commands use two (${second.url})\n`);
    expect((await run(['context', 'remove', 'two'])).exitCode).to.equal(0);
    expect(JSON.parse(await readFile(file(), 'utf8'))).to.deep.equal({
      contexts: { one: { url: first.url, token: TOKEN } },
    });
    const unknown = await run(['context', 'use', 'onne']);
    expect(unknown.exitCode).to.equal(5);
    expect(unknown.stderr).to.contain('there is no context onne').and.contain('did you mean: one');
  });

  it('names the damaged field of its file', async () => {
    await add('one', first, TOKEN);
    await writeFile(file(), '{"contexts": {"one": {"url": "gateway"}}}');
    const { exitCode, stderr } = await run(['sessions', 'list']);
    expect(exitCode).to.equal(2);
    expect(stderr).to.contain(file()).and.contain('contexts.one.url must be an http:// or https:// URL');
  });

  it('completes the names of contexts, and chats of the daemon that is named', async () => {
    await add('one', first, TOKEN, '--use');
    await add('other', second, OTHER_TOKEN);
    expect((await run(['complete', '--', 'sessions', 'list', '--context', 'o'])).stdout).to.equal(
      'one\nother\n',
    );
    expect((await run(['complete', '--', 'context', 'use', 'ot'])).stdout).to.equal('other\n');
    const named = await run(['complete', '--', 'sessions', 'show', '--context', 'other', 'b']);
    expect(named.stdout).to.equal('beta\n');
  });

  it('completes with the token of a context at its own address only', async () => {
    await add('production', first, TOKEN, '--use');
    second.token = '';
    for (const words of [['--url', second.url], [`--url=${second.url}`]]) {
      expect((await run(['complete', '--', 'sessions', 'show', ...words, ''])).stdout).to.equal('beta\n');
    }
    expect(second.calls.map(({ headers }) => headers.authorization)).to.deep.equal([undefined, undefined]);
    expect(first.calls).to.deep.equal([]);
  });

  describe('fleet --all', () => {
    it('shows the sessions of all daemons in one table, also when one does not answer', async () => {
      await add('one', first, TOKEN);
      await add('two', second, OTHER_TOKEN);
      await run(['context', 'add', 'gone', '--url', NOWHERE]);
      const { stdout, exitCode } = await run(['fleet', '--all']);
      expect(exitCode).to.equal(0);
      const [head, ...rows] = stdout.trimEnd().split('\n');
      expect(head).to.match(/^CONTEXT +SESSION +STATE/);
      expect(rows.map((row) => row.split(/ {2,}/).slice(0, 2))).to.deep.equal([
        ['gone', '–'],
        ['one', 'acme'],
        ['two', 'beta'],
      ]);
      expect(rows[0]).to.contain('no answer').and.contain('cannot be reached');
      const json = JSON.parse((await run(['fleet', '--all', '--json'])).stdout);
      expect(
        json.contexts.map(({ context, fleet }: { context: string; fleet?: object }) => [
          context,
          Boolean(fleet),
        ]),
      ).to.deep.equal([
        ['gone', false],
        ['one', true],
        ['two', true],
      ]);
    });

    it('exits with 3 when no daemon answers, and with 5 without contexts', async () => {
      expect((await run(['fleet', '--all'])).exitCode).to.equal(5);
      await run(['context', 'add', 'gone', '--url', NOWHERE]);
      expect((await run(['fleet', '--all'])).exitCode).to.equal(3);
    });
  });
});
