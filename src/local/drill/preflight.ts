import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorMessage } from '../../domain/errors.js';
import { CliError } from '../../terminal/cli/errors.js';
import { explainConnection } from '../../terminal/cli/http.js';

/** @throws CliError `usage` if the settings file of `--config` is not there or cannot be read */
export async function requireReadable(file: string): Promise<void> {
  if (!(await isFile(file))) throw new CliError('usage', `--config: there is no file ${file}`);
  await access(file, constants.R_OK).catch(() => {
    throw new CliError('usage', `--config: this user may not read ${file}`);
  });
}

/** @throws CliError `usage` if the report of `--junit` could not be written after the run */
export async function requireWritable(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory()) throw new CliError('usage', `--junit: ${file} is a folder`);
  const folder = dirname(file);
  const around = await stat(folder).catch(() => undefined);
  if (!around?.isDirectory()) throw new CliError('usage', `--junit: there is no folder ${folder}`);
  await access(found ? file : folder, constants.W_OK).catch(() => {
    throw new CliError('usage', `--junit: this user may not write ${file}`);
  });
}

/** The server's codes for a user without the right, and for a wrong user or password. */
const RIGHTS_CODES: readonly unknown[] = [13, 18];
/** The driver's error name for a server that accepts connections but does not answer. */
const SILENT = 'MongoNetworkTimeoutError';

/**
 * The error for an unusable server of `--store`, with the address that the operator gave.
 * @param address the servers of the URL, without user and password
 */
export function storeRefusal(address: string, error: unknown): CliError {
  const causes = causesOf(error);
  const failure = causes.some((cause) => RIGHTS_CODES.includes(codeOf(cause)))
    ? 'unauthorized'
    : 'unreachable';
  return new CliError(failure, `the MongoDB server at ${address} cannot be used: ${reasonOf(causes)}`, {
    suggestions: ['check --store: the drill makes a database of its own on that server'],
    cause: error,
  });
}

/** @param causes chain of errors: ours, the driver's, and last that of the connection */
function reasonOf(causes: readonly Error[]): string {
  const [own, drivers = own] = causes;
  const last = causes.at(-1);
  if (last?.name === SILENT) return 'it accepts connections but does not answer';
  if (last !== own && typeof codeOf(last) === 'string') return explainConnection(last);
  return errorMessage(drivers).split('\n', 1)[0] ?? '';
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) causes.push(cause);
  return causes;
}

function codeOf(error: Error | undefined): unknown {
  return error && 'code' in error ? error.code : undefined;
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
