import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { RawSettings } from '../../src/config/schema.js';
import { compiledProgram } from './compiled.js';

const SOURCE = new URL('daemon-script.ts', import.meta.url);

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
  static async start(settings: RawSettings): Promise<DaemonProcess> {
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(SWITCHBOARD_|NODE_)/.test(name)),
    );
    const argv = [compiledProgram(SOURCE), JSON.stringify(settings)];
    const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
    const child = spawn(process.execPath, argv, { env, stdio: [...stdio] });
    const ended = once(child, 'exit');
    const failed = ended.then(([code]) => {
      throw new Error(`the daemon ended with ${code} before it listened`);
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

  /** Lets it finish what is in flight. */
  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.send('stop');
    await this.#ended;
  }
}
