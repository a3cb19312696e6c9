import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse } from 'yaml';
import { isObject } from '../../src/domain/json.js';
import { compiledProject } from '../support/compiled.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What a program of the docs and the messages looks like from `switchboard` on; quotes may hide a blank. */
const WORD = /"[^"]*"|'[^']*'|\S+/g;
/** Ends a command in a shell. */
const END = /\s*(?:\||\d?>|<|;|&|#|\s\\$|\)).*$/s;
const PLACEHOLDER = 'x';

interface Flag {
  type: string;
  required?: boolean;
  dependsOn?: string[];
  exclusive?: string[];
  options?: string[];
  allowNo?: boolean;
  char?: string;
}

interface Command {
  summary: string;
  usage?: string;
  hidden?: boolean;
  args: Record<string, { name: string; required?: boolean }>;
  flags: Record<string, Flag>;
  strict?: boolean;
  aliases?: string[];
  hiddenAliases?: string[];
}

/** A command as it is written somewhere. */
interface Quote {
  file: string;
  text: string;
  /** Somebody can type it as it is; otherwise it names a command, perhaps without its arguments. */
  isWhole: boolean;
}

describe('the commands that docs and messages name', () => {
  let commands: Record<string, Command>;
  let topics: ReadonlySet<string>;
  before(() => {
    ({ commands } = JSON.parse(readFileSync(join(compiledProject(), 'oclif.manifest.json'), 'utf8')));
    topics = new Set(Object.keys(commands).map((id) => id.split(':')[0] ?? ''));
  });

  /** What is wrong with it; nothing if it can be typed. */
  const problemsOf = ({ text, isWhole }: Quote): string[] => {
    const words = text.match(WORD) ?? [];
    // a word in capitals stands for any command
    if (words.length === 0 || /^[-A-Z]/.test(words[0] ?? '')) return [];
    const [first = '', second = ''] = words;
    const named = commands[`${first}:${second}`] ? `${first}:${second}` : first;
    const id =
      Object.keys(commands).find((one) =>
        [commands[one]?.aliases, commands[one]?.hiddenAliases].flat().includes(named),
      ) ?? named;
    const command = commands[id];
    if (!command)
      return topics.has(first) && (second === '' || second.startsWith('-'))
        ? []
        : [`there is no command ${first} ${second}`];
    const given = givenIn(words.slice(named.split(':').length), command);
    const problems = [...given.unknown.map((flag) => `${id} has no flag ${flag}`)];
    for (const name of given.flags.keys()) {
      for (const other of command.flags[name]?.dependsOn ?? []) {
        if (!given.flags.has(other)) problems.push(`${id} --${name} needs --${other}`);
      }
      for (const other of command.flags[name]?.exclusive ?? []) {
        if (given.flags.has(other)) problems.push(`${id} takes --${name} or --${other}`);
      }
    }
    if (!isWhole) return problems;
    const required = Object.values(command.args).filter((arg) => arg.required).length;
    if (given.args < required) problems.push(`${id} needs ${required} arguments`);
    if (given.args > Object.keys(command.args).length && command.strict !== false) {
      problems.push(`${id} takes ${Object.keys(command.args).length} arguments`);
    }
    for (const [name, flag] of Object.entries(command.flags)) {
      if (flag.required && !given.flags.has(name)) problems.push(`${id} needs --${name}`);
    }
    return problems;
  };

  const check = (quotes: Quote[], least: number) => {
    expect(quotes.length).to.be.greaterThan(least);
    const found = quotes.flatMap((quote) =>
      problemsOf(quote).map((problem) => `${quote.file}: switchboard ${quote.text}: ${problem}`),
    );
    expect(found).to.deep.equal([]);
  };

  it('are listed in docs/cli.md, each once, as their help has them', () => {
    const page = join(ROOT, 'docs/cli.md');
    const text = readFileSync(page, 'utf8');
    const listed: string[] = [];
    const wanted = text.replace(LIST, (_, begin: string, topics: string, end: string) => {
      const found = topics.split(' ').flatMap((topic) => commandsOf(topic, commands));
      listed.push(...found);
      return begin + tableOf(found, commands) + end;
    });
    if (process.env.SWITCHBOARD_UPDATE_DOCS) writeFileSync(page, wanted);
    else expect(text).to.equal(wanted);
    const shown = Object.keys(commands).filter((id) => !commands[id]?.hidden);
    expect(listed.sort()).to.deep.equal(shown.sort());
  });

  it('exist with their flags and arguments in the code blocks of the docs', () => {
    check(documents().flatMap(inBlocks), 80);
  });

  it('exist with their flags in the sentences of the docs', () => {
    check(documents().flatMap(inSentences), 250);
  });

  it('can be copied from the remedies of the alerts', () => {
    const rules: unknown = parse(readFileSync(join(ROOT, 'docs/monitoring/alerts.yaml'), 'utf8'));
    const quotes = textsIn(rules).flatMap((text) =>
      [...text.matchAll(/switchboard ((?:[a-z-]+ ?)+(?: --[a-z-]+)*)/g)].map(([, command = '']) => ({
        ...{ file: 'alerts.yaml', text: knownStart(command, commands), isWhole: true },
      })),
    );
    check(quotes, 3);
    const table = readFileSync(join(ROOT, 'docs/monitoring.md'), 'utf8').split('\n');
    const remedies = table.filter((line) => line.startsWith('| `Switchboard')).join('\n');
    check(
      inSentences({ file: 'docs/monitoring.md', text: remedies }).map((quote) => ({
        ...quote,
        isWhole: true,
      })),
      3,
    );
  });

  it('exist with their flags in help texts, errors and advice', () => {
    check(sources().flatMap(inLiterals), 100);
  });

  it('are reported when they are wrong', () => {
    const wrong = (text: string) => problemsOf({ file: '', text, isWhole: true });
    expect(wrong('sessions lst')).to.deep.equal(['there is no command sessions lst']);
    expect(wrong('sessions list --nosuch')).to.deep.equal(['sessions:list has no flag --nosuch']);
    expect(wrong('failed list --receiver 2')).to.deep.equal(['failed:list --receiver needs --session']);
    expect(wrong('store prune')).to.deep.equal(['store:prune needs --older-than']);
    expect(wrong('pair')).to.deep.equal(['pair needs 1 arguments']);
    expect(wrong('failed resend --all')).to.deep.equal([]);
  });
});

/** A list of the commands of some topics, printed between two comments. */
const LIST = /(<!-- commands: ([a-z ]+) -->\n)[\s\S]*?(<!-- end of commands -->)/g;

/** A command, or all commands of a topic. */
function commandsOf(topic: string, commands: Record<string, Command>): string[] {
  return Object.keys(commands)
    .filter((id) => (id === topic || id.startsWith(`${topic}:`)) && !commands[id]?.hidden)
    .sort();
}

/** `SWITCHBOARD_UPDATE_DOCS=1 npx mocha test/docs/commands.test.ts` writes it into the page. */
function tableOf(ids: readonly string[], commands: Record<string, Command>): string {
  const rows = ids.flatMap((id) => {
    const command = commands[id];
    return command ? [`| \`switchboard ${usageOf(id, command)}\` | ${command.summary} |\n`] : [];
  });
  return ['| command | does |\n|---|---|\n', ...rows].join('');
}

function usageOf(id: string, { usage, args, flags, strict }: Command): string {
  if (usage) return usage.replace(' [FLAGS]', '').replaceAll('|', '\\|');
  const words = Object.values(args).map(({ name, required }) =>
    required ? name.toUpperCase() : `[${name.toUpperCase()}]`,
  );
  const needed = Object.entries(flags).flatMap(([name, { required, type }]) =>
    required ? [type === 'option' ? `--${name} VALUE` : `--${name}`] : [],
  );
  const more = strict === false && words.length > 0 ? '…' : '';
  return [id.replaceAll(':', ' '), ...words].join(' ') + more + needed.map((flag) => ` ${flag}`).join('');
}

/** Flags and number of arguments among words. */
function givenIn(words: readonly string[], { flags }: Command) {
  const given = { flags: new Set<string>(), args: 0, unknown: [] as string[] };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') return { ...given, args: given.args + words.length - at - 1 };
    if (!/^--?[a-z]/i.test(word)) {
      given.args += 1;
      continue;
    }
    const [typed = '', value] = word.split('=');
    const name = nameOf(typed, flags);
    if (name === undefined) given.unknown.push(typed);
    else given.flags.add(name);
    if (name !== undefined && flags[name]?.type === 'option' && value === undefined) at += 1;
  }
  return given;
}

