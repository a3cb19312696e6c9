import { existsSync } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigError, DataDirError, loadConfig } from '../../../src/gateway/config/load.js';
import {
  networkChoice,
  type RawSettings,
  SETTING_NAMES,
  SETTINGS,
  summarize,
} from '../../../src/gateway/config/schema.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';

describe('settings', () => {
  let folder: TempDir;
  beforeEach(async () => {
    folder = await makeTempDir();
  });
  afterEach(() => folder.remove());

  const load = (flags: RawSettings = {}, env: NodeJS.ProcessEnv = {}) =>
    loadConfig({ flags, env, defaultDataDir: folder.path });
  const failure = async (flags: RawSettings, env: NodeJS.ProcessEnv = {}): Promise<Error> =>
    load(flags, env).then(
      () => expect.fail('the settings were accepted'),
      (error: Error) => error,
    );

  it('have the documented defaults', async () => {
    const config = await load();
    expect(config).to.include({
      host: '127.0.0.1',
      port: 3000,
      dataDir: folder.path,
      store: 'sqlite',
      network: 'whatsapp',
      sandboxHost: '127.0.0.1',
      sandboxPort: 3001,
      publicUrl: 'http://127.0.0.1:3000',
      nodeUrl: '',
      allowPrivateUrls: false,
      linkPreviews: false,
      retentionDays: 0,
      durableMb: 64,
      heldSends: 1_000,
      connectionsPerAddress: 2_048,
      checkAnswers: false,
      logLevel: 'info',
    });
  });

  it('let flags beat the environment, and the environment the file', async () => {
    await writeFile(join(folder.path, 'switchboard.yaml'), 'port: 1001\nhost: 127.0.0.3\nlogLevel: warn\n');
    const config = await load({ port: 1003 }, { SWITCHBOARD_PORT: '1002', SWITCHBOARD_HOST: '127.0.0.2' });
    expect(config).to.include({ port: 1003, host: '127.0.0.2', logLevel: 'warn' });
  });

  it('read switchboard.json too', async () => {
    await writeFile(join(folder.path, 'switchboard.json'), '{"port": 1001}');
    expect(await load()).to.include({ port: 1001 });
  });

  it('accept an address of this node that ends with its port, and none with a path', async () => {
    expect(await load({ nodeUrl: 'http://10.0.0.7:3000/' })).to.include({ nodeUrl: 'http://10.0.0.7:3000/' });
    expect((await failure({ nodeUrl: 'http://10.0.0.7:3000/api' })).message).to.match(
      /--node-url .*host and port, without a path/,
    );
  });

  it('name a setting in the file that does not exist', async () => {
    await writeFile(join(folder.path, 'switchboard.json'), '{"prot": 1001}');
    expect((await failure({})).message).to.match(/unknown setting prot/);
  });

  it('say which file cannot be read', async () => {
    await writeFile(join(folder.path, 'switchboard.json'), '{"port": ');
    const error = await failure({});
    expect(error).to.be.instanceOf(ConfigError);
    expect(error.message).to.include('switchboard.json');
  });

  it('make token and encryption key once, for the owner only', async () => {
    const first = await load();
    const again = await load();
    expect(again.token).to.equal(first.token);
    expect(again.encryptionKey).to.equal(first.encryptionKey);
    expect(Buffer.from(first.token, 'base64url')).to.have.length(32);
    for (const name of ['token', 'encryption-key']) {
      expect((await stat(join(folder.path, name))).mode & 0o777, name).to.equal(0o600);
    }
    expect((await readFile(join(folder.path, 'token'), 'utf8')).trim()).to.equal(first.token);
  });

  it('make no new encryption key beside a SQLite store, and say that the file is missing', async () => {
    await load();
    const key = join(folder.path, 'encryption-key');
    await rm(key);
    await writeFile(join(folder.path, 'switchboard.db'), 'a database');
    const error = await failure({});
    expect(error).to.be.instanceOf(DataDirError);
    expect(error.message).to.contain(
      `${folder.path} cannot be used: it has a database, but no file encryption-key`,
    );
    expect(existsSync(key)).to.equal(false);
    expect(await load({}, { SWITCHBOARD_ENCRYPTION_KEY: '11'.repeat(32) })).to.be.an('object');
    // the SQLite file is not the store then
    await load({ store: 'mongodb://127.0.0.1/switchboard' });
    expect(existsSync(key)).to.equal(true);
  });

  it('agree on one token when two daemons start at once', async () => {
    const configs = await Promise.all(Array.from({ length: 8 }, () => load()));
    expect(new Set(configs.map(({ token }) => token))).to.have.property('size', 1);
  });

  it('allow private addresses by default only in the sandbox', async () => {
    expect(await load({ network: 'sandbox' })).to.include({ allowPrivateUrls: true });
    expect(await load({ network: 'sandbox', allowPrivateUrls: false })).to.include({
      allowPrivateUrls: false,
    });
    expect(await load({}, { SWITCHBOARD_ALLOW_PRIVATE_URLS: 'yes' })).to.include({ allowPrivateUrls: true });
  });

  const bad: [keyof RawSettings, unknown][] = [
    ['port', 'http'],
    ['port', 70_000],
    ['host', 'not a host'],
    ['store', 'postgres://localhost'],
    ['network', 'telegram'],
    ['token', 'short'],
    ['encryptionKey', 'abc'],
    ['publicUrl', 'example.org'],
    ['logLevel', 'loud'],
    ['allowPrivateUrls', 'maybe'],
  ];
  for (const [name, value] of bad) {
    it(`refuse ${SETTINGS[name].env}=${String(value)} in one line that names the setting`, async () => {
      for (const error of [
        await failure({ [name]: value }),
        await failure({}, { [SETTINGS[name].env]: String(value) }),
      ]) {
        expect(error).to.be.instanceOf(ConfigError);
        expect(error.message).to.include(`--${SETTINGS[name].flag}`).and.include(SETTINGS[name].env);
        expect(error.message).not.to.include('\n');
      }
    });
  }

  it('never show a secret, in the summary or in an error', async () => {
    const secrets = {
      token: 'a-very-secret-token',
      store: 'mongodb://joe:hunter2@db/x',
      encryptionKey: 'ab'.repeat(32),
      otlpEndpoint: 'https://collector.example/key-in-path',
      otlpHeaders: 'x-api-key=hush',
    };
    const shown = JSON.stringify(summarize(await load(secrets)));
    for (const secret of ['a-very-secret-token', 'hunter2', 'abab', 'key-in-path', 'hush'])
      expect(shown).not.to.include(secret);
    expect(summarize(await load(secrets))).to.include({ token: 'set', store: 'mongodb:// (set)' });
    expect((await failure({ token: 'my secret with spaces' })).message).not.to.include('my secret');
  });

  it('refuse headers and shares that cannot be used, without showing them', async () => {
    for (const otlpHeaders of ['hush', 'a=b\r\nhush: 1', 'a b=hush'])
      expect((await failure({ otlpHeaders })).message).to.match(
        /^--otlp-headers .* headers such as name=value/,
      );
    expect((await failure({ otlpEndpoint: 'collector:4318' })).message).to.match(/^--otlp-endpoint /);
    expect((await failure({ traceRatio: 1.5 })).message).to.contain('--trace-ratio');
    expect(await load({ traceRatio: '0.25', otlpHeaders: 'a=1, b=2' })).to.include({ traceRatio: 0.25 });
  });

  it('are listed in the documentation as the schema has them', async () => {
    const page = new URL('../../../docs/settings.md', import.meta.url);
    const text = await readFile(page, 'utf8');
    const between = /(<!-- settings: [^\n]* -->\n).*(<!-- end of settings -->)/s;
    const wanted = text.replace(between, (_, begin: string, end: string) => `${begin}${table()}${end}`);
    if (process.env.SWITCHBOARD_UPDATE_DOCS) await writeFile(page, wanted);
    else expect(text).to.equal(wanted);
  });

  it('name the network in four ways', () => {
    expect(networkChoice({ network: 'whatsapp' })).to.deep.equal({ kind: 'whatsapp' });
    expect(networkChoice({ network: 'sandbox' })).to.deep.equal({ kind: 'embedded-sandbox' });
    expect(networkChoice({ network: 'ws://h:1/x' })).to.deep.equal({ kind: 'address', wsUrl: 'ws://h:1/x' });
    expect(networkChoice({ network: 'sandbox+ws://h:1/ws/chat' })).to.deep.equal({
      kind: 'sandbox',
      wsUrl: 'ws://h:1/ws/chat',
      controlUrl: 'http://h:1',
    });
  });
});

/** The table of the page, with a row for each setting. */
function table(): string {
  const rows = SETTING_NAMES.map((name) => {
    const { flag, env, default: value, description, more } = SETTINGS[name];
    // a value, in contrast to words about it
    const shown = /^[\w.:/]+$/.test(value) && !['off', 'none'].includes(value) ? `\`${value}\`` : value;
    return `| \`--${flag}\` | \`${env}\` | ${shown} | ${[description, more ?? []].flat().join('. ')} |\n`;
  });
  return ['| flag | variable | default | |\n|---|---|---|---|\n', ...rows].join('');
}
