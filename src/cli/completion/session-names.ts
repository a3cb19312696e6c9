import type { DaemonClient } from '../client.js';
import type { DaemonFlags } from '../daemon-command.js';

const FLAGS = ['url', 'token', 'data-dir'] as const;

/** Which daemon the command line that is being typed names, where it does. */
export function daemonIn(words: readonly string[]): Partial<DaemonFlags> {
  return Object.fromEntries(
    FLAGS.flatMap((name) => {
      const value = words[words.indexOf(`--${name}`) + 1];
      return words.includes(`--${name}`) && value ? [[name, value]] : [];
    }),
  );
}

/** The sessions whose names begin with the last word, by name. */
export async function sessionNames(client: DaemonClient, words: readonly string[]): Promise<string[]> {
  const current = words.at(-1) ?? '';
  const names = (await client.clients()).map(({ clientId }) => clientId);
  return names.filter((name) => name.startsWith(current)).sort();
}
