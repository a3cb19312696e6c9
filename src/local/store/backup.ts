import type { IncomingMessage } from 'node:http';
import type { Interfaces } from '@oclif/core';
import { isGatewayError } from '../../domain/errors.js';
import type { DaemonClient } from '../../terminal/cli/client.js';
import { isDaemon } from '../../terminal/cli/doctor/context.js';
import { CliError } from '../../terminal/cli/errors.js';

/** The source of a backup: the API of a daemon, or a store that this machine reaches. */
export type BackupOrigin = 'daemon' | 'store';

const STORE_FLAGS = ['data-dir', 'store', 'encryption-key'];
const DAEMON_FLAGS = ['context', 'url', 'token'];
/** Milliseconds after which the default daemon counts as absent. */
const LOOK_MS = 5_000;

type Parsed = Pick<
  Interfaces.ParserOutput<Record<string, unknown>, Record<string, unknown>>,
  'flags' | 'raw' | 'metadata'
>;

/**
 * The source that the caller named: a flag on the command line wins over everything else; a context or `SWITCHBOARD_URL` over
 * `SWITCHBOARD_DATA_DIR` and `SWITCHBOARD_STORE`.
 *
 * @returns undefined if neither is named
 * @throws CliError `usage` if both are on the command line
 */
export function namedOrigin({ flags, raw, metadata }: Parsed): BackupOrigin | undefined {
  const isTyped = (name: string) => raw.some((token) => token.type === 'flag' && token.flag === name);
  const [store, daemon] = [STORE_FLAGS.find(isTyped), DAEMON_FLAGS.find(isTyped)];
  if (store && daemon) {
    throw new CliError('usage', `--${daemon} names a daemon, and --${store} a store: give one of them`, {
      suggestions: ['back up through the daemon, from anywhere: leave out the flags of the store'],
    });
  }
  if (store) return 'store';
  if (daemon || flags.context !== undefined || !metadata.flags.url?.setFromDefault) return 'daemon';
  return flags['data-dir'] || flags.store ? 'store' : undefined;
}

/**
 * The store of this machine, unless a daemon answers at the default address.
 *
 * @throws CliError if the daemon there is not known to be the one of the default data directory
 */
export async function foundOrigin(
  client: DaemonClient,
  { hasToken, dataDir }: { hasToken: boolean; dataDir: string },
): Promise<BackupOrigin> {
  const answer = await client.probe('/health/live', LOOK_MS).catch((error: unknown) => {
    if (error instanceof CliError && error.failure === 'unreachable') return undefined;
    throw error;
  });
  if (!answer || !isDaemon(answer)) return 'store';
  if (hasToken) return 'daemon';
  throw ambiguous(`a daemon runs at ${client.url}, and ${dataDir} has no token for it`);
}

/** The error if no source was named, no daemon answers, and there is no store either. */
export function noDaemonEither(error: unknown, url: string): unknown {
  if (!(error instanceof CliError) || error.failure !== 'not_found') return error;
  return new CliError('not_found', `no daemon answers at ${url}, and ${error.message}`, {
    suggestions: [
      'name the daemon to back up: --url or --context',
      'or the data directory of its store: --data-dir',
    ],
    cause: error,
  });
}

/** The error if the found daemon refuses the token of the default data directory, so that its store may be another one. */
export function otherDaemon(error: unknown, url: string, dataDir: string): unknown {
  if (!(error instanceof CliError) || error.failure !== 'unauthorized') return error;
  return ambiguous(`the daemon at ${url} refuses the token of ${dataDir}`);
}

function ambiguous(what: string): CliError {
  return new CliError('usage', `${what}: say which store to back up`, {
    suggestions: [
      "the daemon's: give --token, or --context",
      'that of a data directory, whose daemon may be running: give --data-dir',
    ],
  });
}

/**
 * The bytes of an answer.
 *
 * @throws CliError `unreachable` if it is cut off, `interrupted` after Ctrl+C
 */
export async function* answeredBytes(
  answer: IncomingMessage,
  url: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    yield* answer;
  } catch (cause) {
    if (signal.aborted) throw new CliError('interrupted', 'interrupted', { cause });
    throw new CliError('unreachable', `${url} cut the backup off before its end: no file was written`, {
      suggestions: ["try again, and see the daemon's log"],
      cause,
    });
  }
}

const KINDS: Readonly<Record<string, string>> = {
  sqlite: 'the SQLite store in',
  mongodb: 'the MongoDB store',
};

/** Describes a store, such as `the SQLite store in /var/lib/switchboard`. */
export function storeText({ store, place }: { store: string; place: string }): string {
  // a daemon of an older release does not report its place
  return place === '' ? `a ${store} store` : `${KINDS[store] ?? `the store ${store}`} ${place}`;
}

/** The error for a backup that the key does not open. */
export function ofAnotherKey(cause: unknown, path: string): unknown {
  if (!isGatewayError(cause, 'encryption_key_wrong')) return cause;
  return new CliError('failure', `${path} is of a store with another encryption key. Nothing was changed.`, {
    suggestions: ['give the key of that store: --encryption-key, or --data-dir with its file encryption-key'],
    cause,
  });
}
