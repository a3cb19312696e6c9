import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { CONTRACT } from '../../src/contract/index.js';
import { compiledProject } from '../support/compiled.js';
import { type CliEnd, CliProcess } from '../support/spawn-cli.js';
import { ALICE, BOB, CAROL } from '../support/world.js';
import { DAVE, type Scene, setScene } from './support/scene.js';

/** By which command each route is used that no command of one call has; `api` reaches all of them. */
const COMMAND_OF: Readonly<Record<string, string>> = {
  'POST /start': 'sessions start',
  'GET /qr': 'pair',
  'POST /pair-phone': 'pair',
  'GET /passkey': 'pair',
  'POST /passkey': 'pair',
  'POST /passkey/confirm': 'pair',
  'POST /pair-link': 'pair',
  'POST /adopt': 'adopt baileys',
  'POST /give-back': 'adopt baileys',
  'POST /export': 'sessions export',
  'POST /export-keys': 'sessions export',
  'GET /unfinished': 'sessions export',
  'POST /check-state': 'sessions state',
  'GET /clients': 'sessions list',
  'POST /check-owner-lid': 'contacts lid',
  'POST /set-webhook': 'sessions webhook',
  'POST /set-org-id': 'sessions org',
  'POST /set-api-secret': 'sessions secret',
  'POST /set-proxy': 'sessions proxy',
  'POST /pause-webhook': 'sessions webhook',
  'POST /set-retention': 'sessions retention',
  'POST /send-media-message': 'send media',
  'POST /send-interactive-message': 'send buttons',
  'POST /send-list-message': 'send list',
  'POST /send-location': 'send location',
  'POST /send-contact': 'send contact',
  'GET /policy': 'policy explain',
  'GET /policy/sends': 'policy plan',
  'POST /set-profile': 'profile set',
  'POST /set-profile-picture': 'profile picture',
  'POST /post-status': 'statuses post',
  'POST /get-group-participants': 'groups show',
  'POST /update-group': 'groups set',
  'POST /set-group-picture': 'groups picture',
  'POST /post-channel': 'channels post',
  'GET /chatrooms': 'rooms list',
  'GET /chatrooms/{chatRoomId}/messages': 'messages list',
  'GET /chatrooms/{chatRoomId}/messages/{messageId}/media-url': 'messages link',
  'POST /chatrooms/{chatRoomId}/read': 'rooms read',
  'POST /request-history': 'chats request-history',
  'GET /media-files': 'media list',
  'POST /listen-webhook': 'listen',
  'POST /unlisten-webhook': 'listen',
  'POST /receivers': 'receivers add',
  'GET /kept-events': 'replay',
  'POST /replay': 'replay',
  'POST /send-test-event': 'trigger',
  'GET /message-trace': 'why',
  'GET /failed-deliveries': 'failed list',
  'GET /failed-deliveries/{id}': 'failed show',
  'POST /failed-deliveries/{id}/resend': 'failed resend',
  'GET /events': 'tail',
  'GET /fleet': 'fleet',
  'GET /backup': 'store backup',
  'GET /nodes': 'nodes list',
  'POST /nodes/drain': 'nodes drain',
  'GET /health/live': 'doctor',
  'GET /health/ready': 'doctor',
  'GET /health/clients': 'sessions show',
  'GET /config': 'doctor',
};

function manifest(): { commands: Record<string, { operation?: string }> } {
  return JSON.parse(readFileSync(join(compiledProject(), 'oclif.manifest.json'), 'utf8'));
}

/** The commands that make one call, with their routes. */
function commandsOfOneCall(): { command: string; route: string }[] {
  return Object.entries(manifest().commands).flatMap(([id, { operation }]) => {
    const found = CONTRACT.flatMap(({ operations }) => Object.entries(operations)).find(
      ([name]) => name === operation,
    );
    if (!found) return [];
    const [, { method, path }] = found;
    return [{ command: id.replaceAll(':', ' '), route: `${method} ${path}` }];
  });
}

/** Routes for other programs and for pages: links, scrapers, browsers and the pairing page. */
const NOT_FOR_PEOPLE = [
  / \/pair\//,
  /^GET \/pair-page\//,
  /^GET \/media\//,
  /^GET \/metrics$/,
  /^GET \/openapi\.json$/,
  /^GET \/docs/,
];

