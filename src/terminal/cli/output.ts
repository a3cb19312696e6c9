import type { PolicyRefusal } from '../../client/generated/operations.generated.js';
import { errorMessage } from '../../domain/errors.js';
import { singleLine } from '../../domain/text.js';
import { CliError, EXIT_CODES, exitCodeOf } from './errors.js';
import { flagProblems } from './flag-problems.js';
import { nearestNames } from './nearest.js';
import { type Paint, painter, terminalBlock, terminalLine } from './paint.js';
import { GAP, tableLines } from './table.js';

export { type Paint, painter, type Style, terminalLine, wantsColor } from './paint.js';
export { columns } from './table.js';

/** Control characters that JSON allows unescaped, and marks that change the direction of text. */
const UNPRINTABLE = /[\u007f-\u009f\p{Bidi_Control}\u2028\u2029]/gu;

/** An error as `--json` prints it. */
interface ErrorReport {
  error: string;
  /** A `Failure`. */
  code: string;
  exitCode: number;
  suggestions: readonly string[];
  /** For `policy_refused`: the refusal as in the API's answer. */
  policy?: PolicyRefusal;
}

/**
 * All output of commands: results to standard output, notes and errors to standard error. Most texts contain foreign
 * text, and this is the only place that cleans it: only colours of `paint` reach the terminal.
 */
export class Output {
  /** Colours for standard output. */
  readonly paint: Paint = painter(process.stdout);
  readonly #paintNote: Paint = painter(process.stderr);

  line(text = ''): void {
    process.stdout.write(`${terminalLine(text)}\n`);
  }

  /** Prints several lines, or a requested text. Keeps line breaks and tabs. */
  block(text: string): void {
    process.stdout.write(`${terminalBlock(text)}\n`);
  }

  /** Prints JSON on one line, or indented. Escapes characters that a terminal would act on. */
  json(value: unknown, options: { indent?: boolean } = {}): void {
    process.stdout.write(`${jsonText(value, options.indent ? 2 : undefined)}\n`);
  }

  note(text: string): void {
    process.stderr.write(`${terminalLine(this.#paintNote('dim', text))}\n`);
  }

