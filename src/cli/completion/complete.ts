import type { CommandShape, FlagShape, Grammar, ValueShape } from './grammar.js';

/** One way to go on. */
export interface Candidate {
  text: string;
  /** One line; may be empty. */
  description: string;
}

/** How the last word may go on: with one of these, and with what only others know. */
export interface Completion {
  candidates: readonly Candidate[];
  /** Names of sessions, or of files, may stand there too. */
  also?: 'session' | 'file';
}

const FLAG_WITH_VALUE = /^(--[^=]+)=(.*)$/;
const NOTHING: Completion = { candidates: [] };

/**
 * How a command line may go on.
 * @param typed the words after the program's name; the last one is being typed, and may be empty
 */
export function complete(grammar: Grammar, typed: readonly string[]): Completion {
  const [, flag, value] = FLAG_WITH_VALUE.exec(typed.at(-1) ?? '') ?? [];
  if (flag !== undefined && value !== undefined) {
    const { candidates, also } = complete(grammar, [...typed.slice(0, -1), flag, value]);
    return { candidates: candidates.map((one) => ({ ...one, text: `${flag}=${one.text}` })), also };
  }
  const words = withoutEquals(typed);
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const command = commandOf(grammar, before);
  const { candidates, also } = command
    ? completeCommand(command, before.slice(command.words.length), current)
    : completeName(grammar, before);
  return { candidates: candidates.filter(({ text }) => text.startsWith(current)), also };
}

/** Makes two words of `--flag=value`; bash makes three. */
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

/** A topic or a command; below a topic, one of its commands. */
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
  if (awaiting?.value) return completeValue(awaiting.value);
  if (current.startsWith('-')) return { candidates: flagCandidates(command, used) };
  const arg = command.args[positional];
  const value = arg ? completeValue(arg) : NOTHING;
  return value.also || value.candidates.length > 0 || current !== ''
    ? value
    : { candidates: flagCandidates(command, used) };
}

/** How far the words before have come. */
function read(
  { flags }: CommandShape,
  words: readonly string[],
): { positional: number; used: ReadonlySet<FlagShape>; awaiting?: FlagShape } {
  const used = new Set<FlagShape>();
  let positional = 0;
  let awaiting: FlagShape | undefined;
  for (const word of words) {
    const flag = awaiting ? undefined : flags.find(({ name, char }) => isFlag(word, name, char));
    if (flag) used.add(flag);
    else if (!awaiting) positional++;
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

function completeValue(value: ValueShape): Completion {
  if (value.kind === 'words') return { candidates: value.words.map((text) => ({ text, description: '' })) };
  return value.kind === 'any' ? NOTHING : { candidates: [], also: value.kind };
}
