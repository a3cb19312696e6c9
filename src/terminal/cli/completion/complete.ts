import type { Command, Interfaces } from '@oclif/core';
import type { DaemonClient } from '../client.js';
import type { DaemonFlags } from '../command.js';
import { isName, type NameKind, nameKindOf } from '../name-inputs.js';
import { NameFinder } from '../names.js';

/** Commands, arguments and flags, as far as completion needs them. */
export interface Grammar {
  topics: readonly Named[];
  commands: readonly CommandShape[];
}

interface Named {
  name: string;
  /** One line. */
  description: string;
}

interface CommandShape {
  /** `['send', 'text']` */
  words: readonly string[];
  description: string;
  /** Arguments in order; variadic commands repeat the last one. */
  args: readonly ValueShape[];
  flags: readonly FlagShape[];
}

type ValueShape =
  | { kind: 'words'; words: readonly string[] }
  | { kind: 'session' | 'file' | 'context' | 'any' | NameKind };

interface FlagShape extends Named {
  char?: string;
  /** Undefined for a flag without a value. */
  value?: ValueShape;
  repeatable: boolean;
}

const SESSION_NAMES = new Set(['clientId', 'session']);
/** Arguments of commands that only read: they also accept a part of a name, and look it up themselves. */
const ROOM_NAMES = new Set(['room']);
const CONTEXT_NAMES = new Set(['context']);
const FILE_NAMES = new Set(['source', 'data-dir', 'out']);

/** Derives the grammar from oclif's configuration, without hidden commands. */
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
    args: Object.entries(args).map(([name, arg]) => valueShape(name, arg.options, hasSession(args))),
    flags: Object.entries(flags)
      .filter(([, flag]) => !flag.hidden)
      .map(([name, flag]) => ({
        name,
        char: flag.char,
        description: firstLine(flag.summary ?? flag.description),
        ...(flag.type === 'option' && { value: valueShape(name, flag.options, hasSession(args)) }),
        repeatable: flag.type === 'option' && flag.multiple === true,
      })),
  };
}

function hasSession(args: object): boolean {
  return 'clientId' in args;
}

/** @param ofSession true if the command is about one session, so that names of its chats can be completed */
function valueShape(name: string, options: readonly string[] | undefined, ofSession: boolean): ValueShape {
  if (options) return { kind: 'words', words: options };
  const named = ROOM_NAMES.has(name) ? 'chat' : nameKindOf(name);
  if (ofSession && named) return { kind: named };
  if (CONTEXT_NAMES.has(name)) return { kind: 'context' };
  if (SESSION_NAMES.has(name)) return { kind: 'session' };
  return { kind: FILE_NAMES.has(name) ? 'file' : 'any' };
}

function firstLine(text = ''): string {
  return text.split('\n', 1)[0]?.trim() ?? '';
}

interface Candidate {
  text: string;
  /** One line; may be empty. */
  description: string;
}

/** Candidates for the last word. */
interface Completion {
  candidates: readonly Candidate[];
  /** Additional candidates: names of sessions, contexts, files or chats. */
  also?: 'session' | 'file' | 'context' | NameKind;
  /** The session whose chats are candidates. */
  clientId?: string;
}

const FLAG_WITH_VALUE = /^(--[^=]+)=(.*)$/;
const NOTHING: Completion = { candidates: [] };

/**
 * Completes a command line.
 * @param typed the words after the program's name; the last one is incomplete and may be empty
 */
export function complete(grammar: Grammar, typed: readonly string[]): Completion {
  const [, flag, value] = FLAG_WITH_VALUE.exec(typed.at(-1) ?? '') ?? [];
  if (flag !== undefined && value !== undefined) {
    const { candidates, ...more } = complete(grammar, [...typed.slice(0, -1), flag, value]);
    return { candidates: candidates.map((one) => ({ ...one, text: `${flag}=${one.text}` })), ...more };
  }
  const words = withoutEquals(typed);
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const command = commandOf(grammar, before);
  const { candidates, ...more } = command
    ? completeCommand(command, before.slice(command.words.length), current)
    : completeName(grammar, before);
  return { candidates: candidates.filter(({ text }) => text.startsWith(current)), ...more };
}

/** Splits `--flag=value` into two words; bash splits it into three. */
function withoutEquals(words: readonly string[]): string[] {
  return words.flatMap((word, at) => {
    if (word === '=') return at === words.length - 1 ? [''] : [];
    const [, flag, value] = FLAG_WITH_VALUE.exec(word) ?? [];
    return flag !== undefined && value !== undefined ? [flag, value] : [word];
  });
}

