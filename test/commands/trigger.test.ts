import { expect } from 'chai';
import Trigger from '../../commands/trigger.js';
import { EXTRA_EVENT_TYPES, MESSAGE_EVENT_TYPES } from '../../src/events/catalogue.js';
import { answering } from '../support/receiver.js';
import { runCommand } from '../support/run-command.js';
import { startWorld, TOKEN, type World } from '../support/world.js';

const TYPES = [...MESSAGE_EVENT_TYPES, ...EXTRA_EVENT_TYPES];

describe('trigger as a command', () => {
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

  it('names the types when it is given another', async () => {
    const { stderr, exitCode } = await run('txt');
    expect(exitCode).to.equal(2);
    expect(stderr).to.contain('text').and.contain('session_status');
  });

  it('sends an event to the webhook of the session and tells how it went', async () => {
    const { stdout, exitCode } = await run('location', '--session', 'acme');
    expect({ exitCode, type: lastEvent().type }).to.deep.equal({ exitCode: 0, type: 'location' });
    expect(stdout).to.match(/^✓ delivered location [0-9A-Z]{26}\n$/);
  });

  it('takes the only session, and lets the event say what it is told to', async () => {
    const { stdout } = await run('text', '--body', 'Where is it?', '--set', 'remoteName=Ada=A', '--json');
    expect(lastEvent()).to.include({ clientId: 'acme', body: 'Where is it?', remoteName: 'Ada=A' });
    const [event] = JSON.parse(stdout).events;
    expect(event).to.include({ type: 'text', delivered: true, reason: '' });
  });

  it('ends with 1 when it did not arrive', async () => {
    world.receiver.respond(answering(410));
    const { stdout, exitCode } = await run('text');
    expect(exitCode).to.equal(1);
    expect(stdout).to.match(/^✗ not delivered text: answered 410 /);
  });

  it('sends one of each type', async () => {
    const before = world.receiver.calls.length;
    const { stdout, exitCode } = await run('--all');
    expect(exitCode).to.equal(0);
    expect(stdout.trim().split('\n')).to.have.length(TYPES.length);
    const sent = world.receiver.calls.slice(before).map(({ headers }) => headers['x-sn-event']);
    expect(sent).to.have.members(TYPES);
  });

  it('refuses what makes no sense, and sends nothing', async () => {
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

  it('says what to do for a session without a webhook, and which there are', async () => {
    await world.api.post('/start?clientId=mute');
    const { stderr, exitCode } = await run('text', '--session', 'mute');
    expect(exitCode).to.equal(6);
    expect(stderr).to.contain('switchboard listen --session mute');
    const unnamed = await run('text');
    expect(unnamed.exitCode).to.equal(2);
    expect(unnamed.stderr).to.contain('acme, mute');
  });
});
