import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Command, Config, type Interfaces } from '@oclif/core';
import { captureOutput } from '@oclif/test';
import { expect } from 'chai';
import Completion from '../../commands/completion.js';
import { EXIT_CODES } from '../../src/terminal/cli/errors.js';
import Help from '../../src/terminal/cli/help.js';
import { compiledCommand } from '../support/compiled.js';
import { runCommand } from '../support/run-command.js';
import { runCli } from '../support/spawn-cli.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { FakeDaemon } from '../terminal/cli/support/fake-daemon.js';

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

  it('lists the commands of the main job', () => {
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
      // below the examples, which stay on one line each
      const [title = '', text = ''] = stdout.split('\nUSAGE\n');
      for (const line of text.split('\n')) expect(line.length, line).to.be.at.most(COLUMNS);
      expect(title.indexOf('EXAMPLES'), words).to.be.greaterThan(0);
      expect(stdout.split(command.summary ?? '').length, `${words} repeats its title`).to.equal(2);
      expect(text, words).to.not.match(/\[default: \]|\.\.\. |<value>|\[\]/);
    }
  });

  it('marks an argument that may be repeated', async () => {
    for (const [words, usage] of [
      [['statuses', 'set-privacy'], 'CLIENTID MODE [PEOPLE]… [FLAGS]'],
      [['groups', 'members'], 'MEMBER… [FLAGS]'],
    ] as const) {
      const { stdout } = await captureOutput(() => new Help(config).showHelp([...words]));
      expect(stdout).to.contain(usage);
    }
  });

  it('describes each command in one line, and in more detail below', () => {
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
        const flags = withoutQuotes(typed.split(/\|| -- /)[0] ?? '').match(/(?<=\s)--?[a-z][\w-]*/g) ?? [];
        for (const flag of flags) expect(known, example).to.include(flag);
      }
    }
  });

  it('lists every topic and every command by default', async () => {
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

  it('matches the documentation: docs/cli.md has every exit code', () => {
    const page = readFileSync(`${ROOT}/docs/cli.md`, 'utf8');
    for (const code of Object.values(EXIT_CODES)) expect(page).to.contain(`| ${code} |`);
  });
});

describe('the command line, for a request for help or a misspelled command', () => {
  const asks: [string[], RegExp][] = [
    [['help'], /^A self-hosted(.*\n)*.*EXAMPLES(.*\n)*.*TOPICS(.*\n)*.*COMMANDS/],
    [['-h'], /^A self-hosted(.*\n)*.*COMMANDS/],
    [['help', 'send', 'text'], /^Send a text message\n(.*\n)*.*send text CLIENTID TO BODY \[FLAGS\]/],
    [['send', 'text', '-h'], /^Send a text message\n/],
    [['help', 'sessions'], /^Manage linked numbers\n/],
    [['version'], /^switchboard-gateway\/\d+\.\d+\.\d+ /],
  ];
  for (const [argv, expected] of asks) {
    it(`answers switchboard ${argv.join(' ')}`, async () => {
      const { stdout, stderr, exitCode } = await runCli(argv);
      expect(stdout).to.match(expected);
      expect({ stderr, exitCode }).to.deep.equal({ stderr: '', exitCode: 0 });
    });
  }

  const mistakes: [string[], string, string][] = [
    [['sesions', 'list'], 'there is no command sesions', 'switchboard sessions list'],
    [['send', 'txt', 'acme', '+15550000002', 'Hi'], 'there is no command send txt', 'switchboard send text'],
    [['help', 'flet'], 'there is no command flet', 'switchboard fleet'],
    [['snd', '--help'], 'there is no command snd', 'switchboard send'],
    [['start', '--netwrk', 'sandbox'], 'there is no flag --netwrk', '--network'],
    [['tail', '--sesion=secret'], 'there is no flag --sesion', '--session'],
    [['tail', 'acme'], 'switchboard tail takes no argument "acme"', 'switchboard tail --session acme'],
  ];
  for (const [argv, message, meant] of mistakes) {
    it(`suggests ${meant} in place of switchboard ${argv.join(' ')}`, async () => {
      const { stdout, stderr, exitCode } = await runCli(argv);
      expect(stderr).to.contain(`error: ${message}\n`).and.contain(`did you mean: ${meant}\n`);
      expect({ stdout, exitCode }).to.deep.equal({ stdout: '', exitCode: 2 });
    });
  }

  const refused: [string[], string][] = [
    [['sessions', 'list', 'foo'], 'switchboard sessions list takes no argument "foo"'],
    [
      ['store', 'prune', '--older-than', '3'],
      '--older-than: 3 is not an age such as 90d (units: h, d, w, y)',
    ],
    [['sessions', 'list', '--url', 'ftp://x'], '--url: ftp://x is not an absolute http:// or https:// URL'],
    [['pair', 'acme', '--timeout', 'abc'], '--timeout: Expected an integer but received: abc'],
    [['sessions', 'list', '--nosuch'], 'there is no flag --nosuch'],
    [['pair'], 'missing:'],
  ];
  for (const [argv, message] of refused) {
    it(`explains what is wrong with switchboard ${argv.join(' ')}, without an empty suggestion`, async () => {
      const { stderr, exitCode } = await runCli(argv);
      expect(stderr)
        .to.contain(`error: ${message}\n`)
        .and.not.match(/did you mean|^ *→.*: *$|Parsing|See more/m);
      expect(exitCode).to.equal(2);
    });
  }

  it('reports an unknown command as JSON with --json', async () => {
    const { stdout, exitCode } = await runCli(['sesions', 'list', '--json']);
    expect(exitCode).to.equal(2);
    expect(JSON.parse(stdout)).to.include({ code: 'usage', exitCode: 2 });
    expect(JSON.parse(stdout).suggestions[0]).to.equal('did you mean: switchboard sessions list');
  });

  it('says what is missing, and that a text with spaces needs quotes', async () => {
    const missing = await runCli(['send', 'text']);
    expect(missing.stderr).to.contain('missing:').and.not.contain('--mention');
    const loose = await runCli(['send', 'text', 'acme', '+15550000002', 'hello', 'world']);
    expect(loose.stderr).to.contain('unexpected argument: world').and.contain('in quotes');
    expect([missing.exitCode, loose.exitCode]).to.deep.equal([2, 2]);
  });
});

