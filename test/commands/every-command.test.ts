import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { compiledProject } from '../support/compiled.js';
import { ALICE, BOB, CAROL } from '../support/pairing.js';
import { type CliEnd, CliProcess } from '../support/spawn-cli.js';
import { COMMAND_OF, NOT_FOR_PEOPLE } from './support/commands-of-routes.js';
import { DAVE, type Scene, setScene } from './support/scene.js';

/** A run of a command. */
interface Row {
  command: string;
  /** What follows the command's words. */
  argv?(scene: Scene): readonly string[];
  stdin?: string;
  /** Part of what it prints, on either stream. */
  prints: RegExp;
  /** When this was printed it is told to end, as by Ctrl+C. */
  until?: string;
  /** 0 unless told. */
  exitCode?: number;
}

const PEOPLE = ['acme', BOB.number] as const;

/** In this order, two at a time; those of a store at the end. */
const ROWS: readonly Row[] = [
  { command: 'sandbox scan', argv: () => [DAVE, '--session', 'waiting'], prints: /waiting|linked|scanned/ },
  { command: 'sessions reconnect', argv: () => ['spare'], prints: /spare connects again/ },
  { command: 'sessions list', prints: /^acme +connected /m },
  { command: 'sessions show', argv: () => ['acme'], prints: /workspace +workspace1/ },
  { command: 'sessions state', argv: () => ['acme'], prints: /connected as / },
  { command: 'sessions start', argv: () => ['fresh'], prints: /fresh is / },
  {
    command: 'sessions webhook',
    argv: () => ['waiting', 'https://example.com/hook'],
    prints: /events of waiting go to https/,
  },
  { command: 'sessions secret', argv: () => ['waiting'], prints: /^[\w-]{43}\n$/ },
  { command: 'sessions org', argv: () => ['waiting', 'w2'], prints: /waiting keeps its history in w2/ },
  { command: 'sessions group-events', argv: () => ['acme', 'on'], prints: /group events of acme are on/ },
  { command: 'fleet', prints: /^SESSION.*\n(.*\n)*.*acme/m },
  { command: 'nodes list', prints: /^node-1 +● answers +\d/m },
  {
    command: 'nodes drain',
    argv: () => ['node-1', '--undo'],
    // only nodes on one MongoDB can be several
    ...(process.env.SWITCHBOARD_TEST_MONGODB
      ? { prints: /node-1 takes sessions again/ }
      : { prints: /only one node.*MongoDB/, exitCode: 6 }),
  },
  {
    command: 'inbox',
    prints: /needs a terminal(.*\n)*.*switchboard rooms list/,
    exitCode: 2,
  },
  { command: 'rooms list', argv: () => ['acme'], prints: /^Bob .*lid/m },
  { command: 'rooms read', argv: () => ['acme', 'Bob'], prints: /^Bob has no unread messages/ },
  { command: 'messages list', argv: () => PEOPLE, prints: /^Bob .*\n {2}Hello, Alice\n/m },
  {
    command: 'messages link',
    argv: ({ picture }) => ['acme', 'Bob', picture],
    prints: /^http\S+\/media\/\S+\n$/,
  },
  { command: 'media list', argv: () => ['acme'], prints: /image +2\.0 kB/ },
  { command: 'media url', argv: ({ record }) => [record], prints: /^http\S+\/media\/\S+\n$/ },
  { command: 'send text', argv: () => [...PEOPLE, '-'], stdin: 'piped', prints: /^sent \w+\n$/ },
  { command: 'send media', argv: ({ file }) => [...PEOPLE, file], prints: /^sent \w+\n$/ },
  {
    command: 'send media',
    argv: () => [...PEOPLE, '-', '--file-name', 'piped.txt'],
    stdin: 'piped',
    prints: /^sent \w+\n$/,
  },
  {
    command: 'send poll',
    argv: () => [...PEOPLE, 'When?', '--option', 'now', '--option', 'later'],
    prints: /^sent/,
  },
  { command: 'send location', argv: () => [...PEOPLE, '52.5,13.4'], prints: /^sent \w+\n$/ },
  {
    command: 'send contact',
    argv: () => [...PEOPLE, 'Carol', '--phone', CAROL.number],
    prints: /^sent \w+\n$/,
  },
  {
    command: 'send buttons',
    argv: () => [...PEOPLE, 'Really?', '--reply', 'yes=Yes'],
    prints: /^sent \w+\n$/,
  },
  { command: 'send reaction', argv: ({ theirs }) => [...PEOPLE, theirs, '👍'], prints: /^sent \w+\n$/ },
  { command: 'send edit', argv: ({ own }) => [...PEOPLE, own[0], 'better'], prints: /^sent \w+\n$/ },
  { command: 'send delete', argv: ({ own }) => [...PEOPLE, own[1]], prints: /^deleted \w+\n$/ },
  { command: 'send typing', argv: () => PEOPLE, prints: /^typing to / },
  { command: 'chats read', argv: ({ theirs }) => [...PEOPLE, theirs], prints: /1 message was read/ },
  { command: 'chats unread', argv: () => PEOPLE, prints: /is unread on the phone/ },
  { command: 'contacts show', argv: () => PEOPLE, prints: /^jid +\S+/m },
  { command: 'contacts picture', argv: () => PEOPLE, prints: /picture/ },
  { command: 'contacts lid', argv: () => PEOPLE, prints: /^lid +\d+/m },
  { command: 'contacts refresh-avatars', argv: () => ['acme'], prints: /^\d+ rooms: / },
  { command: 'groups list', argv: () => ['acme'], prints: /^Team +\d+@g\.us +2/m },
  { command: 'groups show', argv: ({ group }) => ['acme', group], prints: /group +Team(.*\n)+.* owner/ },
  {
    command: 'groups create',
    argv: () => ['acme', 'New', '--member', BOB.number],
    prints: /^created \d+@g\.us/,
  },
  { command: 'groups invite', argv: ({ group }) => ['acme', group], prints: /^https:\S+\n$/ },
  {
    command: 'groups members',
    argv: ({ group }) => ['acme', group, 'add', CAROL.number],
    prints: /done\n$/,
  },
  {
    command: 'groups leave',
    argv: ({ groupToLeave }) => ['acme', groupToLeave, '--yes'],
    prints: /^acme has left /,
  },
  { command: 'failed list', argv: () => ['--session', 'acme'], prints: /text/ },
  { command: 'failed show', argv: ({ failed }) => [failed[0]], prints: /400/ },
  { command: 'failed resend', argv: ({ failed }) => [failed[1]], prints: /1\/1/ },
  { command: 'trigger', argv: () => ['text', '--session', 'acme'], prints: /delivered text/ },
  { command: 'tail', prints: /watching http/, until: 'watching' },
  { command: 'listen', argv: () => ['--session', 'acme'], prints: /acme/, until: 'acme' },
  { command: 'api', argv: () => ['GET', '/config'], prints: /"POST \/send-message"/ },
  { command: 'doctor', argv: () => ['--no-send', '--session', 'acme'], prints: /✓ node/ },
  { command: 'completion', argv: () => ['bash'], prints: /complete -F _switchboard switchboard/ },
  { command: 'complete', argv: () => ['--', 'sessions', 'show', 'sp'], prints: /^spare\n$/ },
  { command: 'sandbox phone', prints: /Dave/ },
  {
    command: 'sandbox say',
    argv: () => [BOB.number, ALICE.number, 'Hi'],
    prints: /^said \w+\n$/,
  },
  {
    command: 'sandbox write',
    argv: () => [BOB.number, ALICE.number, '{"text": "Hi"}'],
    prints: /^wrote \w+\n$/,
  },
  {
    command: 'sandbox send-media',
    argv: ({ file }) => [BOB.number, ALICE.number, file],
    prints: /^sent \w+\n$/,
  },
  { command: 'sandbox messages', argv: () => [BOB.number], prints: /Hello, Alice/ },
  { command: 'store check', argv: ({ store }) => store, prints: /everything belongs together/ },
  {
    command: 'store export',
    argv: ({ store, freshFolder }) => ['acme', '--to', freshFolder, ...store],
    prints: /0 messages/,
  },
  {
    command: 'store prune',
    argv: ({ store }) => ['--older-than', '90d', '--yes', ...store],
    prints: /^deleted /m,
  },
  { command: 'sessions disconnect', argv: () => ['spare', '--yes'], prints: /spare is disconnected/ },
  { command: 'store rotate-key', argv: ({ store }) => store, prints: /key/ },
];

