import type { Command, Interfaces } from '@oclif/core';

/** What may be typed, as far as completion knows it. */
export interface Grammar {
  topics: readonly Named[];
  commands: readonly CommandShape[];
}

interface Named {
  name: string;
  /** One line. */
  description: string;
}

export interface CommandShape {
  /** `['send', 'text']` */
  words: readonly string[];
  description: string;
  /** In their order; the last one is repeated by commands that take any number. */
  args: readonly ValueShape[];
  flags: readonly FlagShape[];
}

/** What a value may be: one of several words, the name of a session, a file, or something that nobody can guess. */
export type ValueShape = { kind: 'words'; words: readonly string[] } | { kind: 'session' | 'file' | 'any' };

export interface FlagShape extends Named {
  char?: string;
  /** Undefined for a flag without a value. */
  value?: ValueShape;
  repeatable: boolean;
}

const SESSION_NAMES = new Set(['clientId', 'session']);
const FILE_NAMES = new Set(['source', 'data-dir', 'out']);

/** Reads the grammar from what the framework knows; hidden commands are no part of it. */
export function grammarOf(config: Interfaces.Config): Grammar {
  const commands = config.commands.filter(({ hidden }) => !hidden).map(commandShape);
  const topics = config.topics
    .filter(({ name, hidden }) => !hidden && !name.includes(':'))
    .filter(({ name }) => commands.some(({ words }) => words[0] === name && words.length > 1))
    .map(({ name, description }) => ({ name, description: firstLine(description) }));
  return { topics, commands };
}

function commandShape({ id, summary, description, args, flags }: Command.Loadable): CommandShape {
  return {
    words: id.split(':'),
    description: firstLine(summary ?? description),
    args: Object.entries(args).map(([name, arg]) => valueShape(name, arg.options)),
    flags: Object.entries(flags)
      .filter(([, flag]) => !flag.hidden)
      .map(([name, flag]) => ({
        name,
        char: flag.char,
        description: firstLine(flag.summary ?? flag.description),
        ...(flag.type === 'option' && { value: valueShape(name, flag.options) }),
        repeatable: flag.type === 'option' && flag.multiple === true,
      })),
  };
}

function valueShape(name: string, options: readonly string[] | undefined): ValueShape {
  if (options) return { kind: 'words', words: options };
  if (SESSION_NAMES.has(name)) return { kind: 'session' };
  return { kind: FILE_NAMES.has(name) ? 'file' : 'any' };
}

function firstLine(text = ''): string {
  return text.split('\n', 1)[0]?.trim() ?? '';
}
