import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { compiledCommand } from './compiled.js';

const run = promisify(execFile);

/** Milliseconds until the screen must fit. */
const UNTIL_MS = 30_000;
/** The last bytes of a picture of a full screen. */
const END_OF_PICTURE = '[?2026l';
/** Milliseconds without output after which a screen rests, and in which a picture must come. */
const REST_MS = 30;
const PICTURE_MS = 5_000;

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
    // not by tmux, which sets TERM itself
    const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const words = ['env', ...settings, process.execPath, compiledCommand(), ...argv];
    const command = words.map((word) => `'${word}'`).join(' ');
    const start = [
      ...['-L', socket, '-f', '/dev/null', 'new-session', '-d', '-s', 'main'],
      ...['-x', String(columns), '-y', String(rows)],
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

  /** The same with the escape codes of colours and styles, and with the spaces at the end of the rows. */
  async styledScreen(): Promise<string> {
    return (await run('tmux', ['-L', this.#socket, 'capture-pane', '-e', '-N', '-p', '-t', 'main'])).stdout;
  }

  /**
   * The characters of some columns, from the first row to the last one, as they stand in the cells of the terminal. A cell
   * that a wide character fills from its left is empty.
   * @param columns from 0; the first row must be as long
   * @param rows how many the terminal has
   */
  async cells(columns: readonly number[], rows: number): Promise<string[][]> {
    const found: string[][] = [];
    for (const column of columns) {
      // copies a rectangle of one column
      const steps = ['top-line', 'start-of-line', 'rectangle-toggle', `-N ${column} cursor-right`];
      steps.push('begin-selection', `-N ${rows - 1} cursor-down`, 'copy-selection-and-cancel');
      const send = steps
        .filter((step) => !step.startsWith('-N 0'))
        .flatMap((step) => [';', 'send-keys', '-t', 'main', '-X', ...step.split(' ')]);
      const server = ['-L', this.#socket];
      await run('tmux', [...server, 'set', '-g', 'mode-keys', 'vi', ';', 'copy-mode', '-t', 'main', ...send]);
      found.push((await run('tmux', [...server, 'show-buffer'])).stdout.split('\n'));
    }
    return found;
  }

  /** Resolves with the screen once it fits. @throws Error with the screen, if it does not fit in time */
  async until(fits: (screen: string) => boolean | Promise<boolean>): Promise<string> {
    const deadline = AbortSignal.timeout(UNTIL_MS);
    deadline.addEventListener('abort', () => this.#wake(), { once: true });
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const isLate = deadline.aborted;
      const screen = await this.screen();
      if (await fits(screen)) return screen;
      if (isLate) throw new Error(`the terminal did not show what was expected, but:\n${screen}`);
      await woken;
    }
  }

  /** Types keys, by tmux's names: `C-c`, `Enter`, or letters. */
  async press(...keys: string[]): Promise<void> {
    await run('tmux', ['-L', this.#socket, 'send-keys', '-t', 'main', ...keys]);
  }

  /** Writes over the screen as another program does. */
  async scribble(text: string): Promise<void> {
    const asked = ['-L', this.#socket, 'display-message', '-p', '-t', 'main', '#{pane_tty}'];
    await writeFile((await run('tmux', asked)).stdout.trim(), text);
  }

  /**
   * Types a key that changes the screen of `inbox` or `fleet`, once the screen rests.
   * @returns milliseconds until the terminal received the end of the new picture, at most 5,000
   */
  async painted(key: string): Promise<number> {
    while (await this.#says('%output', REST_MS));
    const startedAt = performance.now();
    this.#watcher.stdin?.write(`send-keys -t main ${key}\n`);
    await this.#says(END_OF_PICTURE, PICTURE_MS);
    return performance.now() - startedAt;
  }

  /** Resolves with true once tmux reports this, with false if it does not in time. */
  #says(text: string, withinMs: number): Promise<boolean> {
    const { stdout } = this.#watcher;
    let said = '';
    return new Promise((resolve) => {
      const end = (isSaid: boolean) => {
        clearTimeout(timer);
        stdout?.off('data', listen);
        resolve(isSaid);
      };
      const timer = setTimeout(end, withinMs, false);
      const listen = (data: Buffer) => {
        said = said.slice(-text.length) + data.toString();
        if (said.includes(text)) end(true);
      };
      stdout?.on('data', listen);
    });
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
