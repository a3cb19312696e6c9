import { expect } from 'chai';
import Tail from '../../commands/tail.js';
import { attempt, textEvent } from '../cli/support/entries.js';
import { FakeDaemon } from '../cli/support/fake-daemon.js';
import { answering, startReceiver, type TestReceiver } from '../support/receiver.js';
import { runCommand } from '../support/run-command.js';

describe('tail as a command', () => {
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
  /** What `kill` sends, without a process of its own. */
  const terminate = () => process.emit('SIGTERM');

  it('shows what went wrong and nothing else', async () => {
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

  it('forwards the events that it shows and tells how that went, as text and as JSON', async () => {
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

  it('refuses to forward what has no events in it', async () => {
    const { exitCode, stderr } = await run('--errors', '--forward-to', target.url);
    expect(exitCode).to.equal(2);
    expect(stderr).to.contain('--forward-to');
  });
});
