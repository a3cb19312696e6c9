import { CliError, type Failure } from './cli-error.js';

/** What each end of a command tells the shell. */
export const EXIT_CODES: Readonly<Record<Failure | 'ok', number>> = {
  ok: 0,
  failure: 1,
  usage: 2,
  unreachable: 3,
  unauthorized: 4,
  not_found: 5,
  conflict: 6,
  refused: 7,
  interrupted: 130,
};

/**
 * The exit code of an error, by the first rule that fits:
 * 1. a failure that we foresaw: its own code;
 * 2. an error that carries an exit code (arguments and flags that cannot be read: 2);
 * 3. anything else: 1.
 */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return EXIT_CODES[error.failure];
  return carriedExitCode(error) ?? EXIT_CODES.failure;
}

/**
 * What an HTTP status means for the shell: 400 and 413 are mistakes in what was typed; 401 and 403 the token; 404 and
 * 409 the session; 502 and 504 the network beyond the daemon.
 */
export function failureOfStatus(status: number): Failure {
  if (status === 400 || status === 413) return 'usage';
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'not_found';
  if (status === 409) return 'conflict';
  if (status === 502 || status === 504) return 'refused';
  return 'failure';
}

function carriedExitCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('oclif' in error)) return undefined;
  const { oclif } = error;
  if (typeof oclif !== 'object' || oclif === null || !('exit' in oclif)) return undefined;
  return typeof oclif.exit === 'number' ? oclif.exit : undefined;
}
