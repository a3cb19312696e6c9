import { expect } from 'chai';
import SessionsShow from '../../commands/sessions/show.js';
import { eventOf } from '../support/events.js';
import { ALICE, BOB, linkSession, WEBHOOK_TOKEN } from '../support/pairing.js';
import { runCommand } from '../support/run-command.js';
import { CliProcess } from '../support/spawn-cli.js';
import { startWorld, TOKEN, type World } from '../support/world.js';

describe('listen as a process', function () {
  this.timeout(120_000);
  let world: World;
  let env: Record<string, string>;
  let running: CliProcess[];

  before(async () => {
    world = await startWorld();
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme');
    env = { SWITCHBOARD_URL: world.daemon.url, SWITCHBOARD_TOKEN: TOKEN };
  });
  beforeEach(() => {
    running = [];
  });
  afterEach(() => {
    for (const one of running) one.signal('SIGKILL');
  });
  after(() => world.stop());

  const start = async (...argv: string[]) => {
    const listener = new CliProcess(['listen', ...argv], { env });
    running.push(listener);
    await listener.printed(argv.includes('--json') ? '"listening"' : 'Ctrl+C gives them back');
    return listener;
  };
  const write = async (text: string) =>
    (await world.phones.write(BOB.number, { to: ALICE.number, text })).messageId;
  /** Proves that the former webhook gets what comes now, with its own token. */
  const expectWebhook = async () => {
    const messageId = await write('to the webhook');
    await eventOf(world.receiver, messageId);
    const call = world.receiver.calls.find(({ body }) => body.includes(messageId));
    expect(call?.headers.authorization).to.equal(`Bearer ${WEBHOOK_TOKEN}`);
  };

  it('prints what a phone writes, and at Ctrl+C the former webhook is back', async () => {
    const listener = await start();
    await write('hello listener');
    await listener.printed('hello listener');
    await listener.printed('✓ answered 204');
    const show = await runCommand(SessionsShow, ['acme'], env);
    expect(show.stdout).to.match(/^events now go to +http:\/\/127\.0\.0\.1:\d+\/webhook$/m);
    listener.signal('SIGINT');
    const { exitCode, stdout, stderr } = await listener.end();
    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/acme ← text Bob: hello listener/);
    expect(stderr).to.contain(`events of acme go to ${world.receiver.url} again`);
    await expectWebhook();
  });

  it('prints one JSON value for each thing that happens, and ends when its reader goes away', async () => {
    const listener = await start('--session', 'acme', '--json');
    await write('for a program');
    await listener.printed('for a program');
    listener.closeStdout();
    await write('for nobody');
    const { exitCode, stdout } = await listener.end();
    expect(exitCode).to.equal(0);
    const items = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(items.map(({ type }) => type).slice(0, 2)).to.deep.equal(['listening', 'event']);
    expect(items[1].event).to.include({ body: 'for a program' });
    await expectWebhook();
  });

  it('loses nothing when it is killed: the webhook gets it', async () => {
    const listener = await start();
    listener.signal('SIGKILL');
    await listener.end();
    await expectWebhook();
    const { body } = await world.api.get('/failed-deliveries');
    expect(body.failedDeliveries).to.deep.equal([]);
  });
});
