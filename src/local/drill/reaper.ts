import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { Command } from './command.js';
import { type Estate, type EstateChange, emptyEstate } from './estate.js';

/** The flag with which the command runs as a reaper. */
export const REAP_FLAG = 'reap';

/**
 * A process that frees the resources of a drill after its end, even after a signal that the drill cannot handle. The
 * process has a session of its own, so that neither Ctrl+C nor a closed terminal reaches it. The closed pipe between
 * both processes tells it that the drill has ended.
 */
export class Reaper {
  /** The resources that the process knows. */
  readonly estate: Estate = emptyEstate();
  readonly #input: Writable;
  readonly #ended: Promise<number | null>;

  private constructor(input: Writable, ended: Promise<number | null>) {
    this.#input = input;
    this.#ended = ended;
  }

  static start({ execArgv, script }: Command): Reaper {
    // its warnings go to the standard error of the drill
    const child = spawn(process.execPath, [...execArgv, script, 'drill', `--${REAP_FLAG}`], {
      detached: true,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    // ignore errors: the exit code shows that the reaper has ended
    child.stdin.on('error', () => undefined);
    const ended = new Promise<number | null>((resolve) => {
      child.once('error', () => resolve(null));
      child.once('exit', (code) => resolve(code));
    });
    return new Reaper(child.stdin, ended);
  }

  /** Kills this program after the drill, unless it has ended. */
  adopt(child: ChildProcess): void {
    const { pid } = child;
    if (pid === undefined) return;
    this.estate.pids.add(pid);
    this.#tell({ started: pid });
    child.once('exit', () => {
      this.estate.pids.delete(pid);
      this.#tell({ ended: pid });
    });
  }

  /** Removes this folder after the drill. */
  ownFolder(folder: string): void {
    this.estate.folder = folder;
    this.#tell({ folder });
  }

  /** Drops the database of this URL after the drill; undefined for none. */
  ownDatabase(url: string | undefined): void {
    this.estate.database = url;
    this.#tell({ database: url ?? null });
  }

  /** Lets the reaper free everything. @returns false if the reaper had been killed before */
  async finish(): Promise<boolean> {
    this.#input.end();
    return (await this.#ended) === 0;
  }

  #tell(change: EstateChange): void {
    this.#input.write(`${JSON.stringify(change)}\n`);
  }
}
