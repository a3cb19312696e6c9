import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { compiledProgram } from '../../support/compiled.js';
import type { Answer, Commands, Question } from './role.js';

/** Milliseconds that a process has to end before it is killed. */
const END_MS = 5_000;

interface Waiter {
  resolve(answer: string): void;
  reject(error: Error): void;
}

/** A process of its own that plays one role of a measurement, compiled as it ships, and answers its commands. */
export class Worker<Role extends Commands> {
  readonly #child: ChildProcess;
  readonly #waiters = new Map<number, Waiter>();
  #count = 0;

  /**
   * @param role file name in `roles`, without its ending
   * @param profiles folder that gets a CPU profile of the process when it ends
   */
  constructor(role: string, profiles?: string) {
    const profiled = profiles ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : [];
    this.#child = fork(compiledProgram(new URL(`../roles/${role}.ts`, import.meta.url)), {
      execArgv: ['--expose-gc', ...profiled],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child.on('message', (text) => this.#take(JSON.parse(String(text))));
    this.#child.on('exit', (code) => this.#abandon(new Error(`the ${role} process ended (${code})`)));
  }

  /** Asks for a command; rejects when it fails there or the process ends. */
  async ask<Name extends keyof Role & string>(
    name: Name,
    input: Parameters<Role[Name]>[0],
  ): Promise<Awaited<ReturnType<Role[Name]>>> {
    return JSON.parse(await this.#ask(name, input));
  }

  /** Milliseconds of CPU since the start of the process. */
  async cpuMs(): Promise<number> {
    return JSON.parse(await this.#ask('cpuMs', {}));
  }

  /** Resident megabytes after garbage collection. */
  async residentMb(): Promise<number> {
    return JSON.parse(await this.#ask('residentMb', {}));
  }

  /** Resolves when the process rests. */
  async idle(): Promise<void> {
    await this.#ask('idle', {});
  }

  /** SIGKILL, at this instant; resolves when the process is gone. */
  async kill(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  /** Lets the process end by itself, or kills it when it does not. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_MS);
    if (this.#child.connected) this.#child.disconnect();
    await ended;
    clearTimeout(timer);
  }

  #ask(name: string, input: unknown): Promise<string> {
    const question: Question = { id: ++this.#count, name, input };
    return new Promise((resolve, reject) => {
      this.#waiters.set(question.id, { resolve, reject });
      this.#child.send(JSON.stringify(question), (error) => error && reject(error));
    });
  }

  #take({ id, result, error }: Answer): void {
    const waiter = this.#waiters.get(id);
    this.#waiters.delete(id);
    if (error === undefined) waiter?.resolve(result ?? 'null');
    else waiter?.reject(new Error(error));
  }

  #abandon(error: Error): void {
    for (const waiter of this.#waiters.values()) waiter.reject(error);
    this.#waiters.clear();
  }
}
