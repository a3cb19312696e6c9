import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ended, printed } from './servers.js';
import { freePort } from './tcp-proxy.js';
import { makeTempDir } from './temp-dir.js';
import { until } from './until.js';

/** A message broker that runs for a test, under one address. */
export interface TestBroker {
  port: number;
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
}

/** User and password of the brokers that have them; the password must be escaped in a URL, as `SECRET_IN_URL`. */
export const USER = 'gateway';
export const SECRET = 's3cr3t/word';
export const SECRET_IN_URL = encodeURIComponent(SECRET);

/** Says which package is missing, in place of an error of the system. */
function requireProgram(program: string, debianPackage: string): void {
  const folders = program.startsWith('/') ? [''] : (process.env.PATH ?? '').split(delimiter);
  if (folders.some((folder) => existsSync(join(folder, program)))) return;
  throw new Error(`${program} is missing: install the package ${debianPackage} of Debian`);
}

type Server = ChildProcessByStdio<null, Readable, Readable>;

/** A server that keeps its data in a folder, so that it can end and start again. */
async function restartable(launch: (port: number, folder: string) => Promise<Server>): Promise<TestBroker> {
  const folder = await makeTempDir();
  const port = await freePort();
  let server = await launch(port, folder.path);
  const down = () => ended(server, 'SIGTERM');
  return {
    port,
    down,
    async up() {
      server = await launch(port, folder.path);
    },
    async stop() {
      await down();
      await folder.remove();
    },
  };
}

/** A real NATS server with JetStream, and messages of 64 KiB at most. */
export function startNats(): Promise<TestBroker> {
  return restartable(async (port, folder) => {
    requireProgram('nats-server', 'nats-server');
    const settings = join(folder, 'nats.conf');
    const user = `authorization { user: ${USER}, password: "${SECRET}" }`;
    await writeFile(settings, `max_payload: 65536\njetstream { store_dir: "${folder}" }\n${user}\n`);
    const server = run('nats-server', ['-c', settings, '-a', '127.0.0.1', '-p', String(port)]);
    await printed(server, server.stderr, 'Server is ready');
    return server;
  });
}

/** A real Redis that has each entry on the disk before it answers. */
export function startDurableRedis(): Promise<TestBroker> {
  return restartable(async (port, folder) => {
    requireProgram('redis-server', 'redis-server');
    const safe = ['--dir', folder, '--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];
    const place = ['--port', String(port), '--bind', '127.0.0.1'];
    const server = run('redis-server', [...place, ...safe, '--requirepass', SECRET]);
    await printed(server, server.stdout, 'Ready to accept connections');
    return server;
  });
}

const RABBITMQ = '/usr/lib/rabbitmq/bin/rabbitmq-server';

/** A real RabbitMQ. Its Erlang gets a register of names of its own, so that nothing is left running. */
export async function startRabbitMq(): Promise<Pick<TestBroker, 'port' | 'stop'>> {
  requireProgram(RABBITMQ, 'rabbitmq-server');
  const folder = await makeTempDir();
  const [port, names, peers] = [await freePort(), await freePort(), await freePort()];
  const settings = join(folder.path, 'rabbitmq.conf');
  await writeFile(
    settings,
    [
      `default_user = ${USER}`,
      `default_pass = ${SECRET}`,
      'max_message_size = 65536',
      'log.console = true',
      'log.file = false',
    ].join('\n'),
  );
  await mkdir(join(folder.path, 'data'));
  const env = { ...process.env, HOME: folder.path, ERL_EPMD_PORT: String(names) };
  const register = spawn('epmd', ['-address', '127.0.0.1'], { env, stdio: 'ignore' });
  // a server that finds no register starts one, which would outlive it
  await until('the register of names', () => listens(names));
  const server = spawn(RABBITMQ, [], {
    env: {
      ...env,
      RABBITMQ_NODENAME: 'test@localhost',
      RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
      RABBITMQ_NODE_PORT: String(port),
      RABBITMQ_DIST_PORT: String(peers),
      RABBITMQ_CONFIG_FILE: settings,
      RABBITMQ_MNESIA_BASE: join(folder.path, 'data'),
      RABBITMQ_LOG_BASE: folder.path,
      RABBITMQ_ENABLED_PLUGINS_FILE: join(folder.path, 'plugins'),
      RABBITMQ_PID_FILE: join(folder.path, 'pid'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  server.stderr.resume();
  await printed(server, server.stdout, 'Server startup complete');
  return {
    port,
    async stop() {
      await ended(server, 'SIGTERM');
      await ended(register, 'SIGTERM');
      await folder.remove();
    },
  };
}

const PYTHON = '/usr/bin/python3';
function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => resolve(true));
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy());
  });
}

/** Codes of Kafka's protocol. */
const KAFKA_ERRORS = { tooLarge: 10, notAuthorized: 29 } as const;

/** A message as `kcat` reads it. */
export interface KafkaMessage {
  key: string;
  partition: number;
  headers: string[];
  payload: string;
}

/** The Kafka broker that librdkafka plays: Debian has no other. */
export interface KafkaBroker extends TestBroker {
  makeTopic(name: string, partitions: number): Promise<void>;
  /** From now on there is no such topic. */
  hideTopic(name: string): Promise<void>;
  /** The next event gets this answer. */
  refuse(error: keyof typeof KAFKA_ERRORS): Promise<void>;
  read(topic: string): Promise<KafkaMessage[]>;
}

export async function startKafka(): Promise<KafkaBroker> {
  requireProgram('kcat', 'kcat');
  requireProgram(PYTHON, 'python3');
  const script = fileURLToPath(new URL('kafka-mock.py', import.meta.url));
  const server: ChildProcessByStdio<Writable, Readable, null> = spawn(PYTHON, [script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const line = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error('librdkafka ended');
    return value;
  };
  const address = await line();
  const tell = async (command: string) => {
    server.stdin.write(`${command}\n`);
    if ((await line()) !== 'done') throw new Error(`it did not take: ${command}`);
  };
  return {
    port: Number(address.split(':').at(-1)),
    down: () => tell('down'),
    up: () => tell('up'),
    makeTopic: (name, partitions) => tell(`topic ${name} ${partitions}`),
    hideTopic: (name) => tell(`missing ${name}`),
    refuse: (error) => tell(`refuse ${KAFKA_ERRORS[error]}`),
    async read(topic) {
      const options = ['-C', '-b', address, '-t', topic, '-o', 'beginning', '-e', '-q', '-J'];
      const { stdout } = await promisify(execFile)('kcat', options);
      return stdout
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((text) => JSON.parse(text));
    },
    stop: () => ended(server, 'SIGKILL'),
  };
}

function run(program: string, options: string[]): Server {
  const server = spawn(program, options, { stdio: ['ignore', 'pipe', 'pipe'] });
  // a server whose output nobody reads would wait
  server.stdout.resume();
  server.stderr.resume();
  return server;
}
