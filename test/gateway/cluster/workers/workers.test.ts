import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { startWorkers, type Workers, workerConfig } from '../../../../src/gateway/cluster/workers/workers.js';
import { createLog } from '../../../../src/gateway/log.js';
import { compiledProgram } from '../../../support/compiled.js';
import { startReceiver } from '../../../support/receiver.js';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';
import { workersConfig } from './support/workers-config.js';

const SCRIPT = new URL('support/worker-script.ts', import.meta.url);
const PARENT = new URL('support/parent-script.ts', import.meta.url);

/** The description that a worker of the script returns. */
interface Told {
  pid: number;
  argv: string[];
  env: Record<string, string>;
}

describe('workers', function () {
  this.timeout(120_000);
  let dir: TempDir;
  const running: Workers[] = [];
  /** Lines of the log, and who waits for the next one that has a text. */
  let lines: string[] = [];
  let onLine: () => void = () => undefined;

  beforeEach(async () => {
    dir = await makeTempDir();
    lines = [];
  });
  afterEach(async () => {
    for (const workers of running.splice(0)) await workers.stop();
    await dir.remove();
  });

  const log = createLog({
    level: 'info',
    pretty: false,
    destination: {
      write(line) {
        lines.push(line);
        onLine();
      },
    },
  });

  async function logged(text: string, times: number): Promise<void> {
    while (lines.filter((line) => line.includes(text)).length < times) {
      await new Promise<void>((resolve) => {
        onLine = resolve;
      });
    }
  }

  async function start(
    settings: Parameters<typeof workersConfig>[1] = {},
    { args = [] as string[], signal = new AbortController().signal, pingMs = 60_000 } = {},
  ): Promise<Workers | undefined> {
    const config = await workersConfig(join(dir.path, 'data'), settings);
    const program = { path: compiledProgram(SCRIPT), args, execArgv: [] };
    const workers = await startWorkers(config, { log, signal, program, pingMs });
    if (workers) running.push(workers);
    return workers;
  }

  /** Sends a request on a new connection. */
  async function ask(url = ''): Promise<Told> {
    const answer = await fetch(url, { headers: { connection: 'close' } });
    return JSON.parse(await answer.text());
  }

  it('workers have their own name, folder and port behind one address, and share the other settings', async () => {
    const workers = await start({ token: 'a-master-token-of-the-test', allowPrivateUrls: false });
    const told = [await ask(workers?.url), await ask(workers?.url)].sort((a, b) =>
      String(a.env.SWITCHBOARD_NODE_NAME).localeCompare(String(b.env.SWITCHBOARD_NODE_NAME)),
    );
    const key = told[0]?.env.SWITCHBOARD_ENCRYPTION_KEY;
    expect(key).to.match(/^[0-9a-f]{64}$/);
    for (const [index, { env, argv }] of told.entries()) {
      expect(argv, 'no secrets where all processes of a machine can see them').to.deep.equal([]);
      expect(env).to.include({
        SWITCHBOARD_WORKERS: '1',
        SWITCHBOARD_NODE_NAME: `node-${index + 1}`,
        SWITCHBOARD_DATA_DIR: join(dir.path, 'data', `worker-${index + 1}`),
        SWITCHBOARD_HOST: '127.0.0.1',
        SWITCHBOARD_PORT: '0',
        SWITCHBOARD_NODE_URL: '',
        SWITCHBOARD_PUBLIC_URL: workers?.url,
        SWITCHBOARD_TOKEN: 'a-master-token-of-the-test',
        SWITCHBOARD_ENCRYPTION_KEY: key,
        SWITCHBOARD_ALLOW_PRIVATE_URLS: 'false',
      });
    }
    const direct = await Promise.all((workers?.workerUrls ?? []).map(ask));
    expect(direct.map(({ pid }) => pid)).to.deep.equal(told.map(({ pid }) => pid));
  });

  it('workers restart when they die, while the others run', async () => {
    const workers = await start();
    const [first = '', second = ''] = workers?.workerUrls ?? [];
    const { pid } = await ask(first);
    process.kill(pid, 'SIGKILL');
    await logged('a worker has exited', 1);
    expect((await ask(workers?.url)).env.SWITCHBOARD_NODE_NAME).to.equal('node-2');
    await logged('a worker serves', 3);
    const told = [await ask(workers?.url), await ask(workers?.url)];
    expect(told.map(({ env }) => env.SWITCHBOARD_NODE_NAME)).to.have.members(['node-1', 'node-2']);
    expect(told.map((one) => one.pid))
      .to.include((await ask(second)).pid)
      .and.not.include(pid);
  });

  it('workers restart when they stop answering', async () => {
    const workers = await start({}, { pingMs: 500 });
    const { pid } = await ask(workers?.workerUrls[0]);
    process.kill(pid, 'SIGSTOP');
    await logged('a worker has exited', 1);
    await logged('a worker serves', 3);
    expect(isAlive(pid)).to.equal(false);
    expect((await ask(workers?.workerUrls[0])).env.SWITCHBOARD_NODE_NAME).to.equal('node-1');
  });

  it('all end when one cannot start, with its reason', async () => {
    const failed = await start({}, { args: ['node-2'] }).catch((error: unknown) => error);
    expect(failed).to.be.an('error').with.property('message', 'the reason why');
  });

  it('do not start when there is no port for one of them, or when the port in front is taken', async () => {
    const tooHigh = await start({ nodeUrl: 'http://machine.example:65534' }).catch((error: unknown) => error);
    expect(String(tooHigh)).to.match(/--node-url .*worker 2 would listen on port 65536/);
    const other = await startReceiver();
    const taken = await start({ port: other.port }).catch((error: unknown) => error);
    await other.stop();
    expect(taken).to.have.property('code', 'EADDRINUSE');
    expect(lines.join('')).to.not.contain('a worker').and.not.contain('a connection');
  });

  it('workers end when they are stopped before all of them serve', async () => {
    const controller = new AbortController();
    const starting = start({}, { args: ['', 'node-2'], signal: controller.signal });
    await logged('a worker serves', 1);
    controller.abort();
    expect(await starting).to.equal(undefined);
    expect(lines.join('')).to.not.contain('restarted');
  });

  it('stop together, or at once, and free the port', async () => {
    const [stopped, killed] = [await start(), await start()];
    const pids = async (workers?: Workers) =>
      (await Promise.all((workers?.workerUrls ?? []).map(ask))).map(({ pid }) => pid);
    const all = [...(await pids(stopped)), ...(await pids(killed))];
    const port = Number(new URL(stopped?.url ?? '').port);
    await stopped?.stop();
    killed?.kill();
    await killed?.stop();
    expect(all.filter(isAlive)).to.deep.equal([]);
    const next = createServer().listen(port, '127.0.0.1');
    await once(next, 'listening');
    next.close();
    expect(lines.join('')).to.not.contain('restarted');
  });

  it('workers end by themselves when their parent is killed', async () => {
    const parent = fork(compiledProgram(PARENT), [join(dir.path, 'data'), compiledProgram(SCRIPT)], {
      execArgv: [],
    });
    const [urls] = await once(parent, 'message');
    // an open connection shows when a process ends
    const connections = [...urls].map((url) => connect(Number(new URL(url).port), '127.0.0.1').resume());
    await Promise.all(connections.map((socket) => once(socket, 'connect')));
    // a killed process may also reset its connections
    for (const socket of connections) socket.on('error', () => undefined);
    const ended = Promise.all(
      connections.map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))),
    );
    parent.kill('SIGKILL');
    await ended;
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('the settings of a worker', () => {
  let dir: TempDir;
  before(async () => {
    dir = await makeTempDir();
  });
  after(() => dir.remove());

  const shared = { url: 'http://0.0.0.0:4000', networkUrl: undefined };

  it('set its port after the port of the address that other machines use', async () => {
    const config = await workersConfig(dir.path, {
      nodeUrl: 'http://machine.example:3000/',
      host: '0.0.0.0',
    });
    const where = { host: '0.0.0.0', port: 3002, nodeUrl: 'http://machine.example:3002' };
    expect(workerConfig(config, 2, shared)).to.include(where);
    const withoutPort = { ...config, nodeUrl: 'https://machine.example' };
    expect(workerConfig(withoutPort, 1, shared)).to.include({ nodeUrl: 'https://machine.example:444' });
  });

  it('name the public address of the gateway, or the address of the router', async () => {
    const anyPort = await workersConfig(dir.path, { port: 0 });
    expect(workerConfig(anyPort, 1, shared).publicUrl).to.equal(shared.url);
    const named = await workersConfig(dir.path, { port: 0, publicUrl: 'https://gateway.example' });
    expect(workerConfig(named, 1, shared).publicUrl).to.equal('https://gateway.example');
  });

  it('name the sandbox network that runs beside it, and any other unchanged', async () => {
    const config = await workersConfig(dir.path, { network: 'sandbox' });
    const networkUrl = 'ws://127.0.0.1:4001/ws/chat';
    expect(workerConfig(config, 1, { ...shared, networkUrl }).network).to.equal(`sandbox+${networkUrl}`);
    const elsewhere = await workersConfig(dir.path);
    expect(workerConfig(elsewhere, 1, shared).network).to.equal(elsewhere.network);
  });
});
