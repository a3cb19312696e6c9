import { expect } from 'chai';
import { CliProcess, runCli } from '../support/spawn-cli.js';
import { ALICE, linkSession, reached, startWorld, TOKEN, type World } from '../support/world.js';

describe('a pairing that fails', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ settings: { allowPrivateUrls: true } });
  });
  after(() => world.stop());

  const env = () => ({ SWITCHBOARD_URL: world.daemon.url, SWITCHBOARD_TOKEN: TOKEN });
  const pair = (...argv: string[]) => runCli(['pair', ...argv], { env: env() });
  const sessions = async (): Promise<string[]> => {
    const { clients } = (await world.api.get('/clients')).body;
    return Array.isArray(clients) ? clients.map(({ clientId }) => String(clientId)) : [];
  };

  it('names the flag and the rule of a wrong number, and creates nothing', async () => {
    for (const phone of ['notanumber', '', '+', '123', '+0123456789', '+15550000001x', '1'.repeat(16)]) {
      const { exitCode, stderr } = await pair('wrong', `--phone=${phone}`);
      expect({ phone, exitCode, stderr }).to.deep.equal({
        phone,
        exitCode: 2,
        stderr: `error: --phone: ${phone} is not a phone number\n  → give 5 to 15 digits with the country code, such as +15550000001\n`,
      });
    }
    expect(await sessions()).to.deep.equal([]);
  });

  it('leaves no session behind at its timeout', async () => {
    const { exitCode, stderr } = await pair('late', '--timeout', '1', '--org', 'home');
    expect(exitCode, stderr).to.equal(1);
    expect(stderr).to.contain('was not linked within 1 s');
    expect(await sessions()).to.deep.equal([]);
  });

  it('leaves no session behind after Ctrl+C', async () => {
    for (const [argv, until] of [
      [['stopped'], 'qr'],
      [['stopped', '--link'], '/pair/'],
    ] as const) {
      const running = new CliProcess(['pair', ...argv, '--json'], { env: env() });
      await running.printed(until);
      expect(await sessions()).to.deep.equal(['stopped']);
      running.signal('SIGINT');
      expect((await running.end()).exitCode).to.equal(130);
      expect(await sessions()).to.deep.equal([]);
    }
  });

  it('leaves no session behind when the network refuses it', async () => {
    await world.phones.fault({ kind: 'no-pairing-code' });
    const { exitCode, stderr } = await pair('refused', '--phone', '+1 (555) 000-0001');
    await world.phones.clearFaults();
    expect(exitCode, stderr).to.equal(7);
    expect(await sessions()).to.deep.equal([]);
  });

  it('keeps a session that existed before', async () => {
    await world.api.post('/start?clientId=before', {});
    await reached(world, 'before', 'qr');
    expect((await pair('before', '--timeout', '1')).exitCode).to.equal(1);
    expect(await sessions()).to.deep.equal(['before']);
    await linkSession(world, 'acme', ALICE);
    expect((await pair('acme', '--timeout', '1')).exitCode).to.equal(6);
    expect(await sessions()).to.have.members(['acme', 'before']);
  });
});
