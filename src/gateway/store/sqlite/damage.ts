import { fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { wasEmptied } from './database.js';

/** Lines of damage that are kept; one broken page can be named a hundred times. */
const MAX_LINES = 20;

const EXTENSION = extname(import.meta.url);
const PROGRAM = fileURLToPath(new URL(`./damage-program${EXTENSION}`, import.meta.url));

export interface DamageOrder {
  path: string;
  /** Also compares indexes with tables, which takes many times longer. */
  isThorough: boolean;
}

export type DamageReport =
  | { kind: 'tables'; count: number }
  | { kind: 'damage'; lines: string[] }
  | { kind: 'checked' }
  /** The check could not go on, and says nothing about the rest of the file. */
  | { kind: 'unchecked'; reason: string }
  | { kind: 'end' };

export interface Damage {
  /** What SQLite says is wrong; empty if nothing was found. */
  lines: string[];
  /** Tables that were checked in time, of so many. */
  checked: number;
  tables: number;
}

const EMPTIED = 'its file is empty or missing, but its write-ahead log is not';

/**
 * Looks for damage in the structure of a database file, table by table, in a process of its own. The content of rows is not
 * looked at: what is sealed shows its damage when it is opened.
 *
 * @param limitMs milliseconds after which the check ends, wherever it is; without it the whole file is checked thoroughly
 * @throws Error if the file could not be read (such as an I/O error, or a lack of rights) or the process could not run to its
 * end (such as a lack of memory), and no damage was found before
 */
export async function findDamage(path: string, limitMs?: number): Promise<Damage> {
  if (wasEmptied(path)) return { lines: [EMPTIED], checked: 0, tables: 0 };
  const damage: Damage = { lines: [], checked: 0, tables: 0 };
  const child = fork(PROGRAM, {
    execArgv: EXTENSION === '.ts' ? ['--import', import.meta.resolve('tsx')] : [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  let hasEnded = false;
  let isLate = false;
  let unchecked: string | undefined;
  return new Promise((resolve, reject) => {
    const end = () => {
      isLate = true;
      child.kill('SIGKILL');
    };
    const timer = limitMs === undefined ? undefined : setTimeout(end, limitMs);
    child.on('message', (report: DamageReport) => {
      if (report.kind === 'tables') damage.tables = report.count;
      else if (report.kind === 'checked') damage.checked += 1;
      else if (report.kind === 'end') hasEnded = true;
      else if (report.kind === 'unchecked') unchecked = report.reason;
      else damage.lines = [...new Set([...damage.lines, ...report.lines])].slice(0, MAX_LINES);
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (damage.lines.length > 0) resolve(damage);
      else if (unchecked !== undefined) reject(new Error(unchecked));
      else if (hasEnded || isLate) resolve(damage);
      else reject(new Error(`the check of the database ended by itself (${signal ?? code})`));
    });
    child.send({ path, isThorough: limitMs === undefined } satisfies DamageOrder);
  });
}
