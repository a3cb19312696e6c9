import { expect } from 'chai';
import Fleet from '../../commands/fleet.js';
import SessionsReconnect from '../../commands/sessions/reconnect.js';
import { type CommandResult, runCommand } from '../support/run-command.js';
import { FakeDaemon } from './support/fake-daemon.js';
import { ago, FLEET_NOW, nodeRow, sessionRow, webhookRow } from './support/fleet-rows.js';

const ANSWER = {
  at: new Date(FLEET_NOW).toISOString(),
  nodes: [nodeRow('node-1')],
  sessions: [
    sessionRow('acme', { lastStanzaAt: ago(14 * 60_000), reconnects: 2, openJournal: 5 }),
    sessionRow('broken', {
      status: 'logged_out',
      connected: false,
      loggedIn: false,
      reason: 'The phone\nremoved this device.',
      webhook: webhookRow({ failed: 12, waiting: 3, inFlight: 1 }),
    }),
  ],
};

describe('the commands of the fleet', () => {
  const wasTTY = process.stdout.isTTY;
  let daemon: FakeDaemon;
  beforeEach(async () => {
    // a pipe, wherever the tests run
    process.stdout.isTTY = false;
    daemon = await FakeDaemon.start();
    daemon.on('GET /fleet', ANSWER);
  });
  afterEach(async () => {
    process.stdout.isTTY = wasTTY;
    await daemon.stop();
  });

  const run = (command: Parameters<typeof runCommand>[0], ...argv: string[]): Promise<CommandResult> =>
    runCommand(command, argv, { SWITCHBOARD_URL: daemon.url, SWITCHBOARD_TOKEN: 'a-token' });

  describe('fleet', () => {
    it('is a table in a pipe, those in trouble first', async () => {
      const { stdout, stderr, exitCode } = await run(Fleet);
      const [head, first, second] = stdout.split('\n');
      expect(exitCode).to.equal(0);
      expect(head).to.match(/^SESSION +STATE +SINCE +LAST STANZA +RECONNECTS +WEBHOOK +QUEUE +FAILED +OPEN/);
      expect(first).to.match(
        /^broken +✗ logged out +3 h +5 s +✓ 200, 3 s ago +3\+1 +12 +\+15550000001 +node-1/,
      );
      expect(first).to.contain('The phone ⏎ removed this device.');
      expect(second).to.match(/^acme +● connected, silent 14 min +3 h +14 min +2 +✓ 200, 3 s ago +5 /);
      expect(stderr)
        .to.contain('node-1 · 2026-11 · up 26 h')
        .and.contain('2 sessions · 1 connected · 0 down · 1 stopped');
    });

    it('is what the route answers, with --json', async () => {
      const { stdout, stderr, exitCode } = await run(Fleet, '--json');
      expect(JSON.parse(stdout)).to.deep.equal(ANSWER);
      expect({ stderr, exitCode }).to.deep.equal({ stderr: '', exitCode: 0 });
    });

    it('ends with its own code when the daemon is away or refuses', async () => {
      daemon.on('GET /fleet', () => ({ status: 401, body: { error: 'a valid token is required' } }));
      expect((await run(Fleet)).exitCode).to.equal(4);
      await daemon.stop();
      const away = await run(Fleet, '--json');
      expect(away.exitCode).to.equal(3);
      expect(JSON.parse(away.stdout)).to.include({ code: 'unreachable' });
      await daemon.listen();
    });
  });

  describe('sessions reconnect', () => {
    it('names the session and says what it does now', async () => {
      daemon.on('POST /reconnect', { ok: true, clientId: 'acme', status: 'reconnecting' });
      const { stdout, exitCode } = await run(SessionsReconnect, 'acme');
      expect({ stdout, exitCode }).to.deep.equal({
        stdout: 'acme connects again (reconnecting)\n',
        exitCode: 0,
      });
      expect(daemon.calls.at(-1)?.body).to.deep.equal({ clientId: 'acme' });
    });

    it('ends with 6 and advice for one that waits for an operator', async () => {
      const error = 'session acme is banned: Look at the phone. Call /start to pair again.';
      daemon.on('POST /reconnect', () => ({ status: 409, body: { error } }));
      const { stderr, exitCode } = await run(SessionsReconnect, 'acme');
      expect(exitCode).to.equal(6);
      expect(stderr).to.contain(error);
    });
  });
});
