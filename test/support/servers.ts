import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { freePort } from './tcp-proxy.js';

/** A server of another project that runs for a test. */
export interface TestServer {
  url: string;
  stop(): Promise<void>;
}

/** A real Redis on a free port, which writes nothing to the disk. */
export async function startRedis(): Promise<TestServer> {
  const port = await freePort();
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'] });
  await printed(server, server.stdout, 'Ready to accept connections');
  return { url: `redis://127.0.0.1:${port}`, stop: () => ended(server, 'SIGTERM') };
}

/** A real PostgreSQL with an empty database, on a free port and in a folder of its own. */
export async function startPostgres(): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-postgres-'));
  const owner = await serverUser(folder);
  const data = join(folder, 'data');
  const port = await freePort();
  const init = ['-D', data, '-U', 'test', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'];
  execFileSync(program('initdb'), init, { ...owner, cwd: folder, stdio: 'pipe' });
  const options = ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1'];
  const server = spawn(program('postgres'), [...options, '-c', 'fsync=off'], {
    ...owner,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (!server.stderr) throw new Error('unreachable: it is a pipe');
  await printed(server, server.stderr, 'database system is ready to accept connections');
  return {
    url: `postgresql://test@127.0.0.1:${port}/postgres`,
    async stop() {
      // ends without waiting for its clients
      await ended(server, 'SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root: it gets the user that its package makes. */
async function serverUser(folder: string): Promise<Pick<SpawnOptions, 'uid' | 'gid'>> {
  if (process.getuid?.() !== 0) return {};
  const id = (which: string) => Number(execFileSync('id', [which, 'postgres']).toString());
  const [uid, gid] = [id('-u'), id('-g')];
  await chown(folder, uid, gid);
  return { uid, gid };
}

const RELEASES = '/usr/lib/postgresql';

/** Debian keeps the programs of each release of PostgreSQL apart. */
function program(name: string): string {
  const newest = existsSync(RELEASES) ? readdirSync(RELEASES).sort().at(-1) : undefined;
  return newest === undefined ? name : join(RELEASES, newest, 'bin', name);
}

/** Resolves when the server printed a text; reads on, so that it never waits for a reader. */
export function printed(server: ChildProcess, output: Readable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const lines = createInterface({ input: output });
    lines.on('line', (line) => line.includes(text) && resolve());
    lines.on('close', () => reject(new Error(`it ended and never printed "${text}"`)));
  });
}

/** Ends a server, if it runs, and resolves when it has ended. */
export async function ended(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exit = once(server, 'exit');
  server.kill(signal);
  await exit;
}
