import { errorMessage } from '../domain/error-message.js';
import { CliError } from './cli-error.js';
import { exitCodeOf } from './exit-code.js';
import { type Paint, painter } from './paint.js';

/** Controls that JSON may hold as they are, and marks that change the direction of the text around them. */
const UNPRINTABLE = /[\u007f-\u009f\p{Bidi_Control}\u2028\u2029]/gu;

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

  /** One value: a single line for streams, indented otherwise. Nothing in it moves the cursor of a terminal. */
  json(value: unknown, options: { indent?: boolean } = {}): void {
    process.stdout.write(`${jsonText(value, options.indent ? 2 : undefined)}\n`);
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

/** The same value to every reader of JSON, without what a terminal would act on. */
function jsonText(value: unknown, indent: number | undefined): string {
  return JSON.stringify(value, null, indent).replace(
    UNPRINTABLE,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** An error in the form in which it is printed, as text or as JSON. */
export function errorReport(error: unknown): ErrorReport {
  const exitCode = exitCodeOf(error);
  if (error instanceof CliError) {
    const { message, failure, suggestions } = error;
    return { error: message, code: failure, exitCode, suggestions };
  }
  const message = errorMessage(error);
  if (exitCode !== 2) return { error: message, code: 'failure', exitCode, suggestions: [] };
  const usage = message.replace(/\n?See more help with --help$/, '');
  return { error: usage, code: 'usage', exitCode, suggestions: ['see what it takes: add --help'] };
}
