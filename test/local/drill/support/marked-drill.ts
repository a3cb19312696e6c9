import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { compiledCommand } from '../../../support/compiled.js';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

/** A variable that all processes of a drill inherit. */
const MARK = 'TEST_OF_DRILL';
const FOLDER = /^switchboard-drill-/;

/** `switchboard drill` in a process group of its own, as a shell starts it, with a folder of its own for its folder. */
export class MarkedDrill {
  readonly #mark = `${MARK}=${randomUUID()}`;
  readonly #temp: TempDir;
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | NodeJS.Signals | null>;
  #stderr = '';

  private constructor(temp: TempDir, argv: readonly string[]) {
    this.#temp = temp;
    const [name = '', value = ''] = this.#mark.split('=');
    this.#child = spawn(process.execPath, [compiledCommand(), 'drill', ...argv], {
      detached: true,
      env: { ...process.env, [name]: value, TMPDIR: temp.path },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.resume();
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
    });
    this.#ended = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => resolve(signal ?? code));
    });
  }

  static async start(argv: readonly string[]): Promise<MarkedDrill> {
    return new MarkedDrill(await makeTempDir(), argv);
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Resolves with the exit code, or the signal that ended it. */
  end(): Promise<number | NodeJS.Signals | null> {
    return this.#ended;
  }

  /** Resolves when that text was printed to standard error. */
  printed(text: string): Promise<void> {
    return until(`"${text}" in ${this.#stderr}`, async () => this.#stderr.includes(text));
  }

  /** To the drill alone. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** To the drill and all programs of its process group, as a terminal does. */
  signalGroup(signal: NodeJS.Signals): void {
    try {
      process.kill(-(this.#child.pid ?? 0), signal);
    } catch {
      // all have ended
    }
  }

  /** Closes our ends of its output, as `2>&1 | head` does. */
  closeOutput(): void {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  /** Command lines of what runs with the mark of this drill, itself among them. */
  async processes(): Promise<string[]> {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const lines = await Promise.all(pids.map((pid) => this.#commandOf(pid)));
    return lines.filter((line) => line !== '');
  }

  /** Folders and files in its folder for temporary files. */
  files(): Promise<string[]> {
    return readdir(this.#temp.path);
  }

  /** Resolves with the name of the folder of the drill, when there is one; its database has the same name. */
  async folder(): Promise<string> {
    const find = async () => (await this.files()).find((name) => FOLDER.test(name));
    await until('its folder', async () => (await find()) !== undefined);
    return (await find()) ?? '';
  }

  /** Resolves when no process and no file is left. @throws Error that names what is left after the time */
  async isGone(withinMs: number): Promise<void> {
    const left = async () => [...(await this.processes()), ...(await this.files())];
    try {
      await until('the end', async () => (await left()).length === 0, withinMs);
    } catch {
      throw new Error(`${withinMs} ms after the drill there are still:\n${(await left()).join('\n')}`);
    }
  }

  /** SIGKILL to those of its processes whose command line contains this text. */
  async kill(text: string): Promise<void> {
    for (const pid of await this.#pids()) {
      if (!(await this.#commandOf(String(pid))).includes(text)) continue;
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // it has ended
      }
    }
  }

  /** Ends what a failed test has left. */
  async clear(): Promise<void> {
    await this.kill('');
    await this.#temp.remove();
  }

  async #pids(): Promise<number[]> {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const found = await Promise.all(pids.map(async (pid) => ((await this.#commandOf(pid)) ? [pid] : [])));
    return found.flat().map(Number);
  }

  /** The command line of a process of this drill; empty for any other, and for one that has ended. */
  async #commandOf(pid: string): Promise<string> {
    const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
    const isMarked = (await read('environ')).split('\0').includes(this.#mark);
    // Redis overwrites its environment; it works in its own folder
    const place = isMarked ? '' : await readlink(`/proc/${pid}/cwd`).catch(() => '');
    return isMarked || place.startsWith(this.#temp.path) ? (await read('cmdline')).split('\0').join(' ') : '';
  }
}