/** Commands that other tests run as a process, to their end: in a real terminal, or for long. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  start: 'test/commands/start.test.ts',
  demo: 'test/terminal/demo.test.ts',
  pair: 'test/terminal/pair.test.ts',
  'sandbox start': 'test/commands/process.test.ts',
};

describe('every command, as a process', function () {
  this.timeout(480_000);
  const ends = new Map<Row, CliEnd>();
  let end: () => Promise<void> = async () => undefined;

  before(async () => {
    const stage = await setScene();
    end = stage.end;
    const work = async (rows: Row[]) => {
      for (let row = rows.shift(); row; row = rows.shift()) ends.set(row, await run(row, stage.scene));
    };
    const isOfStore = ({ command }: Row) => command.startsWith('store ');
    const others = ROWS.filter((row) => !isOfStore(row));
    await Promise.all([work(others), work(others)]);
    // a data directory is one process's at a time
    await work(ROWS.filter(isOfStore));
  });
  after(() => end());

  for (const row of ROWS) {
    it(`switchboard ${row.command}${row.stdin ? ', with standard input' : ''}`, () => {
      const { exitCode, stdout, stderr } = ends.get(row) ?? {};
      expect(`${stdout}${stderr}`).to.match(row.prints);
      expect(exitCode, stderr).to.equal(row.exitCode ?? 0);
    });
  }

  it('is there for every route of the API', () => {
    const api = ROWS.find(({ command }) => command === 'api');
    const { routes }: { routes: string[] } = JSON.parse((api && ends.get(api)?.stdout) ?? '{}');
    const forPeople = routes.filter((route) => !NOT_FOR_PEOPLE.some((other) => other.test(route)));
    expect(Object.keys(COMMAND_OF)).to.have.members(forPeople);
    expect(ROWS.map(({ command }) => command).concat(Object.keys(ELSEWHERE))).to.include.members(
      Object.values(COMMAND_OF),
    );
  });

  it('is there', () => {
    const manifest = JSON.parse(readFileSync(join(compiledProject(), 'oclif.manifest.json'), 'utf8'));
    const commands = Object.keys(manifest.commands).map((id) => id.replaceAll(':', ' '));
    const tested = [...ROWS.map(({ command }) => command), ...Object.keys(ELSEWHERE)];
    expect(tested).to.include.members(commands);
    expect(commands).to.include.members(tested);
  });
});

async function run({ command, argv, stdin, until }: Row, scene: Scene): Promise<CliEnd> {
  const process = new CliProcess([...command.split(' '), ...(argv?.(scene) ?? [])], {
    env: scene.env,
    stdin,
  });
  if (until) {
    await process.printed(until).catch(() => undefined);
    process.signal('SIGINT');
  }
  return process.end();
}
