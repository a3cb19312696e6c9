import { expect } from 'chai';
import SessionsShow from '../../commands/sessions/show.js';
import Tail from '../../commands/tail.js';
import { answering, eventOf, startReceiver, type TestReceiver } from '../support/receiver.js';
import { runCommand } from '../support/run-command.js';
import { CliProcess, runCli } from '../support/spawn-cli.js';
import { ALICE, BOB, linkSession, startWorld, TOKEN, WEBHOOK_TOKEN, type World } from '../support/world.js';
import { attempt, textEvent } from '../terminal/cli/support/entries.js';
import { FakeDaemon } from '../terminal/cli/support/fake-daemon.js';

describe('switchboard tail', () => {
  let daemon: FakeDaemon;
  let target: TestReceiver;

  beforeEach(async () => {
    daemon = await FakeDaemon.start();
    target = await startReceiver();
  });
  afterEach(async () => {
    await daemon.stop();
    await target.stop();
  });

  const run = (...argv: string[]) =>
    runCommand(Tail, argv, { SWITCHBOARD_URL: daemon.url, SWITCHBOARD_TOKEN: 't' });
  /** Emits the signal in this process, like `kill`. */
  const terminate = () => process.emit('SIGTERM');

  it('shows failures only, on request', async () => {
    const ended = run('--errors');
    await daemon.called('/events');
    daemon.publish(textEvent());
    daemon.publish(attempt());
    daemon.publish(attempt({ outcome: 'rejected', status: 410, reason: 'answered 410' }));
    daemon.endStreams();
    // it came back for more, so that it has seen all of the above
    await daemon.called('/events', 2);
    terminate();
    const { stdout, exitCode } = await ended;
    expect(exitCode).to.equal(0);
    expect(stdout.trim().split('\n')).to.have.length(1);
    expect(stdout).to.contain('webhook rejected 410');
  });

  it('forwards the events that it shows and prints the results, as text and as JSON', async () => {
    target.respond(answering(200, 503));
    for (const argv of [[], ['--json']]) {
      const before = target.calls.length;
      const ended = run('--type', 'text', '--forward-to', target.url, ...argv);
      await daemon.called('/events', before + 1);
      daemon.publish(textEvent({ type: 'image' }));
      daemon.publish(attempt());
      daemon.publish(textEvent({ body: `number ${before}` }));
      await target.received(before + 1);
      terminate();
      const { stdout, stderr } = await ended;
      expect(target.calls).to.have.length(before + 1);
      expect(JSON.parse(target.calls.at(-1)?.body ?? '')).to.include({ body: `number ${before}` });
      if (argv.length === 0) expect(stdout).to.match(/number 0[\s\S]*✓ forwarded 200 text \(\d+ ms, http/);
      else {
        const lines = stdout.trim().split('\n');
        const report = JSON.parse(lines.at(-1) ?? '');
        expect(report).to.include({ id: 'e-6', kind: 'forward', outcome: 'failed', status: 503 });
        expect(stderr).to.contain('1 event was not forwarded');
      }
    }
  });

  it('refuses to forward entries that contain no events', async () => {
    const { exitCode, stderr } = await run('--errors', '--forward-to', target.url);
    expect(exitCode).to.equal(2);
    expect(stderr).to.contain('--forward-to');
  });
});

describe('switchboard listen', function () {
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
    await listener.printed(argv.includes('--json') ? '"listening"' : 'after Ctrl+C');
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

  it('prints messages of a phone, and restores the former webhook at Ctrl+C', async () => {
    const listener = await start();
    await write('hello listener');
    await listener.printed('hello listener');
    await listener.printed('✓ answered 204');
    const show = await runCommand(SessionsShow, ['acme'], env);
    expect(show.stdout).to.match(/^listener +http:\/\/127\.0\.0\.1:\d+\/webhook$/m);
    listener.signal('SIGINT');
    const { exitCode, stdout, stderr } = await listener.end();
    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/acme ← text Bob: hello listener/);
    expect(stderr).to.contain(`stopped receiving events of acme: they go to ${world.receiver.url}`);
    await expectWebhook();
  });

  it('prints one JSON value for each entry, and ends when its reader closes', async () => {
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

  it('loses no event when it is killed: the webhook receives it', async () => {
    const listener = await start();
    listener.signal('SIGKILL');
    await listener.end();
    await expectWebhook();
    const { body } = await world.api.get('/failed-deliveries');
    expect(body.failedDeliveries).to.deep.equal([]);
  });
});

describe('switchboard inbox without a terminal', () => {
  it('refuses, and names the commands for a pipe', async () => {
    const { exitCode, stdout, stderr } = await runCli(['inbox']);
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 2, stdout: '' });
    expect(stderr).to.contain('needs a terminal');
    for (const instead of ['rooms list', 'messages list', 'tail']) expect(stderr).to.contain(instead);
  });

  it('refuses --json', async () => {
    const { exitCode, stdout } = await runCli(['inbox', '--json']);
    const report = JSON.parse(stdout);
    expect(report).to.deep.include({ code: 'usage', exitCode });
    expect(report.error).to.contain('--json');
  });
});
