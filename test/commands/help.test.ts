import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Command, Config, Help, type Interfaces } from '@oclif/core';
import { captureOutput } from '@oclif/test';
import { expect } from 'chai';
import { EXIT_CODES } from '../../src/cli/exit-code.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Columns that a line of help takes at most. */
const COLUMNS = 100;

/** The project with its commands, run from their sources. */
async function load(): Promise<Config> {
  const pjson = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8'));
  return Config.load({ root: ROOT, pjson: { ...pjson, oclif: { ...pjson.oclif, commands: './commands' } } });
}

function wordsOf({ id }: Command.Loadable): string {
  return id.replaceAll(':', ' ');
}

/** The commands that people see. */
function shown({ commands }: Interfaces.Config): Command.Loadable[] {
  return commands.filter(({ hidden }) => !hidden);
}

/** A command's examples as they are typed. */
function examplesOf(command: Command.Loadable): string[] {
  return (command.examples ?? [])
    .map((example) => (typeof example === 'string' ? example : example.command))
    .map((text) =>
      text.replaceAll('<%= config.bin %>', 'switchboard').replaceAll('<%= command.id %>', wordsOf(command)),
    );
}

describe('the help of the command line', () => {
  let config: Config;

  before(async () => {
    config = await load();
  });

  it('knows the commands that the main job needs', () => {
    expect(config.commandIDs).to.include.members([
      'start',
      'pair',
      'send:text',
      'tail',
      'doctor',
      'sandbox:start',
    ]);
  });

  it('explains every command with a description and examples, in few columns', async () => {
    for (const command of shown(config)) {
      const words = wordsOf(command);
      const { stdout } = await captureOutput(() => new Help(config).showHelp(words.split(' ')));
      for (const part of ['USAGE', 'DESCRIPTION', 'EXAMPLES', '--json', `switchboard ${words}`]) {
        expect(stdout, words).to.contain(part);
      }
      const [text = ''] = stdout.split('\nEXAMPLES\n');
      for (const line of text.split('\n')) expect(line.length, line).to.be.at.most(COLUMNS);
    }
  });

  it('says what each command does in one line, and more than that below', () => {
    for (const command of shown(config)) {
      const { summary = '', description = '' } = command;
      expect(summary, wordsOf(command)).to.match(/^[A-Z].{5,78}[^.]$/);
      expect(description.length, wordsOf(command)).to.be.greaterThan(10);
    }
  });

  it('describes every argument and every flag, and names no example session but acme', () => {
    for (const command of shown(config)) {
      for (const [name, input] of Object.entries({ ...command.args, ...command.flags })) {
        expect(input.description ?? '', `${wordsOf(command)} ${name}`).to.not.equal('');
      }
      if (!('clientId' in command.args)) continue;
      const [first = ''] = examplesOf(command);
      expect(first, wordsOf(command)).to.match(/ acme\b/);
    }
  });

  it('gives examples that fit their line, with flags in their long form that exist', () => {
    for (const command of shown(config)) {
      const known = Object.keys(command.flags).flatMap((name) => [`--${name}`, `--no-${name}`]);
      for (const example of examplesOf(command)) {
        expect(example.length, example).to.be.at.most(COLUMNS);
        const [, typed = ''] = example.split(`switchboard ${wordsOf(command)}`);
        const flags = withoutQuotes(typed.split('|')[0] ?? '').match(/(?<=\s)--?[a-z][\w-]*/g) ?? [];
        for (const flag of flags) expect(known, example).to.include(flag);
      }
    }
  });

  it('names every topic and every command without one', async () => {
    const { stdout } = await captureOutput(() => new Help(config).showHelp([]));
    for (const command of shown(config)) expect(stdout).to.contain(wordsOf(command).split(' ')[0]);
  });

  it('describes every topic, and has none without commands', () => {
    const topics = config.pjson.oclif.topics ?? {};
    const used = shown(config).map(({ id }) => id.split(/[: ]/));
    const names = new Set(used.filter((words) => words.length > 1).map(([topic]) => topic));
    expect(Object.keys(topics).sort()).to.deep.equal([...names].sort());
    for (const [name, { description }] of Object.entries(topics)) expect(description, name).to.match(/^\S.+/);
  });

  it('is written down: every command and every exit code stands in docs/cli.md', () => {
    const page = readFileSync(`${ROOT}/docs/cli.md`, 'utf8');
    for (const code of Object.values(EXIT_CODES)) expect(page).to.contain(`| ${code} |`);
    for (const command of shown(config)) {
      expect(page).to.contain(`\`switchboard ${wordsOf(command)}`);
    }
  });
});

/** A value may look like a flag. */
function withoutQuotes(text: string): string {
  return text.replace(/"[^"]*"|'[^']*'/g, '""');
}
