import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { CliProcess, runCli } from '../support/spawn-cli.js';
import { makeTempDir } from '../support/temp-dir.js';
import { Terminal } from '../support/terminal.js';
import { ALICE, BOB, nextQr, reached, startWorld, TOKEN, type World } from '../support/world.js';
import { FakeDaemon } from './cli/support/fake-daemon.js';

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

  it('pair, send, receive, show and disconnect', async function () {
    // a dozen processes in sequence
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
    expect(tailed.exitCode).to.equal(130);
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

interface Step {
  type: string;
  text?: string;
  event?: Record<string, unknown>;
}

describe('switchboard demo', () => {
  it('pairs, sends, receives, and removes its files', async () => {
    const { exitCode, stdout, stderr } = await new CliProcess(['demo', '--json']).end();
    expect(exitCode, stderr).to.equal(0);
    const steps: Step[] = stdout
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line));
    const kinds = steps.map(({ type }) => type).filter((type) => type !== 'tail' && type !== 'step');
    expect(kinds).to.deep.equal(['qr', 'connected', 'on-phone', 'webhook']);
    const event = steps.find(({ type }) => type === 'webhook')?.event;
    expect(event).to.include({ event: 'message.received', type: 'text', remotePhone: '+15550000002' });
    expect(steps.some(({ type }) => type === 'tail')).to.equal(true);
  });
});

describe('a command in a real terminal', () => {
  let world: World;
  const terminals: Terminal[] = [];
  before(async () => {
    world = await startWorld();
    await world.phones.addPhone(ALICE);
    await world.phones.addPhone(BOB);
  });
  after(async () => {
    for (const terminal of terminals) await terminal.close();
    await world.stop();
  });

  async function run(argv: string[], columns: number, rows: number): Promise<Terminal> {
    const env = { SWITCHBOARD_URL: world.daemon.url, SWITCHBOARD_TOKEN: TOKEN };
    const terminal = await Terminal.run(argv, { columns, rows, env });
    terminals.push(terminal);
    return terminal;
  }
  const drawsQr = (screen: string) => screen.includes('█ ▄▄▄▄▄ █');

  it('draws the QR, and ends when the phone has scanned it', async () => {
    const terminal = await run(['pair', 'acme'], 100, 40);
    await terminal.until(drawsQr);
    await world.phones.scan(ALICE.number, await nextQr(world, 'acme'));
    const screen = await terminal.until((text) => text.includes('[ended with'));
    expect(screen).to.include('15550000001').and.include('[ended with 0]');
    expect(drawsQr(screen)).to.equal(false);
  });

  it('says that the terminal is too small for the QR, and draws the QR when it is large enough', async () => {
    const terminal = await run(['pair', 'small'], 60, 20);
    const screen = await terminal.until((text) => /--phone/.test(text));
    expect(drawsQr(screen)).to.equal(false);
    expect(screen)
      .to.include('switchboard pair small --qr-file qr.png')
      .and.include('switchboard pair small --link');
    terminal.resize(100, 40);
    await terminal.until(drawsQr);
    await terminal.press('C-c');
    expect(await terminal.until((text) => text.includes('[ended with'))).to.include('[ended with 130]');
  });

  it('asks for the token of a context, and does not show it', async () => {
    const folder = await makeTempDir();
    const terminal = await Terminal.run(['context', 'add', 'shop', '--url', world.daemon.url], {
      columns: 80,
      rows: 24,
      env: { XDG_CONFIG_HOME: folder.path },
    });
    terminals.push(terminal);
    await terminal.until((text) => text.includes('token (empty for none):'));
    await terminal.press('-l', 'my-secret-token');
    await terminal.press('Enter');
    const screen = await terminal.until((text) => text.includes('[ended with'));
    expect(screen).to.include(`shop is ${world.daemon.url}`).and.not.include('my-secret-token');
    const file = await readFile(join(folder.path, 'switchboard', 'contexts.json'), 'utf8');
    expect(JSON.parse(file).contexts.shop.token).to.equal('my-secret-token');
    await folder.remove();
  });

  it('asks before it sends to the name of a person, because anybody can choose it', async () => {
    const daemon = await FakeDaemon.start();
    daemon.on('GET /chatrooms', { chatRooms: [{ name: 'Mom', remoteJid: '90000000000002@lid' }] });
    daemon.on('POST /get-groups', { groups: [] });
    daemon.on('POST /send-message', { status: 'sent', messageId: '3EB0' });
    const env = { SWITCHBOARD_URL: daemon.url, SWITCHBOARD_TOKEN: 't' };
    for (const [answer, sent] of [
      ['n', 0],
      ['y', 1],
    ] as const) {
      const terminal = await Terminal.run(['send', 'text', 'acme', 'Mom', 'Hi'], {
        columns: 100,
        rows: 24,
        env,
      });
      terminals.push(terminal);
      await terminal.until((text) => text.includes('Mom is 90000000000002@lid'));
      expect(daemon.callsOf('/send-message')).to.have.lengthOf(0);
      await terminal.press(answer, 'Enter');
      await terminal.until((text) => text.includes('[ended with'));
      expect(daemon.callsOf('/send-message')).to.have.lengthOf(sent);
    }
    await daemon.stop();
  });

  it('shows the code for a phone number, and ends when the code was typed', async () => {
    const terminal = await run(['pair', 'coded', '--phone', BOB.number], 80, 24);
    const screen = await terminal.until((text) => /[1-9A-Z]{4}-[1-9A-Z]{4}/.test(text));
    const [code = ''] = /[1-9A-Z]{4}-[1-9A-Z]{4}/.exec(screen) ?? [];
    await world.phones.enterCode(BOB.number, code);
    await reached(world, 'coded', 'connected');
    expect(await terminal.until((text) => text.includes('[ended with'))).to.include('[ended with 0]');
  });
});
