import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Command, Parser } from '@oclif/core';
import { SETTING_NAMES, SETTINGS } from '../../../src/gateway/config/schema.js';
import { createTestServer } from '../../gateway/http/support/test-server.js';

/** The project's root, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const DEPLOY = `${ROOT}docs/deploy/`;

/** Texts of files by their names. */
export type Files = Readonly<Record<string, string>>;

/** The text of a file of docs/deploy. */
export function deployFile(name: string): string {
  return readFileSync(DEPLOY + name, 'utf8');
}

/** The files of a folder of docs/deploy. */
export function deployFiles(folder: string): Files {
  const names = readdirSync(DEPLOY + folder).sort();
  return Object.fromEntries(names.map((name) => [name, deployFile(`${folder}/${name}`)]));
}

/** Files with one of them broken: something else in place of a text that must be there. */
export function broken(files: Files, name: string, text: string, instead: string): Files {
  const whole = files[name];
  if (!whole?.includes(text)) throw new Error(`${name} has no ${JSON.stringify(text)} to break`);
  return { ...files, [name]: whole.replaceAll(text, instead) };
}

/** Paths that answer a GET without a token: what a probe may ask. */
export async function openPaths(): Promise<ReadonlySet<string>> {
  const api = await createTestServer();
  const routes = api.server.table().filter(({ method, settings }) => method === 'get' && settings.app?.open);
  await api.close();
  return new Set(routes.map(({ path }) => path));
}

/** The addresses of this machine that a text asks for: port and path of each. */
export function localAddresses(text: string): { port: string; path: string }[] {
  const found = text.matchAll(/http:\/\/127\.0\.0\.1:(?:(\d+)|' \+ [\w.]+ \+ ')(\/[\w/]*)/g);
  return [...found].map(([, port = '', path = '']) => ({ port, path }));
}

/** Variables that have to be named where several nodes are to work together. */
export const CLUSTER_VARIABLES = [
  'SWITCHBOARD_STORE',
  'SWITCHBOARD_TOKEN',
  'SWITCHBOARD_ENCRYPTION_KEY',
  'SWITCHBOARD_NODE_NAME',
  'SWITCHBOARD_NODE_URL',
  'SWITCHBOARD_PUBLIC_URL',
] as const;

/** What a daemon would not accept of these environment variables. */
export function settingFaults(variables: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(variables)
    .filter(([name]) => name.startsWith('SWITCHBOARD_'))
    .flatMap(([variable, value]) => {
      const name = SETTING_NAMES.find((candidate) => SETTINGS[candidate].env === variable);
      if (!name) return [`${variable} is no setting`];
      const { error } = SETTINGS[name].schema.validate(value);
      return error ? [`${variable}: ${error.message}`] : [];
    });
}

/** What nodes that work together need and these variables do not say. */
export function missingVariables(variables: Readonly<Record<string, unknown>>): string[] {
  return CLUSTER_VARIABLES.filter((name) => !variables[name]).map((name) => `${name} is missing`);
}

/**
 * What the command line would not accept of a command: there is none of that name, or not these arguments and flags.
 * @param words as they are typed after `switchboard`
 */
export async function commandFaults(words: readonly string[]): Promise<string[]> {
  const depth = words.findLastIndex((_word, index) => existsSync(fileOf(words.slice(0, index + 1)))) + 1;
  if (depth === 0) return [`there is no command "${words.join(' ')}"`];
  const { default: command }: { default: Command.Class } = await import(fileOf(words.slice(0, depth)));
  const { args, flags, baseFlags } = command;
  const options = { args, flags: { ...baseFlags, ...flags }, strict: true };
  return Parser.parse(words.slice(depth), options).then(
    () => [],
    (error: Error) => [`"${words.join(' ')}": ${error.message.replace(/\s+/g, ' ')}`],
  );
}

function fileOf(words: readonly string[]): string {
  return `${ROOT}commands/${words.join('/')}.ts`;
}