function commandOf({ commands }: Grammar, before: readonly string[]): CommandShape | undefined {
  return commands
    .filter(({ words }) => words.every((word, at) => before[at] === word))
    .sort((a, b) => b.words.length - a.words.length)[0];
}

/** Completes a topic or command, or a command of a topic. */
function completeName({ topics, commands }: Grammar, before: readonly string[]): Completion {
  const depth = before.length;
  const fitting = commands.filter(
    ({ words }) => words.length === depth + 1 && before.every((word, at) => words[at] === word),
  );
  const named = fitting.map(({ words, description }) => ({ text: words[depth] ?? '', description }));
  const above = depth === 0 ? topics.map(({ name, description }) => ({ text: name, description })) : [];
  return { candidates: [...above, ...named].sort((a, b) => (a.text < b.text ? -1 : 1)) };
}

function completeCommand(command: CommandShape, before: readonly string[], current: string): Completion {
  const { positional, used, awaiting } = read(command, before);
  const [clientId] = positional;
  if (awaiting?.value) return completeValue(awaiting.value, clientId);
  if (current.startsWith('-')) return { candidates: flagCandidates(command, used) };
  const arg = command.args[positional.length];
  const value = arg ? completeValue(arg, clientId) : NOTHING;
  return value.also || value.candidates.length > 0 || current !== ''
    ? value
    : { candidates: flagCandidates(command, used) };
}

/** Parses the words before the current one. */
function read(
  { flags }: CommandShape,
  words: readonly string[],
): { positional: readonly string[]; used: ReadonlySet<FlagShape>; awaiting?: FlagShape } {
  const used = new Set<FlagShape>();
  const positional: string[] = [];
  let awaiting: FlagShape | undefined;
  for (const word of words) {
    const flag = awaiting ? undefined : flags.find(({ name, char }) => isFlag(word, name, char));
    if (flag) used.add(flag);
    else if (!awaiting) positional.push(word);
    awaiting = flag?.value && flag;
  }
  return { positional, used, awaiting };
}

function isFlag(word: string, name: string, char: string | undefined): boolean {
  return word === `--${name}` || (char !== undefined && word === `-${char}`);
}

function flagCandidates({ flags }: CommandShape, used: ReadonlySet<FlagShape>): Candidate[] {
  return flags
    .filter((flag) => flag.repeatable || !used.has(flag))
    .map(({ name, description }) => ({ text: `--${name}`, description }));
}

function completeValue(value: ValueShape, clientId: string | undefined): Completion {
  if (value.kind === 'words') return { candidates: value.words.map((text) => ({ text, description: '' })) };
  if (value.kind === 'any') return NOTHING;
  const isOfSession = ['chat', 'group', 'person'].includes(value.kind);
  return { candidates: [], also: value.kind, ...(isOfSession && { clientId }) };
}

const FLAGS = ['context', 'url', 'token', 'data-dir'] as const;

/** The daemon flags on the command line. */
export function daemonIn(typed: readonly string[]): Partial<DaemonFlags> {
  const words = withoutEquals(typed);
  return Object.fromEntries(
    FLAGS.flatMap((name) => {
      const value = words[words.indexOf(`--${name}`) + 1];
      return words.includes(`--${name}`) && value ? [[name, value]] : [];
    }),
  );
}

/** Session names that begin with the last word, sorted. */
export async function sessionNames(client: DaemonClient, words: readonly string[]): Promise<string[]> {
  const current = unquoted(words.at(-1) ?? '');
  const names = (await client.listClients()).clients.map(({ clientId }) => clientId);
  return names.filter((name) => name.startsWith(current)).sort();
}

/**
 * Names of chats that begin with the last word, in any case, with their addresses. Leaves out names that a command would read
 * as a flag or an address.
 */
export async function chatNames(
  client: DaemonClient,
  { clientId, kind }: { clientId: string; kind: NameKind },
  words: readonly string[],
): Promise<{ text: string; description: string }[]> {
  const current = unquoted(words.at(-1) ?? '').toLowerCase();
  const chats = await new NameFinder(client, unquoted(clientId)).all(kind);
  return chats
    .filter(({ name }) => name.toLowerCase().startsWith(current) && isName(name) && !name.startsWith('-'))
    .map(({ name, jid }) => ({ text: name, description: jid }));
}

/** A word as the shell will pass it: without quotes and escapes. */
function unquoted(word: string): string {
  return word.replace(/^["']/, '').replace(/\\(.)/g, '$1');
}
