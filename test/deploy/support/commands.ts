import { existsSync } from 'node:fs';
import { type Command, Parser } from '@oclif/core';
import { ROOT } from './files.js';

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