function nameOf(typed: string, flags: Record<string, Flag>): string | undefined {
  const plain = typed.replace(/^--?/, '');
  if (['help', 'json', 'h'].includes(plain)) return plain;
  if (!typed.startsWith('--')) return Object.keys(flags).find((name) => flags[name]?.char === plain);
  if (flags[plain]) return plain;
  const positive = plain.replace(/^no-/, '');
  return flags[positive]?.allowNo ? positive : undefined;
}

/** The words of a sentence that belong to the command at its start. */
function knownStart(text: string, commands: Record<string, Command>): string {
  const words = text.trim().split(' ');
  const length = commands[`${words[0]}:${words[1]}`] ? 2 : 1;
  const flags = words.slice(length).filter((word) => word.startsWith('--'));
  return [...words.slice(0, length), ...flags].join(' ');
}

interface Document {
  file: string;
  text: string;
}

function filesBelow(folder: string, end: RegExp): Document[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => end.test(name))
    .map((name) => ({ file: join(folder, name), text: readFileSync(join(ROOT, folder, name), 'utf8') }));
}

/** Decisions and releases tell what was, so only the docs of today count. */
function documents(): Document[] {
  const docs = filesBelow('docs', /\.md$/).filter(
    ({ file }) => !/^docs\/(?:decisions|releases)\//.test(file),
  );
  const roots = ['README.md', 'SECURITY.md'].map((file) => ({
    file,
    text: readFileSync(join(ROOT, file), 'utf8'),
  }));
  return [...docs, ...roots];
}

