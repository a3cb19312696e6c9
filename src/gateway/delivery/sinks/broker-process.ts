import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { shortened } from './error-text.js';
import { Lines } from './process/lines.js';
import {
  ALLOW_PRIVATE,
  type Failure,
  LINE_BYTES,
  type Order,
  REPORTS,
  type Report,
  readReport,
} from './process/messages.js';
import type { SinkConnection } from './sink.js';

const EXTENSION = extname(import.meta.url);
const PROGRAM = fileURLToPath(new URL(`./process/program${EXTENSION}`, import.meta.url));

/** Megabytes of the JavaScript heap, and of all memory, that a broker process may have. */
const HEAP_MB = 96;
const YOUNG_MB = 8;
export const MEMORY_MB = 256;
/** Environment variables that the process gets: where programs, libraries and certificates are; no secrets. */
const ENVIRONMENT = ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'TZ'];

/** Milliseconds between two health checks of a process. */
const LOOK_MS = 500;
/** Consecutive unanswered checks after which a client counts as having blocked the process. */
const UNANSWERED = 8;
/** Checks within which a process must be up, even on a busy machine. */
const STARTING = 60;
/** Bytes that may wait for a process to read them. */
const UNREAD_BYTES = 32 * 1024 * 1024;
/** Milliseconds for the process to end by itself. */
const END_MS = 2_000;
const MEGABYTE = 1024 * 1024;
const PAGE_BYTES = 4_096;
const TOO_LARGE = `it took more than ${MEMORY_MB} MB of memory`;

/** Why a broker process ended. */
export type ProcessFault =
  /** A client threw an error, or the process ran out of its heap. */
  | 'crashed'
  /** A client blocked the process. */
  | 'stuck'
  /** The process used more memory than its limit. */
  | 'memory'
  /** The process sent a report that no broker process sends. */
  | 'protocol'
  /** The process did not start. */
  | 'start'
  /** The daemon had no more work for the process. */
  | 'idle';

/** The process ended before it could answer. */
export class ProcessEndedError extends Error {
  readonly fault: ProcessFault;

  constructor(fault: ProcessFault, text: string) {
    super(`the process with the broker's client ended: ${text}`);
    this.fault = fault;
  }
}

/** A failure that the process reported. */
export class BrokerError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, message: string) {
    super(message);
    this.failure = failure;
  }
}

/** How a broker process is started. */
export interface ProcessSettings {
  /** Switches off the process's guard against private addresses. */
  allowPrivate: boolean;
  /** Another Node.js executable and its options; default: those of the daemon. */
  execPath?: string | undefined;
  execArgv?: readonly string[] | undefined;
  /** Further environment variables. */
  environment?: Readonly<Record<string, string>> | undefined;
}

interface Answer {
  connection: number;
  resolve(): void;
  reject(error: Error): void;
}

/** A connection that is open or being opened. */
interface Connection {
  url: string;
  /** Called once, when the broker ends the connection. */
  lost(): void;
  isLost: boolean;
}

/**
 * One process with clients of brokers. The daemon trusts nothing that it reports: a report is bounded, fits a schema and answers an
 * order that is open; anything else ends the process.
 */
export class BrokerProcess {
  /** Resolves when the process has ended. */
  readonly ended: Promise<ProcessEndedError>;
  readonly #child: ChildProcess;
  readonly #lines = new Lines(LINE_BYTES);
  readonly #answers = new Map<number, Answer>();
  readonly #connections = new Map<number, Connection>();
  #drawn = 0;
  #isReady = false;
  #looks = 0;
  #pings = 0;
  /** Number of reports about orders and connections that the daemon had given up meanwhile. */
  #late = 0;
  /** Why the process is being ended, or has ended. */
  #fault: ProcessEndedError | undefined;

