import { expect } from 'chai';
import FailedList from '../../commands/failed/list.js';
import FailedResend from '../../commands/failed/resend.js';
import FailedShow from '../../commands/failed/show.js';
import Trigger from '../../commands/trigger.js';
import {
  type EventType,
  EXTRA_EVENT_TYPES,
  MESSAGE_EVENT_TYPES,
} from '../../src/contract/events/catalogue.js';
import { waitingLine } from '../../src/terminal/cli/failed.js';
import { FailedEvents, sampleOf } from '../support/failed-events.js';
import { answering } from '../support/receiver.js';
import { runCommand } from '../support/run-command.js';
import { startWorld, TOKEN, type World } from '../support/world.js';

describe('the commands about failed deliveries', () => {
  let world: World;

  const events = new FailedEvents();
  before(async () => {
    world = await startWorld({ overrides: events.overrides });
  });
  after(() => world.stop());

  const run = (command: Parameters<typeof runCommand>[0], ...argv: string[]) =>
    runCommand(command, argv, { SWITCHBOARD_URL: world.daemon.url, SWITCHBOARD_TOKEN: TOKEN });
  const ids = async (...argv: string[]): Promise<string[]> => {
    const { failedDeliveries } = JSON.parse((await run(FailedList, '--json', ...argv)).stdout);
    return failedDeliveries.map(({ id }: { id: string }) => id);
  };
  /** Events of these types that the receiver refused, in a session of its own; their ids, the oldest first. */
  const refused = async (clientId: string, ...types: EventType[]): Promise<string[]> => {
    world.receiver.respond(answering(410));
    const url = `${world.receiver.url}/hook?key=secret`;
    await world.api.post(`/start?clientId=${clientId}`, { webhookUrl: url });
    const failed: string[] = [];
    for (const type of types) failed.push(await events.add(clientId, type, { url }));
    return failed;
  };

  it('list failed deliveries, the newest first, a page at a time', async () => {
    const failed = await refused('list', 'text', 'image', 'text');
    const { stdout } = await run(FailedList, '--session', 'list');
    expect(stdout).to.match(/ID +FAILED AT +SESSION +TYPE +ATTEMPTS +REASON/);
    expect(stdout).to.match(new RegExp(`${failed[1]} .* list +image +1 +answered 410`));
    expect(await ids('--session', 'list')).to.deep.equal([...failed].reverse());
    const first = await run(FailedList, '--session', 'list', '--limit', '2');
    expect(first.stdout).to.contain(failed[2]).and.not.contain(failed[0]);
    const [, place = ''] = /--before (\S+)/.exec(first.stderr) ?? [];
    expect(await ids('--session', 'list', '--before', place)).to.deep.equal([failed[0]]);
  });

  it('report an empty list', async () => {
    await world.api.post('/start?clientId=well', {});
    const { stdout, stderr } = await run(FailedList, '--session', 'well');
    expect({ stdout, stderr }).to.deep.equal({ stdout: '', stderr: 'no failed deliveries\n' });
    expect((await run(FailedResend, '--all', '--session', 'well')).exitCode).to.equal(0);
  });

  it('say that there is no session with this name', async () => {
    for (const end of [
      await run(FailedList, '--session', 'nobody'),
      await run(FailedList, '--session', 'nobody', '--json'),
      await run(FailedResend, '--all', '--session', 'nobody'),
    ]) {
      expect(end.exitCode).to.equal(5);
      expect(end.stdout + end.stderr).to.contain('there is no session nobody');
    }
  });

  it('say that one event is waiting', () => {
    const since = new Date().toISOString();
    const one = waitingLine({ events: 1, bytes: 1, since, circuit: 'closed' });
    expect(one).to.match(/^1 event waits .*; it is delivered by itself once the receiver accepts it$/);
  });

  it('show a delivery with its event, without the key of a file and the secrets in the address', async () => {
    const [id = ''] = await refused('show', 'image');
    const { stdout } = await run(FailedShow, id);
    expect(stdout)
      .to.match(/^reason +answered 410$/m)
      .and.match(/^attempts +1$/m);
    expect(stdout)
      .to.match(/^ {2}"type": "image",$/m)
      .and.contain('"mediaKey": "(not shown)"');
    expect(stdout).not.to.contain('key=secret');
    const { event } = JSON.parse((await run(FailedShow, id, '--json')).stdout);
    expect(event.media.download.mediaKey).to.match(/^[A-Za-z0-9+/]{43}=$/);
    const unknown = await run(FailedShow, '01ARZ3NDEKTSV4RRFFQ69G5FAV');
    expect(unknown.exitCode).to.equal(5);
    expect(unknown.stderr).to.contain('failed list');
  });

  it('retry deliveries by id, and keep those that fail again', async () => {
    const [first = '', second = ''] = await refused('byid', 'text', 'text');
    world.receiver.respond((response, { headers }) => {
      response.writeHead(headers['x-sn-delivery'] === first ? 200 : 404).end();
    });
    const { stdout, stderr, exitCode } = await run(FailedResend, first, first, second, '01ARZ');
    expect(exitCode).to.equal(1);
    expect(stdout).to.contain(`${first} ✓ delivered`).and.contain(`${second} ✗ answered 404`);
    expect(stdout).to.match(/01ARZ ✗ there is no failed delivery/);
    expect(stderr).to.equal('1 delivered, 2 failed, 0 not tried\n');
    expect(await ids('--session', 'byid')).to.deep.equal([second]);
  });

  it('retry all deliveries, or those of a type, the oldest first', async () => {
    const [text = '', image = '', other = ''] = await refused('all', 'text', 'image', 'text');
    world.receiver.respond(answering(200));
    const before = world.receiver.calls.length;
    const some = await run(FailedResend, '--all', '--session', 'all', '--type', 'text', '--json');
    expect(some.exitCode).to.equal(0);
    expect(JSON.parse(some.stdout)).to.deep.include({ delivered: 2, failed: 0, untried: 0 });
    const sent = world.receiver.calls.slice(before).map(({ headers }) => headers['x-sn-delivery']);
    expect(sent).to.have.members([text, other]);
    expect(await ids('--session', 'all')).to.deep.equal([image]);
    const rest = await run(FailedResend, '--all', '--session', 'all');
    expect(rest.stdout).to.equal(`1/1 ${image} ✓ delivered\n`);
    expect((await run(FailedResend, '--all', '--session', 'all')).stderr).to.equal('no failed deliveries\n');
  });

  it('name the deliveries of a session without a webhook', async () => {
    const failed = await refused('mute', 'text', 'text', 'text', 'text', 'text', 'text');
    await world.api.post('/set-webhook', { clientId: 'mute', webhookUrl: '' });
    const { exitCode, stdout, stderr } = await run(FailedResend, '--all', '--session', 'mute');
    expect({ exitCode, stderr }).to.deep.equal({
      exitCode: 1,
      stderr: '0 delivered, 6 failed, 0 not tried\n',
    });
    expect(stdout).to.contain('✗ session mute has no webhook');
    expect(await ids('--session', 'mute')).to.have.members(failed);
  });

  it('retry the deliveries of all sessions with --all alone, as docs/monitoring.md says', async () => {
    const failed = [...(await refused('one', 'text')), ...(await refused('two', 'image', 'text'))];
    world.receiver.respond(answering(200));
    const all = await ids('--limit', '1000');
    const { stdout, stderr, exitCode } = await run(
      FailedResend,
      '--all',
      '--type',
      'text',
      '--type',
      'image',
    );
    expect(stderr).to.match(/^\d+ failed events of \d+ sessions\n/);
    for (const id of failed) expect(stdout).to.contain(id);
    // one session of this suite has no webhook, which does not stop the others
    expect(exitCode).to.equal(1);
    expect(all).to.include.members(failed);
    expect(await ids('--session', 'one')).to.deep.equal([]);
    expect(await ids('--session', 'two')).to.deep.equal([]);
  });

  it('never retry samples of an earlier release with --all, and say so', async () => {
    await world.api.post('/start?clientId=samples', { webhookUrl: world.receiver.url });
    // a sample of account_status names no invented person
    const told = TYPES.filter((type) => type !== 'account_status');
    for (const type of told) await events.add('samples', type, { event: sampleOf('samples', type) });
    const real = await events.add('samples', 'text');
    world.receiver.respond(answering(200));
    const before = world.receiver.calls.length;
    const { stderr, exitCode } = await run(FailedResend, '--all', '--session', 'samples');
    expect({ exitCode, stderr }).to.deep.equal({
      exitCode: 0,
      stderr: `left out: ${told.length} samples of an earlier release\n1 delivered, 0 failed, 0 not tried\n`,
    });
    const sent = world.receiver.calls.slice(before).map(({ headers }) => headers['x-sn-delivery']);
    expect(sent).to.deep.equal([real]);
  });

  it('stop when the daemon is gone', async () => {
    const gone = { SWITCHBOARD_URL: 'http://127.0.0.1:9', SWITCHBOARD_TOKEN: TOKEN };
    const { exitCode, stderr } = await runCommand(FailedResend, ['1', '2', '3', '4', '5', '6'], gone);
    expect(exitCode).to.equal(3);
    expect(stderr).to.contain('0 delivered, 4 failed, 2 not tried\n');
  });

  it('store no failed delivery for a sample event that the receiver refuses', async () => {
    world.receiver.respond(answering(410));
    await world.api.post('/start?clientId=trial', { webhookUrl: world.receiver.url });
    const { exitCode } = await run(Trigger, 'text', '--session', 'trial');
    expect(exitCode).to.equal(1);
    expect(await ids('--session', 'trial')).to.deep.equal([]);
    const { body } = await world.api.get('/fleet');
    const rows = Array.isArray(body.sessions) ? body.sessions : [];
    const row = rows.find(({ clientId }: { clientId: string }) => clientId === 'trial');
    expect(row.webhook).to.include({ failed: 0 });
  });

  it('name the flags that contradict each other or are missing', async () => {
    for (const [argv, error] of [
      [[], 'give either ids of deliveries, or --all'],
      [['01ARZ', '--all', '--session', 'all'], 'give either ids of deliveries, or --all'],
      [['01ARZ', '--session', 'all'], '--session needs --all'],
      [['--all', '--receiver', '2'], '--receiver needs --session'],
    ] as const) {
      const { exitCode, stderr } = await run(FailedResend, ...argv);
      expect({ exitCode, first: stderr.split('\n')[0] }).to.deep.equal({
        exitCode: 2,
        first: `error: ${error}`,
      });
    }
  });
});

