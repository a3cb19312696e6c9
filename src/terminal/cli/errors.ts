import type { SwitchboardError } from '../../client/call.js';
import type { PolicyRefusal } from '../../client/generated/operations.generated.js';
import { messageForOperator } from '../../domain/errors.js';
import { reasonText } from './reason-text.js';

const UNAVAILABLE = 503;

/** Why a command failed; each has its own exit code. */
export type Failure =
  | 'failure'
  | 'usage'
  | 'unreachable'
  | 'unauthorized'
  | 'not_found'
  | 'conflict'
  | 'refused'
  | 'policy_refused'
  | 'interrupted';

/** An expected failure of a command: one line that says what happened, and suggestions. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly failure: Failure;
  readonly suggestions: readonly string[];
  readonly isTemporary: boolean;
  /** With `policy_refused`: the rule, what is left of it, and when it allows the message. */
  readonly policy: PolicyRefusal | undefined;

  constructor(
    failure: Failure,
    message: string,
    options: {
      /** Next steps: commands or short imperatives, the most likely first. */
      suggestions?: readonly string[];
      /** A repetition of the call may succeed in a moment. */
      isTemporary?: boolean;
      policy?: PolicyRefusal | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.failure = failure;
    this.suggestions = options.suggestions ?? [];
    this.isTemporary = options.isTemporary ?? false;
    this.policy = options.policy;
  }
}

export const EXIT_CODES: Readonly<Record<Failure | 'ok', number>> = {
  ok: 0,
  failure: 1,
  usage: 2,
  unreachable: 3,
  unauthorized: 4,
  not_found: 5,
  conflict: 6,
  refused: 7,
  policy_refused: 8,
  interrupted: 130,
};

/**
 * The exit code of an error, by the first rule that fits:
 * 1. a CliError: the code of its failure;
 * 2. an oclif error with an exit code (invalid arguments and flags: 2);
 * 3. anything else: 1.
 */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return EXIT_CODES[error.failure];
  return oclifExitCode(error) ?? EXIT_CODES.failure;
}

/**
 * Maps an HTTP status: 400 and 413 are invalid input; 401 and 403 concern the token; 404 and 409 the session; 502 and
 * 504 the network beyond the daemon.
 */
export function failureOfStatus(status: number): Failure {
  if (status === 400 || status === 413) return 'usage';
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'not_found';
  if (status === 409) return 'conflict';
  if (status === 502 || status === 504) return 'refused';
  return 'failure';
}

const FAILURE_OF_CODE: ReadonlyMap<string, Failure> = new Map([
  // the session is there: its state forbids the call
  ['session_suspended', 'conflict'],
  // not the token: the network lets only members or admins do that
  ['group_forbidden', 'refused'],
  ['policy_refused', 'policy_refused'],
  // the session asks its phone already, or has just done so
  ['history_requested', 'conflict'],
]);

/** Messages of the terminal for codes whose own message is about headers. */
const OWN_WORDS: ReadonlyMap<string, string> = new Map([['unauthorized', 'a valid token is required']]);

/**
 * The failure of a command for a call that the daemon refused.
 *
 * @param clientId the session that the call was about
 */
export function refusedBy(
  refusal: SwitchboardError,
  suggestions: readonly string[],
  clientId?: string,
): CliError {
  const { status, message, code, policy, reason } = refusal;
  const given = { reason: message, reasonCode: reason?.code, reasonValues: reason?.values };
  const isTemporary = status === UNAVAILABLE;
  const failure = FAILURE_OF_CODE.get(code) ?? failureOfStatus(status);
  return new CliError(failure, OWN_WORDS.get(code) ?? reasonText(given, clientId), {
    suggestions,
    isTemporary,
    policy,
    cause: refusal,
  });
}

function oclifExitCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('oclif' in error)) return undefined;
  const { oclif } = error;
  if (typeof oclif !== 'object' || oclif === null || !('exit' in oclif)) return undefined;
  return typeof oclif.exit === 'number' ? oclif.exit : undefined;
}

/** The reason why `start` failed, in one line. @param portSetting the setting that chose the port */
export function explainStartFailure(error: unknown, portSetting: 'port' | 'node-url'): string {
  if (!(error instanceof Error)) return String(error);
  const { code, port } = systemFields(error);
  if (code === 'EADDRINUSE') {
    return `port ${port} is in use: stop the program that uses it, or choose another with --${portSetting}`;
  }
  if (code === 'EACCES')
    return `this user may not listen on port ${port}: choose one above 1023 with --${portSetting}`;
  if (code === 'EADDRNOTAVAIL') return 'this machine does not have that address: choose another with --host';
  return messageForOperator(error);
}

function systemFields(error: Error): { code: string; port: string } {
  return {
    code: 'code' in error ? String(error.code) : '',
    port: 'port' in error ? String(error.port) : '',
  };
}