  constructor(settings: ProcessSettings) {
    this.#child = start(settings);
    const looking = setInterval(() => this.#look(), LOOK_MS);
    this.ended = new Promise((resolve) => {
      const end = (fault: ProcessEndedError) => {
        clearInterval(looking);
        this.#fault ??= fault;
        const why = this.#fault;
        // resolve first, so that callers whose answers are rejected below find `ended` settled
        resolve(why);
        for (const { reject } of this.#answers.values()) reject(why);
        this.#answers.clear();
        for (const { lost } of this.#connections.values()) lost();
      };
      this.#child.on('error', ({ message }) => {
        if (this.#child.pid === undefined)
          end(new ProcessEndedError('start', `it did not start: ${message}`));
      });
      this.#child.on('close', (code, signal) => {
        end(new ProcessEndedError('crashed', `it ended with ${signal ?? `exit code ${code}`}`));
      });
    });
    // an error here means that the process has just ended: `close` follows
    this.#child.stdin?.on('error', () => undefined);
    const reports = this.#child.stdio[REPORTS];
    if (reports instanceof Readable) reports.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  /** True if the process gets no further orders. */
  get isEnding(): boolean {
    return this.#fault !== undefined;
  }

  /** Addresses of the brokers with a connection. */
  get urls(): string[] {
    return [...new Set([...this.#connections.values()].map(({ url }) => url))];
  }

  /**
   * Opens a connection.
   * @param signal aborts the connection at once, open or not
   * @param lost called when the broker ends it
   * @throws BrokerError; ProcessEndedError
   */
  async open(url: string, signal: AbortSignal, lost: () => void): Promise<SinkConnection> {
    const connection = ++this.#drawn;
    this.#connections.set(connection, { url, lost, isLost: false });
    const forget = () => this.#abort(connection);
    signal.addEventListener('abort', forget, { once: true });
    try {
      signal.throwIfAborted();
      await this.#ask(connection, (request) => ({ order: 'open', request, connection, url }));
    } catch (error) {
      forget();
      throw error;
    }
    return {
      publish: (publication) =>
        this.#ask(connection, (request) => ({ order: 'publish', request, connection, publication })),
      close: async () => {
        if (!this.#connections.has(connection)) return;
        await this.#ask(connection, (request) => ({ order: 'close', request, connection }));
        this.#connections.delete(connection);
      },
    };
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Lets the process exit by itself, and kills it after `END_MS`. Resolves with the reason when it has ended. */
  async end(): Promise<ProcessEndedError> {
    this.#fault ??= new ProcessEndedError('idle', 'it was ended');
    this.#child.stdin?.end();
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), END_MS);
    const fault = await this.ended;
    clearTimeout(kill);
    return fault;
  }

  #kill(fault: ProcessFault, text: string): void {
    this.#fault ??= new ProcessEndedError(fault, text);
    this.#child.kill('SIGKILL');
  }

  #abort(connection: number): void {
    if (!this.#connections.delete(connection)) return;
    this.#tell({ order: 'abort', connection });
    for (const [request, answer] of this.#answers) {
      if (answer.connection !== connection) continue;
      this.#answers.delete(request);
      answer.reject(new Error('the connection was closed'));
    }
  }

  #ask(connection: number, order: (request: number) => Order): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#fault) return reject(this.#fault);
      if ((this.#child.stdin?.writableLength ?? 0) > UNREAD_BYTES) {
        return reject(new BrokerError('failed', 'too many bytes wait for the process of the broker clients'));
      }
      const request = ++this.#drawn;
      this.#answers.set(request, { connection, resolve, reject });
      this.#tell(order(request));
    });
  }

  #tell(order: Order): void {
    if (!this.#fault) this.#child.stdin?.write(`${JSON.stringify(order)}\n`);
  }

  #read(chunk: Buffer): void {
    for (const line of this.#lines.take(chunk) ?? ['']) {
      if (this.#fault) return;
      const report = readReport(line);
      if (!report || !this.#take(report)) this.#kill('protocol', 'it sent an unexpected report');
    }
  }

  /** Handles a report; returns false if it answers no order. */
  #take(report: Report): boolean {
    if (report.report === 'ready') {
      const isFirst = !this.#isReady;
      this.#isReady = true;
      this.#looks = 0;
      return isFirst;
    }
    if (report.report === 'broken') {
      this.#kill('crashed', report.text);
      return true;
    }
    if (report.report === 'pong') {
      this.#looks = 0;
      if (report.rss > MEMORY_MB * MEGABYTE) this.#kill('memory', TOO_LARGE);
      return this.#pings-- > 0;
    }
    if (report.report === 'lost') {
      const connection = this.#connections.get(report.connection);
      if (!connection) return this.#isLate();
      if (connection.isLost) return false;
      connection.isLost = true;
      connection.lost();
      return true;
    }
    const answer = this.#answers.get(report.request);
    this.#answers.delete(report.request);
    if (report.report === 'done') answer?.resolve();
    else answer?.reject(new BrokerError(report.failure, shortened(report.text)));
    return answer !== undefined || this.#isLate();
  }

  /** Accepts a report about an order or connection that the daemon gave up. Each order can cause at most one such report. */
  #isLate(): boolean {
    return ++this.#late <= this.#drawn;
  }

  #look(): void {
    if (this.#fault) return;
    this.#looks++;
    if (!this.#isReady) {
      if (this.#looks > STARTING)
        this.#kill('start', `it was not up within ${(STARTING * LOOK_MS) / 1_000} s`);
      return;
    }
    if (this.#looks > UNANSWERED) {
      this.#kill('stuck', `a client blocked it for ${(UNANSWERED * LOOK_MS) / 1_000} s`);
      return;
    }
    this.#pings++;
    this.#tell({ order: 'ping' });
    void this.#weigh();
  }

  /** Reads the memory of the process from Linux, because a blocked process does not answer pings. */
  async #weigh(): Promise<void> {
    const text = await readFile(`/proc/${this.#child.pid}/statm`, 'utf8').catch(() => '');
    const pages = Number(text.split(' ')[1] ?? 0);
    if (pages * PAGE_BYTES > MEMORY_MB * MEGABYTE) this.#kill('memory', TOO_LARGE);
  }
}

function start({
  allowPrivate,
  execPath = process.execPath,
  execArgv = [],
  environment,
}: ProcessSettings): ChildProcess {
  const options = [
    ...[`--max-old-space-size=${HEAP_MB}`, `--max-semi-space-size=${YOUNG_MB}`],
    // TypeScript sources need a loader, which a child process takes only from its command line
    ...(EXTENSION === '.ts' ? ['--import', import.meta.resolve('tsx')] : []),
    ...execArgv,
    PROGRAM,
    ...(allowPrivate ? [ALLOW_PRIVATE] : []),
  ];
  return spawn(execPath, options, {
    env: { ...Object.fromEntries(ENVIRONMENT.map((name) => [name, process.env[name]])), ...environment },
    stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
    windowsHide: true,
  });
}
