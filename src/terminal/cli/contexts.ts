import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isObject, parseJson } from '../../domain/json.js';
import { CliError } from './errors.js';
import { nearestNames } from './nearest.js';

/** A named daemon. */
export interface Context {
  url: string;
  /** Master token, or API secret of a session; without it, the token in the data directory of a local daemon. */
  token?: string;
}

/** All named daemons. */
export interface Contexts {
  /** The context that commands use by default. */
  current?: string;
  contexts: Readonly<Record<string, Context>>;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** The file of the contexts, in the platform's folder for configuration. */
export function contextsPath(configDir: string): string {
  return join(configDir, 'contexts.json');
}

/** @throws CliError `usage` if the file is damaged, `failure` if it cannot be read */
export async function readContexts(path: string): Promise<Contexts> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new CliError('failure', `${path} cannot be read (${error.code})`, { cause: error });
  });
  if (text === undefined) return { contexts: {} };
  const { contexts, problem } = checked(parseJson(text));
  if (contexts) return contexts;
  throw new CliError('usage', `${path} is damaged: ${problem}`, {
    suggestions: ['correct the file, or delete it and add the contexts again: switchboard context add'],
  });
}

/** Replaces the file atomically; only its owner can read it. */
export async function writeContexts(path: string, contexts: Contexts): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(draft, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600, flush: true });
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

/** @throws CliError `not_found` */
export function requireContext({ contexts }: Contexts, name: string): Context {
  const context = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (context) return context;
  const near = nearestNames(Object.keys(contexts), name);
  throw new CliError('not_found', `there is no context ${name}`, {
    suggestions: [
      ...near.map((one) => `did you mean: ${one}`),
      'list the contexts: switchboard context list',
      `add it: switchboard context add ${name} --url URL`,
    ],
  });
}

/** @throws CliError `usage` */
export function requireContextName(name: string): void {
  if (NAME.test(name)) return;
  throw new CliError('usage', `${name} is not a name of a context: up to 63 letters, digits, dots, - and _`);
}

function checked(value: unknown): { contexts?: Contexts; problem?: string } {
  if (!isObject(value)) return { problem: 'it is not a JSON object' };
  const { current, contexts } = value;
  if (!isObject(contexts)) return { problem: 'contexts must be an object' };
  const entries: [string, Context][] = [];
  for (const [name, context] of Object.entries(contexts)) {
    if (!NAME.test(name)) return { problem: `${name} is not a name of a context` };
    if (!isObject(context) || typeof context.url !== 'string' || !isHttpUrl(context.url)) {
      return { problem: `contexts.${name}.url must be an http:// or https:// URL` };
    }
    const { url, token } = context;
    if (token !== undefined && typeof token !== 'string') {
      return { problem: `contexts.${name}.token must be a text` };
    }
    entries.push([name, { url, token: token || undefined }]);
  }
  if (current !== undefined && (typeof current !== 'string' || !Object.hasOwn(contexts, current))) {
    return { problem: 'current must be the name of a context' };
  }
  return { contexts: { current, contexts: Object.fromEntries(entries) } };
}

function isHttpUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** Where a command finds its daemon. */
export interface DaemonPlace {
  url: string;
  token?: string | undefined;
  /** Name of the context; undefined if the address was given, or is the default. */
  context?: string | undefined;
}

/**
 * Chooses the daemon, by the first rule that fits:
 * 1. `--url` on the command line;
 * 2. `--context`, or its variable;
 * 3. `SWITCHBOARD_URL`;
 * 4. the current context;
 * 5. the default address.
 * The token of a context goes only to its address, and a token of the environment never goes to a context that has its own.
 */
export async function chooseDaemon(
  path: string,
  given: {
    url: string;
    urlFrom: 'flag' | 'environment' | 'default';
    token: string | undefined;
    tokenFrom: 'flag' | 'environment' | 'default';
    context: string | undefined;
  },
): Promise<DaemonPlace> {
  const { url, urlFrom, token, tokenFrom, context } = given;
  if (urlFrom === 'flag') {
    if (context === undefined) return { url, token };
    throw new CliError('usage', 'give either --url or --context (or SWITCHBOARD_CONTEXT)');
  }
  if (context === undefined && urlFrom === 'environment') return { url, token };
  const known = await readContexts(path);
  const name = context ?? known.current;
  if (name === undefined) return { url, token };
  const chosen = requireContext(known, name);
  return { url: chosen.url, token: tokenFrom === 'flag' ? token : (chosen.token ?? token), context: name };
}
