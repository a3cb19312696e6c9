import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { textEvent } from '../cli/support/entries.js';
import { FakeDaemon } from '../cli/support/fake-daemon.js';
import { CliProcess, runCli } from '../support/spawn-cli.js';

describe('the command line as a process', function () {
  this.timeout(120_000);
  let daemon: FakeDaemon;
  let env: Record<string, string>;

  beforeEach(async () => {
    daemon = await FakeDaemon.start();
    env = { SWITCHBOARD_URL: daemon.url, SWITCHBOARD_TOKEN: 't' };
  });
  afterEach(() => daemon.stop());

  it('tells its version at once, in the words of the framework', async () => {
    const asked = [['--version'], ['-v'], ['--version', 'also', 'this']];
    const ends = await Promise.all(asked.map((argv) => runCli(argv, { cwd: tmpdir() })));
    const [first] = ends;
    expect(first?.stdout).to.match(/^switchboard-gateway\/\d+\.\d+\.\d+ .+ node-v.+\n$/);
    // the third one has gone through the framework
    for (const end of ends) expect(end).to.deep.equal({ stdout: first?.stdout, stderr: '', exitCode: 0 });
  });

  it('explains itself, its topics and its commands', async () => {
    const asked = [['--help'], ['sessions', '--help'], ['send', 'text', '--help']];
    const ends = await Promise.all(asked.map((argv) => runCli(argv)));
    expect(ends.map(({ exitCode }) => exitCode)).to.deep.equal([0, 0, 0]);
    for (const { stdout } of ends) expect(stdout).to.contain('switchboard');
  });

  it('ends with 2 for a command that does not exist and for a flag that is unknown', async () => {
    const ends = await Promise.all([runCli(['nonsense']), runCli(['tail', '--nonsense'])]);
    expect(ends.map(({ exitCode }) => exitCode)).to.deep.equal([2, 2]);
  });

  it('ends with 3 when nothing listens, and prints only on standard error', async () => {
    await daemon.stop();
    const { exitCode, stdout, stderr } = await runCli(['sessions', 'list'], { env });
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 3, stdout: '' });
    expect(stderr).to.match(/^error: .*\n {2}→ start the daemon: switchboard start\n/);
    await daemon.listen();
  });

  it('reads a text from standard input', async () => {
    daemon.on('POST /send-message', { status: 'sent', messageId: '3EB0' });
    const { exitCode, stdout } = await runCli(['send', 'text', 'acme', '+15550000002', '-'], {
      env,
      stdin: 'two\nlines\n',
    });
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 0, stdout: 'sent 3EB0\n' });
    expect(daemon.calls.at(-1)?.body.body).to.equal('two\nlines');
  });

  it('shows events live, says that it reconnects, and ends with 0 at Ctrl+C', async () => {
    const tail = new CliProcess(['tail', '--json'], { env });
    await tail.printed('watching');
    daemon.publish(textEvent({ body: 'first' }));
    await tail.printed('first');
    daemon.cutStreams();
    await tail.printed('reconnecting');
    daemon.publish(textEvent({ body: 'second' }));
    await tail.printed('second');
    tail.signal('SIGINT');
    const { exitCode, stdout } = await tail.end();
    expect(exitCode).to.equal(0);
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).id)).to.deep.equal(['e-1', 'e-2']);
  });

  it('ends when the reader of its output has gone', async () => {
    const tail = new CliProcess(['tail'], { env });
    await tail.printed('watching');
    tail.closeStdout();
    daemon.publish(textEvent());
    daemon.publish(textEvent());
    expect((await tail.end()).exitCode).to.equal(0);
  });

  it('ends a pairing with 130 at Ctrl+C', async () => {
    daemon.on('POST /start', { clientId: 'acme', status: 'initializing' });
    daemon.on('GET /qr', { clientId: 'acme', status: 'qr', qr: 'text' });
    const pair = new CliProcess(['pair', 'acme'], { env });
    await pair.printed('qr text');
    pair.signal('SIGINT');
    const { exitCode, stdout } = await pair.end();
    expect(exitCode).to.equal(130);
    expect(stdout).to.equal('status qr\nqr text\n');
  });

  it('starts a sandbox network and uses it', async () => {
    const sandbox = new CliProcess(['sandbox', 'start', '--port', '0', '--json']);
    await sandbox.printed('wsUrl');
    sandbox.signal('SIGTERM');
    const { exitCode, stdout } = await sandbox.end();
    expect(exitCode).to.equal(0);
    expect(JSON.parse(stdout).wsUrl).to.match(/^ws:\/\/127\.0\.0\.1:\d+\/ws\/chat$/);
  });
});
