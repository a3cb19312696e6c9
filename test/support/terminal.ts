import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { compiledCommand } from './compiled.js';

const run = promisify(execFile);

export interface TerminalOptions {
  columns: number;
  rows: number;
  env?: Readonly<Record<string, string>>;
}

/**
 * A real terminal with the command line running in it: a tmux server of its own, watched in control mode, so that every
 * output is an event and nothing is polled.
 */
export class Terminal {
  readonly #socket: string;
  readonly #watcher: ChildProcess;
  #wake: () => void = () => undefined;

  private constructor(socket: string) {
    this.#socket = socket;
    this.#watcher = spawn('tmux', ['-L', socket, '-C', 'attach', '-t', 'main']);
    this.#watcher.stdout?.on('data', () => this.#wake());
    this.#watcher.on('close', () => this.#wake());
  }

  /** Opens a terminal and runs `switchboard` with these arguments in it; the screen stays when it ends. */
  static async run(argv: readonly string[], { columns, rows, env = {} }: TerminalOptions): Promise<Terminal> {
    const socket = `switchboard-${randomBytes(6).toString('hex')}`;
    const settings = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    const command = [process.execPath, compiledCommand(), ...argv].map((word) => `'${word}'`).join(' ');
    const start = [
      ...['-L', socket, '-f', '/dev/null', 'new-session', '-d', '-s', 'main'],
      ...['-x', String(columns), '-y', String(rows), ...settings],
      // Ctrl+C is for the command, not for the shell that tells how it ended
      `trap : INT; ${command}; echo "[ended with $?]"; exec cat`,
    ];
    await run('tmux', start, { env: withoutCi() });
    const terminal = new Terminal(socket);
    terminal.resize(columns, rows);
    return terminal;
  }

  /** What the terminal shows now, as text. */
  async screen(): Promise<string> {
    return (await run('tmux', ['-L', this.#socket, 'capture-pane', '-p', '-t', 'main'])).stdout;
  }

  /** Resolves with the screen once it fits. */
  async until(fits: (screen: string) => boolean): Promise<string> {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const screen = await this.screen();
      if (fits(screen)) return screen;
      await woken;
    }
  }

  /** Types keys, by tmux's names: `C-c`, `Enter`, or letters. */
  async press(...keys: string[]): Promise<void> {
    await run('tmux', ['-L', this.#socket, 'send-keys', '-t', 'main', ...keys]);
  }

  /** The watching client's size is the terminal's. */
  resize(columns: number, rows: number): void {
    this.#watcher.stdin?.write(`refresh-client -C ${columns}x${rows}\n`);
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#watcher.once('close', () => resolve()));
    await run('tmux', ['-L', this.#socket, 'kill-server']);
    await closed;
  }
}

/** On a build server Ink would draw nothing but the last frame. */
function withoutCi(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(CI|CONTINUOUS_INTEGRATION)/.test(name)),
  );
}