  warning(text: string): void {
    process.stderr.write(`${terminalLine(`${this.#paintNote('yellow', 'warning:')} ${text}`)}\n`);
  }

  /** Prints an error. Indents all lines but the first, so that none looks like another message. */
  error(report: ErrorReport, stack = ''): void {
    const head = `${this.#paintNote('red', 'error:')} ${report.error}`;
    const lines = [
      head,
      ...report.suggestions.map((text) => `${this.#paintNote('dim', '→')} ${text}`),
      stack,
    ];
    const text = lines.filter((line) => line !== '').join('\n');
    process.stderr.write(`${terminalBlock(text).replaceAll('\n', '\n  ')}\n`);
  }

  /**
   * Prints a table. Fits it into the width of a terminal: shortens cells, then leaves out columns and says which.
   * @param leaveOut titles of the columns to leave out first; then the others, from the right
   */
  async table(
    head: readonly string[],
    rows: readonly (readonly string[])[],
    leaveOut: readonly string[] = [],
  ): Promise<void> {
    const { lines, leftOut } = await tableLines(head, rows, {
      width: process.stdout.isTTY ? process.stdout.columns : undefined,
      leaveOut,
      paint: this.paint,
    });
    for (const line of lines) this.line(line);
    if (leftOut.length > 0) this.note(`not shown, for lack of width: ${leftOut.join(', ')}`);
  }

  /** Prints one line per field; on a terminal, long values wrap. */
  fields(fields: Readonly<Record<string, string>>): void {
    const width = Math.max(...Object.keys(fields).map((name) => name.length));
    for (const [name, value] of Object.entries(fields)) {
      const [first = '', ...others] = this.#wrapped(value, width + GAP.length);
      this.line(`${this.paint('dim', name.padEnd(width))}  ${first || this.paint('dim', '–')}`);
      for (const line of others) this.line(`${' '.repeat(width)}  ${line}`);
    }
  }

  #wrapped(value: string, indent: number): string[] {
    const room = process.stdout.columns - indent;
    if (!process.stdout.isTTY || room < NARROWEST_TEXT || !PLAIN_ASCII.test(value)) return [value];
    const lines: string[] = [];
    for (const word of value.split(' ')) {
      const last = lines.at(-1);
      if (last === undefined || last.length + 1 + word.length > room) lines.push(word);
      else lines[lines.length - 1] = `${last} ${word}`;
    }
    return lines;
  }
}

/** Escapes characters that a terminal would act on. */
function jsonText(value: unknown, indent: number | undefined): string {
  return JSON.stringify(value, null, indent).replace(
    UNPRINTABLE,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** @param flags names of the flags that the command knows, for suggestions */
export function errorReport(error: unknown, flags: readonly string[] = []): ErrorReport {
  const exitCode = exitCodeOf(error);
  if (error instanceof CliError) {
    const { message, failure, suggestions, policy } = error;
    return {
      error: singleLine(withoutFrame(message)),
      code: failure,
      exitCode,
      suggestions: suggestions.map(singleLine),
      policy,
    };
  }
  const message = errorMessage(error);
  // usage errors of the framework have several lines, and repeat only what was typed
  if (exitCode !== 2) return { error: singleLine(message), code: 'failure', exitCode, suggestions: [] };
  const [, unknown] = /^Nonexistent flags?: (.+)$/m.exec(message) ?? [];
  if (unknown) return unknownFlags(unknown.split(', '), flags);
  const problems = flagProblems(error);
  if (problems.length > 0) {
    return {
      ...{ error: problems.map(singleLine).join('; '), code: 'usage', exitCode },
      suggestions: ['show the usage: add --help'],
    };
  }
  const usage = withoutFrame(message)
    // remove the framework's note about flags that were not given
    .replace(/\n\nNote: .*$/s, '')
    .replace(/^Missing \d+ required args?:/, 'missing:')
    .replace(/^Unexpected argument/, 'unexpected argument');
  const quotes = usage.startsWith('unexpected argument') ? ['put a text with spaces in quotes'] : [];
  const suggestions = [...nearestValues(usage), ...quotes, 'show the usage: add --help'];
  return { error: usage, code: 'usage', exitCode, suggestions };
}

function unknownFlags(typed: readonly string[], flags: readonly string[]): ErrorReport {
  // without values, which may be secrets
  const names = typed.map((flag) => flag.replace(/=.*$/s, ''));
  const near = names.flatMap((name) => nearestNames(flags, name.replace(/^-+/, '')));
  return {
    error: `there is no flag ${names.map(singleLine).join(' or ')}`,
    code: 'usage',
    exitCode: EXIT_CODES.usage,
    suggestions: [...near.map((name) => `did you mean: --${name}`), 'show the usage: add --help'],
  };
}

/** Removes the framework's additions to the error of a flag, but keeps the flag's name. */
function withoutFrame(message: string): string {
  return message.replace(/^Parsing (--[\w-]+) \n\t/, '$1: ').replace(/\n?See more help with --help$/, '');
}

/** Suggests values that are spelled like the refused one. */
function nearestValues(usage: string): string[] {
  const [, typed, values] = /^Expected (\S+) to be one of: (.+)$/.exec(usage) ?? [];
  if (!typed || !values) return [];
  const flag = /^--[a-z-]+=/.exec(typed)?.[0] ?? '';
  const near = nearestNames(values.split(', '), typed.slice(flag.length));
  return near.map((value) => `did you mean: ${flag}${value}`);
}

/** A text without colours that can be measured by its length. */
const PLAIN_ASCII = /^[ -~]*$/;
/** Columns below which a value is not wrapped. */
const NARROWEST_TEXT = 12;
