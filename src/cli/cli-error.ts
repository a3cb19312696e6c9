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
  /** Nothing is wrong with what was asked for; the same may go well in a moment. */
  isTemporary?: boolean;
  cause?: unknown;
}

/** A foreseen failure of a command: one line of what happened, and what to do next. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly failure: Failure;
  readonly suggestions: readonly string[];
  readonly isTemporary: boolean;

  constructor(failure: Failure, message: string, options: CliErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.failure = failure;
    this.suggestions = options.suggestions ?? [];
    this.isTemporary = options.isTemporary ?? false;
  }
}
