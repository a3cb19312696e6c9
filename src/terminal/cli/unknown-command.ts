import { CliError } from './errors.js';
import { nearestTo } from './nearest.js';
import { errorReport, Output } from './output.js';

/** The part of oclif's configuration that lists commands and topics. */
interface Known {
  commandIDs: readonly string[];
  commands: readonly { id: string; hidden?: boolean; flags?: Readonly<Record<string, unknown>> }[];
  topics: readonly { name: string }[];
}

/**
 * Prints that the command is unknown, with commands that are spelled like it, and sets the exit code.
 * @param typed the words and flags of the command line
 */
export function reportUnknownCommand(config: Known, typed: readonly string[]): void {
  const report = errorReport(unknownCommand(config, typed));
  process.exitCode = report.exitCode;
  const output = new Output();
  if (typed.includes('--json')) output.json(report, { indent: true });
  else output.error(report);
}

function unknownCommand(config: Known, typed: readonly string[]): CliError {
  const flagAt = typed.findIndex((word) => word.startsWith('-'));
  const words = flagAt < 0 ? typed : typed.slice(0, flagAt);
  const refused = wordTooMany(config, words);
  if (refused) return refused;
  const topic = config.topics.some(({ name }) => name === words[0]) ? words[0] : undefined;
  const name = words.slice(0, topic ? 2 : 1).join(' ') || (typed[0] ?? '');
  const nearest = nearestCommands(config, words);
  const overview = `list the commands: switchboard ${topic ? `${topic} ` : ''}--help`;
  return new CliError('usage', `there is no command ${name}`, {
    suggestions: [...nearest.map((command) => `did you mean: switchboard ${command}`), overview],
  });
}

/** The error for a surplus word after a command without arguments, which the framework takes for a part of the command's name. */
function wordTooMany({ commands }: Known, words: readonly string[]): CliError | undefined {
  for (let length = words.length - 1; length > 0; length--) {
    const name = words.slice(0, length);
    const command = commands.find(({ id, hidden }) => !hidden && id === name.join(':'));
    if (!command) continue;
    const line = `switchboard ${name.join(' ')}`;
    const word = words[length] ?? '';
    const takesSession = command.flags?.session !== undefined && /^\w+$/.test(word);
    return new CliError('usage', `${line} takes no argument "${word}"`, {
      suggestions: [
        ...(takesSession ? [`did you mean: ${line} --session ${word}`] : []),
        `show the usage: ${line} --help`,
      ],
    });
  }
  return undefined;
}

function nearestCommands({ commands, topics }: Known, words: readonly string[]): string[] {
  const ids = commands.filter(({ hidden }) => !hidden).map(({ id }) => id.split(':'));
  const near = nearestTo(ids, words);
  if (near.length > 0 || topics.some(({ name }) => name === words[0])) return near;
  return nearestTo(
    topics.map(({ name }) => [name]),
    words,
  );
}
