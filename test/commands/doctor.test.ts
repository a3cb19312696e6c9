import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import Doctor from '../../commands/doctor.js';
import type { CheckResult } from '../../src/cli/doctor/check.js';
import { FakeDaemon } from '../cli/support/fake-daemon.js';
import { startReceiver, type TestReceiver } from '../support/receiver.js';
import { runCommand } from '../support/run-command.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';

const TOKEN = 'a-token-of-at-least-16-characters';

describe('doctor', () => {
  let daemon: FakeDaemon;
  let receiver: TestReceiver;
  let dataDir: TempDir;
  let session: Record<string, unknown>;
  let health: Record<string, unknown>;

  beforeEach(async () => {
    daemon = await FakeDaemon.start();
    daemon.token = TOKEN;
    receiver = await startReceiver();
    dataDir = await makeTempDir();
    await writeFile(join(dataDir.path, 'token'), TOKEN, { mode: 0o600 });
    session = {
      clientId: 'acme',
      jid: '1@s.whatsapp.net',
      podName: 'n',
      orgId: '',
      webhookUrl: receiver.url,
    };
    health = { clientId: 'acme', status: 'connected', connected: true };
    daemon.on('GET /health/live', { status: 'ok' });
    daemon.on('GET /health/ready', { status: 'ok', database: true });
    daemon.on('GET /config', { podName: 'n', environment: 'sandbox', version: '2026-01', routes: [] });
    daemon.on('GET /clients', () => ({ body: { clients: [session] } }));
    daemon.on('GET /health/clients', () => ({ body: { clients: [health] } }));
  });
  afterEach(async () => {
    await daemon.stop();
    await receiver.stop();
    await dataDir.remove();
  });

  /** The network to reach is whatever listens at the receiver's port. */
  const run = (argv: string[] = [], env: Record<string, string> = {}) =>
    runCommand(Doctor, argv, {
      SWITCHBOARD_URL: daemon.url,
      SWITCHBOARD_DATA_DIR: dataDir.path,
      SWITCHBOARD_NETWORK: `sandbox+ws://127.0.0.1:${receiver.port}/ws/chat`,
      ...env,
    });
  const check = async (name: string, argv: string[] = [], env: Record<string, string> = {}) => {
    const { stdout, exitCode } = await run([...argv, '--json'], env);
    const report: { ok: boolean; checks: CheckResult[] } = JSON.parse(stdout);
    expect(report.ok).to.equal(exitCode === 0);
    return { exitCode, result: report.checks.find((candidate) => candidate.name === name) };
  };

  it('finds nothing where all is well', async () => {
    const { stdout, exitCode } = await run();
    expect(exitCode).to.equal(0);
    expect(stdout.match(/^✓/gm)).to.have.length(9);
    expect(stdout).not.to.match(/^[!✗]/m);
  });

  it('ends with 1 and tells to start the daemon when there is none', async () => {
    await daemon.stop();
    const { exitCode, result } = await check('daemon');
    expect(exitCode).to.equal(1);
    expect(result?.advice).to.contain('switchboard start');
    await daemon.listen();
  });

  it('finds a wrong token', async () => {
    const { exitCode, result } = await check('token', ['--token', 'another']);
    expect(exitCode).to.equal(1);
    expect(result?.status).to.equal('fail');
  });

  it('finds a store that does not answer', async () => {
    daemon.on('GET /health/ready', () => ({ status: 503, body: { status: 'unavailable', database: false } }));
    expect((await check('store')).result?.status).to.equal('fail');
  });

  it('finds a setting that cannot be used, without making secrets', async () => {
    const { result } = await check('settings', [], { SWITCHBOARD_PORT: 'many' });
    expect(result?.status).to.equal('fail');
    expect(result?.detail).to.contain('SWITCHBOARD_PORT');
  });

  it('finds a token that others may read', async () => {
    await chmod(join(dataDir.path, 'token'), 0o644);
    const { result } = await check('data directory');
    expect(result).to.include({ status: 'fail', advice: `chmod 600 ${join(dataDir.path, 'token')}` });
  });

  it('asks the daemon for its network when nobody names one', async () => {
    const { result } = await check('network', [], { SWITCHBOARD_NETWORK: '' });
    expect(result).to.include({ status: 'ok', detail: 'sandbox: it runs inside the daemon' });
  });

  it('finds a network that cannot be reached', async () => {
    const closed = await startReceiver();
    await closed.stop();
    const { result } = await check('network', ['--network', closed.url.replace('http', 'ws')]);
    expect(result?.status).to.equal('fail');
    expect(result?.detail).to.contain('connection refused');
  });

  const statuses: [string, CheckResult['status']][] = [
    ['connected', 'ok'],
    ['qr', 'warn'],
    ['initializing', 'warn'],
    ['reconnecting', 'warn'],
    ['logged_out', 'fail'],
    ['replaced', 'fail'],
    ['banned', 'fail'],
  ];
  for (const [status, verdict] of statuses) {
    it(`says "${verdict}" of a session that is ${status}`, async () => {
      health = { clientId: 'acme', status, reason: 'why' };
      const { result } = await check('session acme');
      expect(result?.status).to.equal(verdict);
      if (verdict !== 'ok') expect(result?.detail).to.contain('why');
    });
  }

  it('finds a receiver that is not there', async () => {
    await receiver.stop();
    expect((await check('webhook acme')).result?.status).to.equal('fail');
  });

  it('warns of a session without a webhook and without history', async () => {
    session = { ...session, webhookUrl: '' };
    expect((await check('webhook acme')).result?.status).to.equal('warn');
  });

  it('sends the receiver nothing unless told to', async () => {
    await run();
    expect(receiver.calls).to.deep.equal([]);
    expect(daemon.callsOf('/send-test-event')).to.deep.equal([]);
  });

  it('has a test event sent when told to, and reports what became of it', async () => {
    daemon.on('POST /send-test-event', { deliveryId: '01', delivered: false, reason: 'HTTP 401' });
    const { exitCode, result } = await check('webhook acme', ['--send-test']);
    expect(exitCode).to.equal(1);
    expect(result?.detail).to.contain('HTTP 401');
  });
});