function sources(): Document[] {
  const folders = [
    'src/terminal/cli',
    'src/terminal/tui',
    'src/local',
    'src/gateway/services',
    'src/gateway/store',
    'src/gateway/config',
    'src/gateway/daemon',
    'commands',
  ];
  // it speaks of the script of a shell, whose name is that of the program
  return folders.flatMap((folder) => filesBelow(folder, /(?<!completion)\.tsx?$/));
}

const BLOCK = /^( *)```.*\n([\s\S]*?)^\1```$/gm;

function inBlocks({ file, text }: Document): Quote[] {
  return [...text.matchAll(BLOCK)].flatMap(([, , code = '']) =>
    code
      .replace(/\\\n\s*/g, ' ')
      .split('\n')
      .flatMap((line) => {
        const [, command] =
          /(?:^|[|;(`]|&&|\$ |=\S* |then |do |exec |sudo |npx )\s*switchboard (.*)$/.exec(line) ?? [];
        return command === undefined || line.trimStart().startsWith('#')
          ? []
          : [
              {
                file,
                text: command
                  .replaceAll(/\$\([^)]*\)/g, PLACEHOLDER)
                  .replace(END, '')
                  .trim(),
                isWhole: !/…|\.\.\./.test(command),
              },
            ];
      }),
  );
}

function inSentences({ file, text }: Document): Quote[] {
  return [...text.replace(BLOCK, '').matchAll(/`switchboard ([^`]+)`/g)].map(([, command = '']) => ({
    file,
    text: command
      .replaceAll(/\s+/g, ' ')
      .replace(/[…[\]]|\.\.\./g, '')
      .replace(/\|\S+/g, '')
      .replace(END, '')
      .trim(),
    isWhole: false,
  }));
}

/** Literals with a command in them; values that are filled in become one word. */
function inLiterals({ file, text }: Document): Quote[] {
  const code = text.replace(/^\s*(?:\*|\/\/|\/\*\*).*$/gm, '').replace(/\\\n/g, '');
  return [
    ...code.matchAll(/switchboard ([a-z-]+(?: [a-z-]+)?)((?: (?:--[a-z-]+|[A-Z]+|\$\{[^}]+\}))*)/g),
  ].flatMap(([, words = '', rest = '']) => {
    const [first = '', second = ''] = words.split(' ');
    const flags = rest.replaceAll(/\$\{[^}]+\}/g, PLACEHOLDER);
    return [{ file, text: `${first} ${second} ${flags}`.trim(), isWhole: false }];
  });
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
