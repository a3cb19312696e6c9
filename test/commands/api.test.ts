import { expect } from 'chai';
import Api from '../../commands/api.js';
import { runCommand } from '../support/run-command.js';
import { runCli } from '../support/spawn-cli.js';
import { FakeDaemon } from '../terminal/cli/support/fake-daemon.js';

describe('switchboard api', () => {
  let daemon: FakeDaemon;

  beforeEach(async () => {
    daemon = await FakeDaemon.start();
    daemon.on('GET /qr', { qr: '' }).on('POST /check-state', { status: true });
  });
  afterEach(() => daemon.stop());

  const run = (...argv: string[]) =>
    runCommand(Api, argv, { SWITCHBOARD_URL: daemon.url, SWITCHBOARD_TOKEN: 't' });

  it('sends the fields of a GET in the query', async () => {
    const { stdout, exitCode } = await run('GET', '/qr', '-f', 'clientId=acme', '-j', 'page=2');
    expect({ answer: JSON.parse(stdout), exitCode }).to.deep.equal({ answer: { qr: '' }, exitCode: 0 });
    expect(daemon.calls.at(-1)?.query.toString()).to.equal('clientId=acme&page=2');
  });

  it('calls GET when only a path is given', async () => {
    const { stdout, exitCode } = await run('/qr', '-f', 'clientId=acme');
    expect({ answer: JSON.parse(stdout), exitCode }).to.deep.equal({ answer: { qr: '' }, exitCode: 0 });
    expect(daemon.calls.at(-1)?.query.toString()).to.equal('clientId=acme');
  });

  it('sends the fields of a POST in the body, together with a given body', async () => {
    await run('POST', '/check-state', '{"a":1}', '-f', 'clientId=acme', '-j', 'b=[true,2]', '-f', 'c=x=y');
    expect(daemon.calls.at(-1)?.body).to.deep.equal({ a: 1, clientId: 'acme', b: [true, 2], c: 'x=y' });
  });

  it('reads a body from standard input', async () => {
    const env = { SWITCHBOARD_URL: daemon.url, SWITCHBOARD_TOKEN: 't' };
    const stdin = '{"clientId":"acme"}';
    const { exitCode } = await runCli(['api', 'POST', '/check-state', '-'], { env, stdin });
    expect(exitCode).to.equal(0);
    expect(daemon.calls.at(-1)?.body).to.deep.equal({ clientId: 'acme' });
  }).timeout(60_000);

  const mistakes: [string, string[], RegExp][] = [
    ['a path without a leading slash', ['GET', 'clients'], /begin with \//],
    ['a method without a path', ['GET'], /path is missing/],
    ['a body without POST', ['/qr', '{}'], /no body/],
    ['a body of a GET', ['GET', '/qr', '{}'], /no body/],
    ['a body that is not JSON', ['POST', '/check-state', 'x'], /not a JSON object/],
    ['a field without a name', ['GET', '/qr', '-f', '=x'], /name=value/],
    ['a JSON field that is not JSON', ['POST', '/check-state', '-j', 'a=x'], /is not JSON/],
    ['a method that the API does not have', ['PUT', '/qr'], /GET/],
  ];
  for (const [what, argv, message] of mistakes) {
    it(`refuses ${what}`, async () => {
      const { exitCode, stderr } = await run(...argv);
      expect(exitCode).to.equal(2);
      expect(stderr).to.match(message);
      expect(daemon.calls).to.deep.equal([]);
    });
  }

  it('prints an answer that is not JSON unchanged', async () => {
    daemon.on('GET /metrics', () => ({ body: 'up 1\n' }));
    expect((await run('GET', '/metrics')).stdout).to.equal('up 1\n');
  });

  it("exits with the code for the daemon's answer", async () => {
    expect((await run('GET', '/nowhere')).exitCode).to.equal(5);
  });
});