const TYPES = [...MESSAGE_EVENT_TYPES, ...EXTRA_EVENT_TYPES];

describe('switchboard trigger', () => {
  let world: World;

  before(async () => {
    world = await startWorld();
    await world.api.post('/start?clientId=acme', { webhookUrl: world.receiver.url, webhookToken: 'token' });
  });
  beforeEach(() => world.receiver.respond(answering(200)));
  after(() => world.stop());

  const run = (...argv: string[]) =>
    runCommand(Trigger, argv, { SWITCHBOARD_URL: world.daemon.url, SWITCHBOARD_TOKEN: TOKEN });
  const lastEvent = () => JSON.parse(world.receiver.calls.at(-1)?.body ?? '{}');

  it('lists the types when none is given', async () => {
    const { stdout, exitCode } = await run();
    expect(exitCode).to.equal(0);
    for (const type of TYPES) expect(stdout).to.match(new RegExp(`^${type} +\\S`, 'm'));
    expect(JSON.parse((await run('--json')).stdout).types).to.have.keys(TYPES);
  });

  it('lists the types for an unknown type, and suggests the nearest one', async () => {
    const { stderr, exitCode } = await run('txt');
    expect(exitCode).to.equal(2);
    expect(stderr).to.contain('session_status').and.contain('→ did you mean: text\n');
  });

  it('lists the types in its help, one on each line', () => {
    for (const type of TYPES) expect(Trigger.description).to.match(new RegExp(`^  ${type} +\\S`, 'm'));
  });

  it('sends an event to the webhook of the session and reports the result', async () => {
    const { stdout, exitCode } = await run('location', '--session', 'acme');
    expect({ exitCode, type: lastEvent().type }).to.deep.equal({ exitCode: 0, type: 'location' });
    expect(stdout).to.match(/^✓ delivered location [0-9A-Z]{26}\n$/);
  });

  it('uses the only session, and fills the event from the flags', async () => {
    const { stdout } = await run('text', '--body', 'Where is it?', '--set', 'remoteName=Ada=A', '--json');
    expect(lastEvent()).to.include({ clientId: 'acme', body: 'Where is it?', remoteName: 'Ada=A' });
    const [event] = JSON.parse(stdout).events;
    expect(event).to.include({ type: 'text', delivered: true, reason: '' });
  });

  it('exits with 1 when the event did not arrive', async () => {
    world.receiver.respond(answering(410));
    const { stdout, exitCode } = await run('text');
    expect(exitCode).to.equal(1);
    expect(stdout).to.match(/^✗ not delivered text: answered 410 /);
  });

  it('sends one event of each type', async () => {
    const before = world.receiver.calls.length;
    const { stdout, exitCode } = await run('--all');
    expect(exitCode).to.equal(0);
    expect(stdout.trim().split('\n')).to.have.length(TYPES.length);
    const sent = world.receiver.calls.slice(before).map(({ headers }) => headers['x-sn-event']);
    expect(sent).to.have.members(TYPES);
  });

  it('refuses contradicting arguments, and sends nothing', async () => {
    const before = world.receiver.calls.length;
    const refused = [
      ['text', '--all'],
      ['--all', '--body', 'x'],
      ['text', '--set', 'fromMe=true'],
      ['text', '--set', 'remoteName'],
      ['sticker', '--body', 'x'],
    ];
    for (const argv of refused) expect((await run(...argv)).exitCode, argv.join(' ')).to.equal(2);
    expect((await run('text', '--session', 'nobody')).exitCode).to.equal(5);
    expect(world.receiver.calls).to.have.length(before);
  });

  it('suggests what to do for a session without a webhook, and lists sessions with one', async () => {
    await world.api.post('/start?clientId=mute');
    const { stderr, exitCode } = await run('text', '--session', 'mute');
    expect(exitCode).to.equal(6);
    expect(stderr).to.contain('switchboard listen --session mute');
    const unnamed = await run('text');
    expect(unnamed.exitCode).to.equal(2);
    expect(unnamed.stderr).to.contain('acme, mute');
  });
});