/** A run of a command. */
interface Row {
  command: string;
  /** Arguments and flags after the command. */
  argv?(scene: Scene): readonly string[];
  stdin?: string;
  /** Part of its output, on either stream. */
  prints: RegExp;
  /** Text after which the process gets SIGINT, as by Ctrl+C. */
  until?: string;
  /** Expected exit code; 0 by default. */
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
  { command: 'sessions proxy', argv: () => ['acme', '--remove'], prints: /acme connects directly/ },
  { command: 'sessions group-events', argv: () => ['acme', 'on'], prints: /group events of acme are on/ },
  { command: 'sessions retention', argv: () => ['acme', '90'], prints: /of acme are kept 90 days/ },
  { command: 'sessions reject-calls', argv: () => ['acme', 'on'], prints: /calls to acme are declined/ },
  { command: 'fleet', prints: /^SESSION.*\n(.*\n)*.*acme/m },
  { command: 'status', prints: /^state +ready\n(.*\n)*sessions +\d+ sessions/m },
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
  {
    command: 'send location',
    argv: () => [...PEOPLE, '52.5,13.4'],
    prints: /^sent \w+\n$/,
  },
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
  { command: 'send list', argv: () => [...PEOPLE, 'Which?', '--row', 'a=A'], prints: /^sent \w+\n$/ },
  { command: 'messages star', argv: ({ theirs }) => [...PEOPLE, theirs], prints: /^starred \w+\n$/ },
  { command: 'messages unstar', argv: ({ theirs }) => [...PEOPLE, theirs], prints: /^removed the star of / },
  { command: 'messages pin', argv: ({ theirs }) => [...PEOPLE, theirs], prints: /^sent \w+\n$/ },
  { command: 'messages unpin', argv: ({ theirs }) => [...PEOPLE, theirs], prints: /^sent \w+\n$/ },
  {
    command: 'messages forward',
    argv: ({ theirs, group }) => [...PEOPLE, theirs, group],
    prints: /^sent \w+\n$/,
  },
  { command: 'send reaction', argv: ({ theirs }) => [...PEOPLE, theirs, '👍'], prints: /^sent \w+\n$/ },
  { command: 'send edit', argv: ({ own }) => [...PEOPLE, own[0], 'better'], prints: /^sent \w+\n$/ },
  { command: 'send delete', argv: ({ own }) => [...PEOPLE, own[1]], prints: /^deleted \w+\n$/ },
  { command: 'send typing', argv: () => PEOPLE, prints: /^typing to / },
  {
    command: 'chats read',
    argv: ({ theirs }) => [...PEOPLE, theirs],
    prints: /sent read receipts to \+\d+ for 1 message/,
  },
  { command: 'chats unread', argv: () => PEOPLE, prints: /is unread on the phone/ },
  { command: 'chats presence', argv: () => PEOPLE, prints: /^subscribed to / },
  { command: 'chats archive', argv: () => PEOPLE, prints: /^archived the chat with / },
  { command: 'chats unarchive', argv: () => PEOPLE, prints: /^unarchived the chat with /m },
  { command: 'chats mute', argv: () => [...PEOPLE, '--for', '8h'], prints: /^muted .* for 8h$/m },
  { command: 'chats unmute', argv: () => PEOPLE, prints: /^unmuted the chat with /m },
  { command: 'chats pin', argv: () => PEOPLE, prints: /^pinned the chat with / },
  { command: 'chats unpin', argv: () => PEOPLE, prints: /^unpinned the chat with /m },
  { command: 'chats disappearing', argv: () => [...PEOPLE, 'off'], prints: /messages stay$/m },
  {
    command: 'chats request-history',
    argv: () => [...PEOPLE, '--count', '5'],
    prints: /^stored \d+ older messages? of the chat with Bob; the phone holds /,
  },
  { command: 'contacts blocked', argv: () => ['acme'], prints: /nobody is blocked|PHONE/ },
  { command: 'contacts block', argv: () => ['acme', DAVE], prints: /^blocked \+/ },
  { command: 'contacts unblock', argv: () => ['acme', DAVE], prints: /^unblocked \+/ },
  { command: 'sessions restrictions', argv: () => ['acme'], prints: /^restricted +no/m },
  { command: 'outbox list', argv: () => ['acme'], prints: /no message waits/ },
  {
    command: 'outbox cancel',
    argv: () => ['acme', 'NOT-HELD'],
    prints: /no message NOT-HELD waits/,
    exitCode: 5,
  },
  { command: 'policy report', prints: /no session has a policy/ },
  { command: 'policy explain', argv: () => PEOPLE, prints: /the session has no policy/ },
  { command: 'policy test', argv: () => ['gentle'], prints: /^gentle is valid/ },
  {
    command: 'policy plan',
    argv: () => ['gentle', '--session', 'acme'],
    prints: /^policy +gentle(.*\n)+last one leaves +\S+/m,
  },
  { command: 'statuses post', argv: () => ['acme', 'Closed on Monday'], prints: /^sent \w+ to 1 contact\n$/ },
  { command: 'statuses delete', argv: ({ status }) => ['acme', status, '--yes'], prints: /^deleted 3EB0/ },
  { command: 'statuses privacy', argv: () => ['acme'], prints: /^all contacts see the statuses/ },
  {
    command: 'statuses set-privacy',
    argv: () => ['acme', 'contacts'],
    prints: /^set the audience of acme: contacts/,
  },
  { command: 'profile show', argv: () => ['acme'], prints: /^phone +\+1555/m },
  { command: 'profile set', argv: () => ['acme', '--about', 'Open'], prints: /^changed the profile of acme/ },
  { command: 'profile picture', argv: () => ['acme', '--remove'], prints: /^removed the picture of acme/ },
  { command: 'contacts show', argv: () => PEOPLE, prints: /^name +\S.*\nnumber +\S+\njid +\S+/m },
  { command: 'contacts picture', argv: () => PEOPLE, prints: /picture/ },
  { command: 'contacts lid', argv: () => PEOPLE, prints: /^lid +\d+/m },
  { command: 'contacts refresh-avatars', argv: () => ['acme'], prints: /^\d+ rooms: / },
  { command: 'groups list', argv: () => ['acme'], prints: /^Team +\d+@g\.us +2/m },
  { command: 'groups show', argv: () => ['acme', 'Team'], prints: /group +Team(.*\n)+.* owner/ },
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
    command: 'groups set',
    argv: ({ group }) => ['acme', group, '--description', 'Us', '--no-locked'],
    prints: /^changed \d+@g\.us/,
  },
  {
    command: 'groups picture',
    argv: ({ group }) => ['acme', group, '--remove'],
    prints: /^removed the picture of \d+@g\.us/,
  },
  { command: 'groups requests', argv: ({ group }) => ['acme', group], prints: /nobody asks to join/ },
  {
    command: 'groups answer',
    argv: ({ group }) => ['acme', group, 'approve', BOB.number],
    prints: /is so already$/m,
    exitCode: 7,
  },
  { command: 'groups preview', argv: ({ invite }) => ['acme', invite], prints: /^group +Open$/m },
  { command: 'groups join', argv: ({ invite }) => ['acme', invite], prints: /^joined \d+@g\.us/ },
  {
    command: 'groups leave',
    argv: ({ groupToLeave }) => ['acme', groupToLeave, '--yes'],
    prints: /^acme has left /,
  },
  { command: 'channels list', argv: () => ['acme'], prints: /^Own news +\d+@newsletter +owner/m },
  { command: 'channels posts', argv: ({ channelLink }) => ['acme', channelLink], prints: /The first post/ },
  { command: 'channels show', argv: ({ channel }) => ['acme', channel], prints: /^role +owner/m },
  {
    command: 'channels follow',
    argv: ({ otherChannel }) => ['acme', otherChannel],
    prints: /^acme follows \d+@newsletter/,
  },
  {
    command: 'channels unfollow',
    argv: ({ otherChannel }) => ['acme', otherChannel],
    prints: /^acme no longer follows \d+@newsletter/,
  },
  {
    command: 'channels post',
    argv: ({ channel }) => ['acme', channel, 'Hello all'],
    prints: /^sent \S+/,
  },
  {
    command: 'channels delete',
    argv: ({ channel, post }) => ['acme', channel, post, '--yes'],
    prints: /^deleted \S+/,
  },
  { command: 'failed list', argv: () => ['--session', 'acme'], prints: /text/ },
  { command: 'failed show', argv: ({ failed }) => [failed[0]], prints: /410/ },
  { command: 'failed resend', argv: ({ failed }) => [failed[1]], prints: /1\/1/ },
  { command: 'trigger', argv: () => ['text', '--session', 'acme'], prints: /delivered text/ },
  { command: 'tail', prints: /watching http/, until: 'watching', exitCode: 130 },
  { command: 'listen', argv: () => ['--session', 'acme'], prints: /acme/, until: 'acme' },
  { command: 'api', argv: () => ['/config'], prints: /"POST \/send-message"/ },
  { command: 'doctor', argv: () => ['--no-send', '--session', 'acme'], prints: /✓ node/ },
  { command: 'help', argv: () => ['sessions', 'show'], prints: /^Show the state of a session/ },
  { command: 'version', prints: /^switchboard-gateway\// },
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
  {
    command: 'sandbox stanza',
    argv: () => [ALICE.number, '1', '{"tag": "ib"}'],
    prints: /sent <ib>/,
  },
  {
    command: 'sandbox ring',
    argv: () => [BOB.number, CAROL.number, '--end', 'timeout'],
    prints: /^timeout \w+\n$/,
  },
  { command: 'sandbox clock', prints: /^\d{4}-\d\d-\d\dT\S+Z\n$/ },
  { command: 'sandbox messages', argv: () => [BOB.number], prints: /Hello, Alice/ },
  { command: 'store check', argv: ({ store }) => store, prints: /no problems found/ },
  {
    command: 'store backup',
    argv: ({ store, freshFolder }) => [`${freshFolder}.backup`, ...store],
    prints: /\d+ sessions?, \d+ messages? and \d+ files? are in /,
  },
  {
    command: 'store restore',
    argv: ({ store, freshFolder }) => [`${freshFolder}.backup`, '--dry-run', ...store],
    prints: /^backup of .*\n(.*\n)*acme /,
  },
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
  replay: 'test/api/replay.test.ts',
  'receivers list': 'test/api/receivers.test.ts',
  'receivers add': 'test/api/receivers.test.ts',
  'receivers set': 'test/api/receivers.test.ts',
  'receivers remove': 'test/api/receivers.test.ts',
  'receivers pause': 'test/api/receivers.test.ts',
  'receivers resume': 'test/api/receivers.test.ts',
  'receivers test': 'test/api/receivers.test.ts',
  start: 'test/commands/process.long.test.ts',
  demo: 'test/terminal/commands.long.test.ts',
  drill: 'test/durability/drill.long.test.ts',
  pair: 'test/terminal/commands.long.test.ts',
  'sandbox start': 'test/commands/process.long.test.ts',
  'service install': 'test/deploy/systemd.test.ts',
  'service status': 'test/deploy/systemd.test.ts',
  'service logs': 'test/deploy/systemd.test.ts',
  'service uninstall': 'test/deploy/systemd.test.ts',
  verify: 'test/terminal/cli/verify.test.ts',
  'adopt baileys': 'test/api/adopt.test.ts',
  'adopt json': 'test/api/adopt.test.ts',
  why: 'test/api/message-traces.test.ts',
  'sessions export': 'test/api/moved-sessions.long.test.ts',
  'sessions import': 'test/api/moved-sessions.long.test.ts',
  'adopt waha': 'test/terminal/cli/adopt.test.ts',
  'adopt fazer': 'test/api/adopt-stores.long.test.ts',
  'adopt evolution': 'test/api/adopt-stores.long.test.ts',
  'context add': 'test/commands/context.test.ts',
  'context use': 'test/commands/context.test.ts',
  'context list': 'test/commands/context.test.ts',
  'context remove': 'test/commands/context.test.ts',
};

