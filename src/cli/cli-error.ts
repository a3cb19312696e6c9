/** Why a command did not do what it was asked to; each has its own exit code. */
export type Failure =
  | 'failure'
  | 'usage'
  | 'unreachable'
  | 'unauthorized'
  | 'not_found'
  | 'conflict'
  | 'refused'
  | 'interrupted';

interface CliErrorOptions {
  /** What to do next: commands or short imperatives, the likeliest first. */
  suggestions?: readonly string[];
  cause?: unknown;
}

/** A foreseen failure of a command: one line of what happened, and what to do next. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly failure: Failure;
  readonly suggestions: readonly string[];

  constructor(failure: Failure, message: string, options: CliErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.failure = failure;
    this.suggestions = options.suggestions ?? [];
  }
}
