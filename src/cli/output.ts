import { CliError } from './cli-error.js';
import { exitCodeOf } from './exit-code.js';
import { type Paint, painter } from './paint.js';

/** What went wrong, as `--json` shows it. */
export interface ErrorReport {
  error: string;
  /** One of the failures, see the table of exit codes. */
  code: string;
  exitCode: number;
  suggestions: readonly string[];
}

/** The one place where commands print: results on standard output, notes and errors on standard error. */
export class Output {
  /** For standard output. */
  readonly paint: Paint = painter(process.stdout);
  readonly #paintNote: Paint = painter(process.stderr);

  line(text = ''): void {
    process.stdout.write(`${text}\n`);
  }

  /** One value: a single line for streams, indented otherwise. */
  json(value: unknown, options: { indent?: boolean } = {}): void {
    process.stdout.write(`${JSON.stringify(value, null, options.indent ? 2 : undefined)}\n`);
  }

  /** Something beside the result, for people. */
  note(text: string): void {
    process.stderr.write(`${this.#paintNote('dim', text)}\n`);
  }

  warning(text: string): void {
    process.stderr.write(`${this.#paintNote('yellow', 'warning:')} ${text}\n`);
  }

  error(report: ErrorReport): void {
    process.stderr.write(`${this.#paintNote('red', 'error:')} ${report.error}\n`);
    for (const suggestion of report.suggestions) {
      process.stderr.write(`  ${this.#paintNote('dim', '→')} ${suggestion}\n`);
    }
  }

  /** A table without frames. */
  async table(head: readonly string[], rows: readonly (readonly string[])[]): Promise<void> {
    const { columns } = await import('./columns.js');
    const titles = head.map((title) => this.paint('bold', title));
    for (const line of await columns([titles, ...rows])) this.line(line);
  }

  /** Name and value, one line each. */
  fields(fields: Readonly<Record<string, string>>): void {
    const width = Math.max(...Object.keys(fields).map((name) => name.length));
    for (const [name, value] of Object.entries(fields)) {
      this.line(`${this.paint('dim', name.padEnd(width))}  ${value || this.paint('dim', '–')}`);
    }
  }
}

/** An error in the form in which it is printed, as text or as JSON. */
export function errorReport(error: unknown): ErrorReport {
  const exitCode = exitCodeOf(error);
  if (error instanceof CliError) {
    const { message, failure, suggestions } = error;
    return { error: message, code: failure, exitCode, suggestions };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (exitCode !== 2) return { error: message, code: 'failure', exitCode, suggestions: [] };
  const usage = message.replace(/\n?See more help with --help$/, '');
  return { error: usage, code: 'usage', exitCode, suggestions: ['see what it takes: add --help'] };
}