describe('the command line, as a process', function () {
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
    it(`runs switchboard ${row.command}${row.stdin ? ', with standard input' : ''}`, () => {
      const { exitCode, stdout, stderr } = ends.get(row) ?? {};
      expect(`${stdout}${stderr}`).to.match(row.prints);
      expect(exitCode, stderr).to.equal(row.exitCode ?? 0);
    });
  }

  it('covers every route of the API with a command', () => {
    const api = ROWS.find(({ command }) => command === 'api');
    const { routes }: { routes: string[] } = JSON.parse((api && ends.get(api)?.stdout) ?? '{}');
    const forPeople = routes.filter((route) => !NOT_FOR_PEOPLE.some((other) => other.test(route)));
    const ofOneCall = commandsOfOneCall().map(({ route }) => route);
    expect([...new Set([...Object.keys(COMMAND_OF), ...ofOneCall])]).to.have.members(forPeople);
    expect(Object.keys(COMMAND_OF), 'routes that a command of one call has').not.to.include.oneOf(ofOneCall);
    expect(ROWS.map(({ command }) => command).concat(Object.keys(ELSEWHERE))).to.include.members(
      Object.values(COMMAND_OF),
    );
  });

  it('has a test of every command, here or in a named file', () => {
    const commands = Object.keys(manifest().commands).map((id) => id.replaceAll(':', ' '));
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
