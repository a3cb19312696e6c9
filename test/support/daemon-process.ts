import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { RawSettings } from '../../src/gateway/config/schema.js';
import type { DaemonOverrides } from '../../src/gateway/daemon/daemon.js';
import { compiledProgram } from './compiled.js';

const SOURCE = new URL('daemon-script.ts', import.meta.url);

/** What a daemon in a process of its own may be told beside its settings. */
export type ProcessOverrides = Pick<DaemonOverrides, 'pingEveryMs' | 'brokers'>;

/**
 * Before or after one write: `close`, `acknowledge` or `finish` of the record of a send, one that leaves the record in this
 * state, the answer of an Idempotency-Key, or the closing of journal entries.
 */
export interface DeathPoint {
  when: 'before' | 'after';
  write: 'waiting' | 'leaving' | 'open' | 'ended' | 'close' | 'acknowledge' | 'finish' | 'answer' | 'journal';
}

/** Characters of a daemon's last output that the error of a failed start quotes. */
const MOST_SAID = 2_000;

/** A daemon in a process of its own. */
export class DaemonProcess {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor(child: ChildProcess, ended: Promise<unknown>, url: string) {
    this.#child = child;
    this.#ended = ended;
    this.url = url;
  }

  /** Starts one; resolves when it listens. @throws when it ends instead */
  static async start(settings: RawSettings, overrides: ProcessOverrides = {}): Promise<DaemonProcess> {
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(SWITCHBOARD_|NODE_)/.test(name)),
    );
    const checked = JSON.stringify({ checkAnswers: true, ...settings });
    const argv = [compiledProgram(SOURCE), checked, JSON.stringify(overrides)];
    const stdio = ['ignore', 'inherit', 'pipe', 'ipc'] as const;
    const child = spawn(process.execPath, argv, { env, stdio: [...stdio] });
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      process.stderr.write(text);
      said = (said + text).slice(-MOST_SAID);
    });
    const ended = once(child, 'exit');
    const failed = once(child, 'close').then(([code]) => {
      throw new Error(`the daemon ended with ${code} before it listened: ${said}`);
    });
    failed.catch(() => undefined);
    const [url] = await Promise.race([once(child, 'message'), failed]);
    return new DaemonProcess(child, ended, String(url));
  }

  /** Of the process. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** SIGKILL, at this instant. Resolves when it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** It kills itself with SIGKILL when it comes to this point. Resolves when it knows. */
  async dieAt(point: DeathPoint): Promise<void> {
    const armed = once(this.#child, 'message');
    this.#child.send(point);
    await armed;
  }

  /** Resolves when it is gone. */
  async ended(): Promise<void> {
    await this.#ended;
  }

  /** SIGSTOP: it does nothing any more, and nobody is told. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  /** SIGCONT: it goes on as if no time had passed. */
  wake(): void {
    this.#child.kill('SIGCONT');
  }

  /** Lets it finish what is in flight. */
  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.send('stop');
    await this.#ended;
  }
}