/** A value may look like a flag. */
function withoutQuotes(text: string): string {
  return text.replace(/"[^"]*"|'[^']*'/g, '""');
}

const run = promisify(execFile);

/** Completes like bash at Tab; prints the completions, one per line. */
const BASH = `
source <(switchboard completion bash)
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_switchboard
printf '%s\\n' "\${COMPREPLY[@]}"
`;

describe('switchboard completion', function () {
  this.timeout(120_000);
  let daemon: FakeDaemon;
  let folder: TempDir;

  before(async () => {
    daemon = await FakeDaemon.start();
    daemon.on('GET /clients', { clients: [{ clientId: 'acme' }, { clientId: 'beta' }] });
    const names = ['Bob Müller', 'Eve (work)', 'Eve "x"', "Eve's", 'Eve $(id)', 'Eve `id`', 'Eve \\'];
    daemon.on('GET /chatrooms', {
      chatRooms: names.map((name, at) => ({ name, remoteJid: `9000000000000${at}@lid` })),
    });
    daemon.on('POST /get-groups', {
      groups: ['Weekend plans', '--url=http://127.0.0.1:9', '+15550000009'].map((name, at) => ({
        name,
        jid: `12036304000000000${at}@g.us`,
      })),
    });
    folder = await makeTempDir();
    const program = join(folder.path, 'switchboard');
    await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${compiledCommand()}' "$@"\n`);
    await chmod(program, 0o700);
  });
  after(async () => {
    await daemon.stop();
    await folder.remove();
  });

  async function completed(...words: string[]): Promise<string[]> {
    const env = {
      PATH: `${folder.path}:${process.env.PATH}`,
      SWITCHBOARD_URL: daemon.url,
      SWITCHBOARD_TOKEN: 't',
    };
    const { stdout } = await run('bash', ['--norc', '-c', BASH, 'bash', 'switchboard', ...words], { env });
    return stdout.trim().split('\n');
  }

  it('completes topics in a real bash', async () => {
    expect(await completed('se')).to.deep.equal(['send', 'service', 'sessions']);
  });

  it('completes sessions in a real bash', async () => {
    expect(await completed('sessions', 'show', 'b')).to.deep.equal(['beta']);
  });

  it('completes the names of chats in a real bash, with their spaces escaped', async () => {
    expect(await completed('send', 'text', 'acme', 'we')).to.deep.equal(['Weekend\\ plans']);
    expect(await completed('send', 'text', 'acme', '"we')).to.deep.equal(['Weekend plans']);
    expect(await completed('messages', 'list', 'acme', '"we')).to.deep.equal(['Weekend plans']);
    expect(await completed('contacts', 'show', 'acme', 'Bob\\ M')).to.deep.equal(['Bob\\ Müller']);
  });

  it('completes no name that a real bash would run, or read as the end of the quotes', async () => {
    for (const quote of ['"', "'"]) {
      expect(await completed('send', 'text', 'acme', `${quote}ev`)).to.deep.equal(['Eve (work)']);
    }
    expect(await completed('send', 'text', 'acme', 'ev')).to.have.members([
      'Eve\\ \\(work\\)',
      'Eve\\ \\"x\\"',
      "Eve\\'s",
      'Eve\\ \\$\\(id\\)',
      'Eve\\ \\`id\\`',
      'Eve\\ \\\\',
    ]);
  });

  it('completes no name that a command would read as a flag or an address', async () => {
    expect(await completed('groups', 'show', 'acme', '')).to.deep.equal(['Weekend\\ plans']);
  });

  it('completes the values of a flag in a real bash', async () => {
    expect(await completed('sessions', 'webhook', 'acme', '--extra-event', '=', 'm')).to.deep.equal([
      'message_status',
      'message_unreadable',
    ]);
  });

  for (const [shell, sign] of [
    ['bash', 'complete -F _switchboard switchboard'],
    ['zsh', '#compdef switchboard'],
    ['fish', 'complete -c switchboard'],
  ] as const) {
    it(`prints a script for ${shell}`, async () => {
      const { stdout, exitCode } = await runCommand(Completion, [shell]);
      expect(exitCode).to.equal(0);
      expect(stdout)
        .to.contain(sign)
        .and.match(/switchboard complete (--escape )?-- /)
        .and.not.match(/@\w+@/);
    });
  }

  it('refuses an unknown shell', async () => {
    expect((await runCommand(Completion, ['powershell'])).exitCode).to.equal(2);
  });
});
