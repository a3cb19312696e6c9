import { readdir, readFile, readlink } from 'node:fs/promises';

/** Clock ticks of a second in /proc, on every Linux of today. */
const TICKS_PER_SECOND = 100;
/** Fields of `/proc/PID/stat` behind the name of the program. */
const PARENT = 1;
/** Ticks in user and kernel mode, of the process itself and of its children that ended. */
const TICKS = [11, 12, 13, 14];
/** The state of a listening socket in `/proc/net/tcp`. */
const LISTENING = '0A';
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const DEFAULT_PORTS: Record<string, number> = { 'redis:': 6379, 'postgres:': 5432, 'postgresql:': 5432 };

/** A process with all below it. Linux only. */
export class ProcessTree {
  readonly pid: number;

  constructor(pid: number) {
    this.pid = pid;
  }

  /** Milliseconds of CPU since the start, also of children that ended. */
  async cpuMs(): Promise<number> {
    const all = await allStats();
    const own = new Set([String(this.pid)]);
    for (let size = 0; size !== own.size; ) {
      size = own.size;
      for (const [pid, fields] of all) if (own.has(fields[PARENT] ?? '')) own.add(pid);
    }
    let ticks = 0;
    for (const pid of own) for (const field of TICKS) ticks += Number(all.get(pid)?.[field] ?? 0);
    return (ticks / TICKS_PER_SECOND) * 1_000;
  }
}

/**
 * The process of a database on this machine: the one that listens at its address.
 * @throws Error if the database is elsewhere, or belongs to a user whose processes this one may not read
 */
export async function databaseAt(address: string): Promise<ProcessTree> {
  const { protocol, hostname, port } = new URL(address);
  if (!LOOPBACK.includes(hostname))
    throw new Error(`the CPU of the database on ${hostname} cannot be read: let it run on 127.0.0.1`);
  const number = Number(port) || DEFAULT_PORTS[protocol];
  const sockets = await listeningSockets(number ?? 0);
  const holders = await holdersOf(sockets);
  const all = await allStats();
  const root = holders.find((pid) => !holders.includes(all.get(pid)?.[PARENT] ?? ''));
  if (root) return new ProcessTree(Number(root));
  throw new Error(
    sockets.size === 0
      ? `no database listens on port ${number}`
      : `the database on port ${number} belongs to another user: run it as the user of the comparison, or that as root`,
  );
}

/** The fields of `/proc/PID/stat` behind the name of the program, of every process. */
async function allStats(): Promise<Map<string, string[]>> {
  const all = new Map<string, string[]>();
  for (const pid of await allPids()) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    if (stat) all.set(pid, stat.slice(stat.lastIndexOf(')') + 2).split(' '));
  }
  return all;
}

async function allPids(): Promise<string[]> {
  return (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
}

/** The sockets that listen on a port, as the links of open files name them. */
async function listeningSockets(port: number): Promise<Set<string>> {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const found = new Set<string>();
  for (const table of ['tcp', 'tcp6']) {
    const lines = (await readFile(`/proc/net/${table}`, 'utf8').catch(() => '')).split('\n');
    for (const line of lines) {
      const fields = line.trim().split(/\s+/);
      if (fields[1]?.endsWith(ending) && fields[3] === LISTENING) found.add(`socket:[${fields[9]}]`);
    }
  }
  return found;
}

/** The processes that have one of these sockets open. Those of other users are left out. */
async function holdersOf(sockets: ReadonlySet<string>): Promise<string[]> {
  const holders: string[] = [];
  for (const pid of await allPids()) {
    const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const file of files) {
      if (!sockets.has(await readlink(`/proc/${pid}/fd/${file}`).catch(() => ''))) continue;
      holders.push(pid);
      break;
    }
  }
  return holders;
}
