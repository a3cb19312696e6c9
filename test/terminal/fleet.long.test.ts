import { expect } from 'chai';
import { answering } from '../support/receiver.js';
import { runCli } from '../support/spawn-cli.js';
import { freePort } from '../support/tcp-proxy.js';
import { Terminal } from '../support/terminal.js';
import { ALICE, BOB, linkSession, nextQr, reached, startWorld, TOKEN, type World } from '../support/world.js';

describe('the fleet in a real terminal', () => {
  let world: World;
  let terminal: Terminal;
  before(async () => {
    world = await startWorld({ settings: { allowPrivateUrls: true, port: await freePort() } });
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme', ALICE);
    const env = { SWITCHBOARD_URL: world.daemon.url, SWITCHBOARD_TOKEN: TOKEN };
    terminal = await Terminal.run(['fleet'], { columns: 110, rows: 40, env });
    await terminal.until((screen) => screen.includes('● live') && /acme +● connected/.test(screen));
  });
  after(async () => {
    await terminal.close();
    await world.stop();
  });

  it('shows a lost link, and its return', async () => {
    await world.phones.fault({ kind: 'refuse-upgrade' });
    await world.phones.fault({ kind: 'disconnect', number: ALICE.number });
    await terminal.until((screen) => /acme +! reconnecting/.test(screen));
    await world.phones.clearFaults();
    await terminal.until((screen) => /acme +● connected/.test(screen));
  });

  it('follows the size of the terminal', async () => {
    terminal.resize(50, 12);
    const small = await terminal.until(
      (screen) => !screen.includes('SINCE') && /acme +● connected/.test(screen),
    );
    expect(small.trimEnd().split('\n').length).to.be.at.most(12);
    terminal.resize(110, 40);
    await terminal.until((screen) => screen.includes('SINCE'));
  });

  it('shows a refused event live, and sends it again', async () => {
    world.receiver.respond(answering(401));
    await terminal.press('Enter');
    await terminal.until((screen) => screen.includes('No failed deliveries'));
    await world.phones.write(BOB.number, { to: ALICE.number, text: 'refused 你好 😀' });
    const screen = await terminal.until((text) => text.includes('Failed deliveries 1'));
    expect(screen)
      .to.include('refused 你好 😀')
      .and.match(/✗ webhook rejected 401/);
    world.receiver.respond(answering(200));
    await terminal.press('s');
    await terminal.until((text) => text.includes('✓ 1 delivered') && text.includes('No failed deliveries'));
    await terminal.press('Escape');
    await terminal.until((text) => text.includes('SESSION'));
  });

  it('reconnects a session after a confirmation', async () => {
    await terminal.press('r');
    await terminal.until((screen) => screen.includes('Reconnect acme now?'));
    await terminal.press('y');
    await terminal.until((screen) => screen.includes('✓ acme connects again'));
  });

  it('pairs a new number on the same screen, and logs it out after its name was typed', async () => {
    await world.phones.addPhone({ number: '+15550000042', name: 'Fresh' });
    await terminal.press('n');
    await terminal.until((screen) => screen.includes('Name of the new session'));
    await terminal.press('fresh', 'Enter');
    await terminal.until((screen) => screen.includes('Workspace that keeps the history of fresh'));
    await terminal.press('Enter');
    await terminal.until((screen) => screen.includes('█ ▄▄▄▄▄ █'));
    await world.phones.scan('+15550000042', await nextQr(world, 'fresh'));
    await terminal.until((screen) => screen.includes('✓ fresh is connected as 15550000042'));
    await terminal.until((screen) => /fresh +● connected/.test(screen));
    await terminal.press('D');
    await terminal.until((screen) => screen.includes('Type fresh to log it out'));
    await terminal.press('fresh', 'Enter');
    await terminal.until(
      (screen) => screen.includes('fresh is logged out') && !/fresh +● connected/.test(screen),
    );
  });

  it('prints the table into a pipe, and reconnects a session from a shell', async () => {
    const env = { SWITCHBOARD_URL: world.daemon.url, SWITCHBOARD_TOKEN: TOKEN };
    const [table, json] = await Promise.all([
      runCli(['fleet'], { env }),
      runCli(['fleet', '--json'], { env }),
    ]);
    expect([table.exitCode, json.exitCode]).to.deep.equal([0, 0]);
    expect(table.stdout).to.match(/^SESSION +STATE.*\nacme +● connected/);
    expect(JSON.parse(json.stdout).sessions[0]).to.include({ clientId: 'acme', podName: 'node-1' });
    const again = await runCli(['sessions', 'reconnect', 'acme'], { env });
    expect(again.stdout).to.match(/^acme connects again/);
    await reached(world, 'acme', 'connected');
    const unknown = await runCli(['sessions', 'reconnect', 'nobody'], { env });
    expect([unknown.exitCode, unknown.stdout]).to.deep.equal([5, '']);
  });

  it('continues after a restart of the daemon', async () => {
    await world.stopDaemon();
    await terminal.until((screen) => screen.includes('! reconnecting'));
    await world.startDaemon();
    await terminal.until((screen) => screen.includes('● live') && /acme +● connected/.test(screen));
  });

  it('restores the terminal', async () => {
    await terminal.press('q');
    const screen = await terminal.until((text) => text.includes('[ended with'));
    expect(screen).to.include('[ended with 0]').and.not.include('SESSION');
  });
});
