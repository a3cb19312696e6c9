import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { readJson } from '../../src/domain/json.js';
import { CliProcess, runCli } from '../support/spawn-cli.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { FakeDaemon } from '../terminal/cli/support/fake-daemon.js';

/** What shows screens in a terminal. */
const SCREENS = ['ink', 'react', 'yoga-layout'];
/** What decodes files. */
const DECODERS = ['sharp', 'unpdf', 'music-metadata', 'ogg-opus-decoder', 'file-type'];
/** The protocol library and its parts. */
const LIBRARY = ['@whiskeysockets/baileys', 'whatsapp-rust-bridge', 'libsignal', 'protobufjs', 'socks', 'ws'];
const ON_DEMAND = [
  'mongodb',
  'undici',
  'yaml',
  'qrcode',
  'qrcode-terminal',
  'swagger-ui-dist',
  'htmlparser2',
  'pino-pretty',
  // the API package is one of the metrics' too
  '@opentelemetry/sdk-trace',
  '@opentelemetry/resources',
  '@opentelemetry/exporter-trace-otlp-http',
];
const SERVER = ['@hapi/hapi', 'better-sqlite3', 'joi', 'pino', 'prom-client'];

describe('a process of the command line', function () {
  this.timeout(60_000);
  let folder: TempDir;

  beforeEach(async () => {
    folder = await makeTempDir();
  });
  afterEach(() => folder.remove());

  it('starts a daemon without sessions, and loads neither the protocol library nor the sandbox, decoders and screens', async () => {
    const daemon = new CliProcess(['start', '--port', '0', '--data-dir', join(folder.path, 'data')], {
      env: { ...recorded(), SWITCHBOARD_ENCRYPTION_KEY: randomBytes(32).toString('hex') },
    });
    await daemon.printed('listening on');
    daemon.signal('SIGTERM');
    await daemon.end();
    const { packages, own } = await loaded();
    expect(packages).to.include.members(SERVER);
    expect(packages).not.to.include.oneOf([...LIBRARY, ...DECODERS, ...SCREENS, ...ON_DEMAND]);
    expect(
      own.filter((path) => /^src\/(sandbox|terminal\/tui|gateway\/store\/mongo)\//.test(path)),
    ).to.deep.equal([]);
    expect(own.filter((path) => path.startsWith('src/gateway/link/baileys/'))).to.deep.equal([
      'src/gateway/link/baileys/lazy.js',
    ]);
  });

  it('names the packages that traces need when they are not installed', async () => {
    const hook = `export const resolve = (name, context, next) =>
      name === '@opentelemetry/sdk-trace' ? Promise.reject(new Error('not installed')) : next(name, context)`;
    const script = `import { register } from 'node:module'; register(${JSON.stringify(inline(hook))})`;
    const argv = ['start', '--port', '0', '--otlp-endpoint', 'http://127.0.0.1:9'];
    const { exitCode, stderr } = await runCli([...argv, '--data-dir', join(folder.path, 'data')], {
      env: { NODE_OPTIONS: `--import=${inline(script)}` },
    });
    expect(exitCode).not.to.equal(0);
    expect(stderr).to.contain(
      'error: --otlp-endpoint needs packages that are not installed: npm install -g @open',
    );
  });

  it('lists sessions, and loads nothing of the daemon', async () => {
    const daemon = await FakeDaemon.start();
    daemon.on('GET /clients', { clients: [] });
    daemon.on('GET /health/clients', { clients: [] });
    const env = { ...recorded(), SWITCHBOARD_URL: daemon.url, SWITCHBOARD_TOKEN: 't' };
    const { exitCode } = await runCli(['sessions', 'list'], { env });
    await daemon.stop();
    expect(exitCode).to.equal(0);
    const { packages, own } = await loaded();
    expect(own).to.include('commands/sessions/list.js');
    expect(packages).not.to.include.oneOf([...SERVER, ...LIBRARY, ...DECODERS, ...SCREENS, ...ON_DEMAND]);
    expect(
      own.filter((path) => /^src\/(gateway|sandbox|local|terminal\/tui\/(?!text\/))/.test(path)),
    ).to.deep.equal([]);
  });

  /** Has Node write down which scripts the process has compiled. */
  function recorded(): Record<string, string> {
    return { NODE_V8_COVERAGE: folder.path };
  }

  /** The packages that were loaded, and the project's own files. */
  async function loaded(): Promise<{ packages: string[]; own: string[] }> {
    const names = (await readdir(folder.path)).filter((name) => /^coverage-.*\.json$/.test(name));
    const texts = await Promise.all(names.map((name) => readFile(join(folder.path, name), 'utf8')));
    const urls = texts.flatMap(scriptsOf);
    const found = (pattern: RegExp) => [...new Set(urls.flatMap((url) => pattern.exec(url)?.[1] ?? []))];
    return {
      packages: found(/.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/dist\/(?:src|commands)\/)/),
      own: found(/\/dist\/((?:src|commands)\/.*)$/).filter((path) => !path.includes('node_modules')),
    };
  }
});

/** A module as an address. */
function inline(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

function scriptsOf(text: string): string[] {
  const record = readJson(text);
  if (typeof record !== 'object' || record === null || !('result' in record)) return [];
  const { result } = record;
  if (!Array.isArray(result)) return [];
  return result.flatMap((script: unknown) =>
    typeof script === 'object' && script !== null && 'url' in script ? String(script.url) : [],
  );
}
