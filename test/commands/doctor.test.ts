import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import Doctor from '../../commands/doctor.js';
import { type CheckResult, TROUBLES } from '../../src/terminal/cli/doctor/check.js';
import { GENERAL_CHECKS, SESSION_CHECKS } from '../../src/terminal/cli/doctor/doctor.js';
import { runCommand } from '../support/run-command.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { TOKEN, WellDaemon, wellClient } from '../terminal/cli/doctor/support/well.js';

const GUIDE = fileURLToPath(new URL('../../docs/troubleshooting.md', import.meta.url));

describe('doctor', () => {
  let daemon: WellDaemon;
  let dataDir: TempDir;

  beforeEach(async () => {
    daemon = await WellDaemon.start();
    daemon.client = wellClient('acme', { webhookUrl: 'https://example.com/hook' });
    dataDir = await makeTempDir();
    await writeFile(join(dataDir.path, 'token'), TOKEN, { mode: 0o600 });
  });
  afterEach(async () => {
    await daemon.http.stop();
    await dataDir.remove();
  });

  const run = (argv: string[] = [], env: Record<string, string> = {}) =>
    runCommand(Doctor, argv, {
      SWITCHBOARD_URL: daemon.http.url,
      SWITCHBOARD_DATA_DIR: dataDir.path,
      SWITCHBOARD_NETWORK: 'sandbox',
      SWITCHBOARD_PORT: '0',
      ...env,
    });
  const report = async (argv: string[] = [], env: Record<string, string> = {}) => {
    const { stdout, exitCode } = await run([...argv, '--json'], env);
    const { ok, checks }: { ok: boolean; checks: CheckResult[] } = JSON.parse(stdout);
    return { exitCode, ok, checks };
  };

  it('exits with 0 and one line per check if all checks pass', async () => {
    const { stdout, stderr, exitCode } = await run(['--send']);
    expect(stdout).not.to.match(/^✗/m);
    expect(exitCode).to.equal(0);
    expect(stdout.match(/^[✓!-] /gm)).to.have.length(GENERAL_CHECKS.length + SESSION_CHECKS.length);
    expect(stdout).to.contain('✓ webhook acme: https://example.com/hook accepted a test event');
    expect(stderr).to.equal('');
  });

  it('prints the same as JSON, with stable names', async () => {
    const { ok, exitCode, checks } = await report(['--send']);
    expect({ ok, exitCode }).to.deep.equal({ ok: true, exitCode: 0 });
    expect(checks.map(({ id }) => id)).to.deep.equal(
      [...GENERAL_CHECKS, ...SESSION_CHECKS].map(({ id }) => id),
    );
    expect(checks.find(({ id }) => id === 'webhook')).to.deep.equal({
      id: 'webhook',
      session: 'acme',
      level: 'ok',
      detail: 'https://example.com/hook accepted a test event',
      facts: { url: 'https://example.com/hook' },
    });
  });

  it('exits with 1 when a check has failed, and suggests what to do', async () => {
    await daemon.http.stop();
    const { stdout, exitCode } = await run();
    expect(exitCode).to.equal(1);
    expect(stdout).to.match(/^✗ daemon: /m);
    expect(stdout).to.match(/^ {4}→ start the daemon: switchboard start.* \[daemon-refused\]$/m);
    expect(stdout).to.contain('- token: needs daemon');
    const { ok, checks } = await report();
    expect(ok).to.equal(false);
    expect(checks.flatMap(({ trouble }) => trouble ?? [])).to.deep.equal(['daemon-refused']);
    await daemon.http.listen();
  });

  it('exits with 0 when there are only warnings', async () => {
    daemon.http.on('POST /send-test-event', { delivered: true, reason: '', signed: false });
    const { ok, exitCode, checks } = await report(['--send']);
    expect(checks.flatMap(({ trouble }) => trouble ?? [])).to.include('webhook-unsigned');
    expect({ ok, exitCode }).to.deep.equal({ ok: true, exitCode: 0 });
  });

  it('sends a sample to the webhooks only with --send', async () => {
    for (const argv of [[], ['--no-send']]) await report(argv);
    expect(daemon.http.callsOf('/send-test-event')).to.deep.equal([]);
    await report(['--send']);
    const [call] = daemon.http.callsOf('/send-test-event');
    expect(call?.body).to.deep.equal({ clientId: 'acme', type: 'text' });
  });

  it('checks the session given with --session', async () => {
    expect((await report(['--send', '--session', 'acme'])).exitCode).to.equal(0);
    const { exitCode, checks } = await report(['--session', 'nobody']);
    expect(exitCode).to.equal(1);
    expect(checks.find(({ id }) => id === 'sessions')?.trouble).to.equal('session-unknown');
  });

  it('continues when the token file is unreadable', async () => {
    const { checks } = await report(['--data-dir', join(dataDir.path, 'token')]);
    expect(checks.find(({ id }) => id === 'token')?.trouble).to.equal('token-missing');
  });

  it('reports exactly the problems that have a section in the guide', async () => {
    const headings = (await readFile(GUIDE, 'utf8')).matchAll(/^### `([a-z-]+)`$/gm);
    expect([...headings].map(([, name]) => name)).to.have.members(Object.keys(TROUBLES));
  });
});
