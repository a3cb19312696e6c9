import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import sharp from 'sharp';
import SandboxClock from '../../commands/sandbox/clock.js';
import SandboxMessages from '../../commands/sandbox/messages.js';
import SandboxPhone from '../../commands/sandbox/phone.js';
import SandboxSay from '../../commands/sandbox/say.js';
import SandboxScan from '../../commands/sandbox/scan.js';
import SandboxSendMedia from '../../commands/sandbox/send-media.js';
import SandboxWrite from '../../commands/sandbox/write.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { runCommand } from '../support/run-command.js';
import { FakeDaemon } from '../terminal/cli/support/fake-daemon.js';

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

  it('create a person, show an existing one, and rename one', async () => {
    const first = JSON.parse((await run(SandboxPhone, ALICE, '--name', 'Alice', '--json')).stdout).phones[0];
    expect(first).to.include({ number: ALICE, name: 'Alice', jid: '15550000001@s.whatsapp.net' });
    const again = JSON.parse((await run(SandboxPhone, ALICE, '--json')).stdout).phones[0];
    expect(again).to.deep.equal(first);
    const renamed = JSON.parse((await run(SandboxPhone, ALICE, '--name', 'Alicia', '--json')).stdout)
      .phones[0];
    expect(renamed).to.deep.equal({ ...first, name: 'Alicia' });
  });

  it('write a text as a person, and show it on the phone of the recipient', async () => {
    await run(SandboxPhone, ALICE, '--name', 'Alice');
    await run(SandboxPhone, BOB, '--name', 'Bob');
    const said = await run(SandboxSay, BOB, ALICE, 'Hello, Alice', '--json');
    const { messageId } = JSON.parse(said.stdout);
    const { stdout } = await run(SandboxMessages, ALICE);
    expect(stdout).to.contain(`← ${BOB}: Hello, Alice`).and.contain(messageId);
  });

  it('write any content, given as JSON', async () => {
    await run(SandboxPhone, ALICE);
    await run(SandboxPhone, BOB);
    const poll = JSON.stringify({ poll: { name: 'When?', options: ['now', 'later'] } });
    const { messageId } = JSON.parse((await run(SandboxWrite, BOB, ALICE, poll, '--json')).stdout);
    const vote = JSON.stringify({ vote: { pollMessageId: messageId, options: ['later'] } });
    expect((await run(SandboxWrite, BOB, ALICE, vote)).stdout).to.match(/^wrote 3A/);
    const quoting = await run(
      SandboxWrite,
      BOB,
      ALICE,
      '{"text": "well?"}',
      '--quote',
      messageId,
      '--forwarded',
    );
    expect(quoting.exitCode).to.equal(0);
    const { stdout } = await run(SandboxMessages, BOB);
    expect(stdout).to.contain('[poll]: When?').and.contain(`later by ${BOB}`);
    const held = JSON.parse((await run(SandboxMessages, BOB, '--json')).stdout).messages;
    expect(held[1]).to.include({ text: 'well?', quotedMessageId: messageId, forwarded: true });
  });

  it('show the time of the network, and move it forward', async () => {
    const { now, ahead } = JSON.parse((await run(SandboxClock, '--json')).stdout);
    expect(ahead).to.equal(0);
    const moved = await run(SandboxClock, '--advance', '3d');
    expect(moved.stdout).to.match(/^\d{4}-\d\d-\d\dT\S+Z, 3 d ahead of this machine\n$/);
    const after = JSON.parse((await run(SandboxClock, '--json')).stdout);
    expect(after.ahead).to.equal(259_200_000);
    expect(after.now).to.be.at.least(now + 259_200_000);
    const wrong = await run(SandboxClock, '--advance', 'tomorrow');
    expect(wrong.exitCode).to.equal(2);
    expect(wrong.stderr).to.contain('"advance" must be a time such as 30s, 5m, 2h or 3d');
  });

  it('exit with 2 for an invalid content, and with 5 for an unknown message', async () => {
    await run(SandboxPhone, ALICE);
    await run(SandboxPhone, BOB);
    expect((await run(SandboxWrite, BOB, ALICE, 'hello')).exitCode).to.equal(2);
    expect((await run(SandboxWrite, BOB, ALICE, '{"story": 1}')).exitCode).to.equal(2);
    const { exitCode, stderr } = await run(SandboxWrite, BOB, ALICE, '{"revoke": {"messageId": "A"}}');
    expect(exitCode).to.equal(5);
    expect(stderr).to.contain('holds no message A').and.not.to.contain('sandbox phone');
  });

  it('exit with 7 when the sandbox forbids an action to a person', async () => {
    await run(SandboxPhone, ALICE);
    await run(SandboxPhone, BOB);
    const { messageId } = JSON.parse((await run(SandboxSay, ALICE, BOB, 'hers', '--json')).stdout);
    const revoke = JSON.stringify({ revoke: { messageId } });
    const { exitCode, stderr } = await run(SandboxWrite, BOB, ALICE, revoke);
    expect({ exitCode, stderr }).to.have.property('exitCode', 7);
    expect(stderr).to.contain("somebody else's");
  });

  it('send a file with its type', async () => {
    await run(SandboxPhone, ALICE);
    await run(SandboxPhone, BOB);
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-file-'));
    const [picture, note] = [join(folder, 'red.png'), join(folder, 'note.txt')];
    await sharp({ create: { width: 2, height: 2, channels: 3, background: 'red' } }).toFile(picture);
    await writeFile(note, 'a note');
    await run(SandboxSendMedia, BOB, ALICE, picture, '--caption', 'red', '--view-once');
    await run(SandboxSendMedia, BOB, ALICE, note);
    const held = JSON.parse((await run(SandboxMessages, BOB, '--json')).stdout).messages;
    await rm(folder, { recursive: true });
    expect(held.map(({ type }: { type: string }) => type)).to.deep.equal(['image', 'document']);
    expect(held[0].media).to.include({ mimeType: 'image/png', caption: 'red', viewOnce: true });
    expect(held[1].media).to.include({ fileName: 'note.txt', size: 6 });
    const missing = await run(SandboxSendMedia, BOB, ALICE, picture);
    expect(missing.exitCode).to.equal(2);
    expect(missing.stderr).to.contain('cannot be read');
  });

  it('exit with 5 for a number without a phone, and suggest how to create one', async () => {
    const { exitCode, stderr } = await run(SandboxMessages, BOB);
    expect(exitCode).to.equal(5);
    expect(stderr).to.contain('switchboard sandbox phone');
  });

  it('exit with 2 for an invalid number and an invalid QR', async () => {
    expect((await run(SandboxPhone, '555')).exitCode).to.equal(2);
    await run(SandboxPhone, ALICE);
    expect((await run(SandboxScan, ALICE, 'garbage')).exitCode).to.equal(2);
  });

  it('require exactly one method to link a device', async () => {
    expect((await run(SandboxScan, ALICE)).exitCode).to.equal(2);
    expect((await run(SandboxScan, ALICE, 'qr', '--code', 'ABCD-EFGH')).exitCode).to.equal(2);
  });

  it('read the QR of a session from the daemon', async () => {
    await run(SandboxPhone, ALICE);
    const daemon = await FakeDaemon.start();
    daemon.on('GET /qr', { clientId: 'acme', status: 'qr', qr: 'garbage' });
    const scan = [ALICE, '--session', 'acme', '--url', daemon.url, '--token', 't'];
    expect((await run(SandboxScan, ...scan)).stderr).to.contain('not a pairing QR');
    daemon.on('GET /qr', { clientId: 'acme', status: 'connected', qr: '' });
    const { exitCode, stderr } = await run(SandboxScan, ...scan);
    expect(exitCode).to.equal(6);
    expect(stderr).to.contain('acme shows no QR: its status is connected');
    let looks = 0;
    daemon.on('GET /qr', () => {
      looks += 1;
      if (looks > 1) return { body: { clientId: 'acme', status: 'qr', qr: 'garbage' } };
      return {
        status: 404,
        headers: { 'x-sn-error': 'session_unknown' },
        body: { error: 'unknown clientId' },
      };
    });
    const early = await run(SandboxScan, ...scan);
    expect(early.stderr, 'a scan before `pair` has made the session').to.contain('not a pairing QR');
    await daemon.stop();
  });

  it('exit with 3 without a sandbox, and suggest how to start one', async () => {
    await sandbox.stop();
    const { exitCode, stderr } = await run(SandboxPhone);
    expect(exitCode).to.equal(3);
    expect(stderr).to.contain('switchboard sandbox start');
    sandbox = await startSandbox({ port: 0 });
  });
});
