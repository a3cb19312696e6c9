import { expect } from 'chai';
import { ALICE, BOB, nextQr } from '../support/pairing.js';
import { CliProcess, runCli } from '../support/spawn-cli.js';
import { startWorld, TOKEN, type World } from '../support/world.js';

describe('the commands against a real daemon', () => {
  let world: World;
  let env: Record<string, string>;
  before(async () => {
    world = await startWorld();
    env = {
      SWITCHBOARD_URL: world.daemon.url,
      SWITCHBOARD_TOKEN: TOKEN,
      SWITCHBOARD_SANDBOX_URL: world.sandbox.url,
    };
  });
  after(() => world.stop());

  async function ok(...argv: string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await runCli(argv, { env });
    expect(exitCode, `${argv.join(' ')}: ${stderr}${stdout}`).to.equal(0);
    return stdout;
  }

  it('pair, send, receive, look, and disconnect', async function () {
    // a dozen processes, one after the other
    this.timeout(120_000);
    for (const { number, name } of [ALICE, BOB]) await ok('sandbox', 'phone', number, '--name', name);
    const tail = new CliProcess(['tail', '--json'], { env });
    await tail.printed('watching');

    const webhook = ['--webhook', world.receiver.url, '--webhook-token', 'receiver-token'];
    const pairing = new CliProcess(['pair', 'acme', '--json', ...webhook], { env });
    await nextQr(world, 'acme');
    await ok('sandbox', 'scan', ALICE.number, '--session', 'acme');
    const paired = await pairing.end();
    expect(paired.exitCode, paired.stderr).to.equal(0);
    const last = paired.stdout.trim().split('\n').at(-1) ?? '';
    expect(JSON.parse(last)).to.deep.equal({ type: 'connected', jid: '15550000001@s.whatsapp.net' });

    const sent = JSON.parse(await ok('send', 'text', 'acme', BOB.number, 'from the shell', '--json'));
    expect(sent).to.include({ status: 'sent' });
    expect(await ok('sandbox', 'messages', BOB.number)).to.include('from the shell');

    await ok('sandbox', 'say', BOB.number, ALICE.number, 'and back');
    await world.receiver.find(({ body }) => body.includes('and back'));
    await tail.printed('and back');
    tail.signal('SIGINT');
    const tailed = await tail.end();
    expect(tailed.exitCode).to.equal(0);
    for (const line of tailed.stdout.trim().split('\n')) expect(JSON.parse(line)).to.have.property('kind');

    expect(await ok('sessions', 'list'))
      .to.include('acme')
      .and.include('connected');
    expect(await ok('sessions', 'show', 'acme')).to.include('15550000001');
    expect(await ok('doctor')).to.include('acme');
    await ok('sessions', 'disconnect', 'acme', '--yes');
    const gone = await runCli(['sessions', 'show', 'acme', '--json'], { env });
    expect(gone.exitCode).to.equal(5);
    expect(JSON.parse(gone.stdout)).to.include({ code: 'not_found' });
  });

  it('say what to do when the token is wrong', async () => {
    const { exitCode, stderr } = await runCli(['sessions', 'list'], {
      env: { ...env, SWITCHBOARD_TOKEN: 'not-the-token' },
    });
    expect(exitCode).to.equal(4);
    expect(stderr).to.include('→');
  });
});
