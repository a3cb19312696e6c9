import { expect } from 'chai';
import SandboxMessages from '../../commands/sandbox/messages.js';
import SandboxPhone from '../../commands/sandbox/phone.js';
import SandboxSay from '../../commands/sandbox/say.js';
import SandboxScan from '../../commands/sandbox/scan.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { FakeDaemon } from '../cli/support/fake-daemon.js';
import { runCommand } from '../support/run-command.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';

describe('the commands that use a sandbox network', () => {
  let sandbox: Sandbox;

  beforeEach(async () => {
    sandbox = await startSandbox({ port: 0 });
  });
  afterEach(() => sandbox.stop());

  const run = (command: Parameters<typeof runCommand>[0], ...argv: string[]) =>
    runCommand(command, argv, { SWITCHBOARD_SANDBOX_URL: sandbox.url });

  it('make a person, show the same one again, and rename', async () => {
    const first = JSON.parse((await run(SandboxPhone, ALICE, '--name', 'Alice', '--json')).stdout).phones[0];
    expect(first).to.include({ number: ALICE, name: 'Alice', jid: '15550000001@s.whatsapp.net' });
    const again = JSON.parse((await run(SandboxPhone, ALICE, '--json')).stdout).phones[0];
    expect(again).to.deep.equal(first);
    const renamed = JSON.parse((await run(SandboxPhone, ALICE, '--name', 'Alicia', '--json')).stdout)
      .phones[0];
    expect(renamed).to.deep.equal({ ...first, name: 'Alicia' });
  });

  it('let one write and show it on the phone of the other', async () => {
    await run(SandboxPhone, ALICE, '--name', 'Alice');
    await run(SandboxPhone, BOB, '--name', 'Bob');
    const said = await run(SandboxSay, BOB, ALICE, 'Hello, Alice', '--json');
    const { messageId } = JSON.parse(said.stdout);
    const { stdout } = await run(SandboxMessages, ALICE);
    expect(stdout).to.contain(`← ${BOB}: Hello, Alice`).and.contain(messageId);
  });

  it('end with 5 for a number without a phone, and say how to make one', async () => {
    const { exitCode, stderr } = await run(SandboxMessages, BOB);
    expect(exitCode).to.equal(5);
    expect(stderr).to.contain('switchboard sandbox phone');
  });

  it('end with 2 for a number that is none, and for a QR that is none', async () => {
    expect((await run(SandboxPhone, '555')).exitCode).to.equal(2);
    await run(SandboxPhone, ALICE);
    expect((await run(SandboxScan, ALICE, 'garbage')).exitCode).to.equal(2);
  });

  it('want one way to link a device', async () => {
    expect((await run(SandboxScan, ALICE)).exitCode).to.equal(2);
    expect((await run(SandboxScan, ALICE, 'qr', '--code', 'ABCD-EFGH')).exitCode).to.equal(2);
  });

  it('take the QR of a session from the daemon', async () => {
    await run(SandboxPhone, ALICE);
    const daemon = await FakeDaemon.start();
    daemon.on('GET /qr', { clientId: 'acme', status: 'qr', qr: 'garbage' });
    const scan = [ALICE, '--session', 'acme', '--url', daemon.url, '--token', 't'];
    expect((await run(SandboxScan, ...scan)).stderr).to.contain('not a pairing QR');
    daemon.on('GET /qr', { clientId: 'acme', status: 'connected', qr: '' });
    const { exitCode, stderr } = await run(SandboxScan, ...scan);
    expect(exitCode).to.equal(6);
    expect(stderr).to.contain('acme shows no QR, it is connected');
    await daemon.stop();
  });

  it('end with 3 where there is no sandbox, and say how to start one', async () => {
    await sandbox.stop();
    const { exitCode, stderr } = await run(SandboxPhone);
    expect(exitCode).to.equal(3);
    expect(stderr).to.contain('switchboard sandbox start');
    sandbox = await startSandbox({ port: 0 });
  });
});
