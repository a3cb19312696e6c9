import { expect } from 'chai';
import { ALICE, BOB, CAROL, linkSession, nextQr } from '../support/pairing.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { Terminal } from '../support/terminal.js';
import { startWorld, TOKEN, type World } from '../support/world.js';

const DRAWN_QR = '█ ▄▄▄▄▄ █';

describe('the inbox in a real terminal', () => {
  let world: World;
  /** Between the inbox and the daemon, so that the daemon can seem to go away. */
  let way: TcpProxy;
  let terminal: Terminal;

  before(async () => {
    world = await startWorld();
    way = await startTcpProxy('127.0.0.1', Number(new URL(world.daemon.url).port));
    for (const person of [BOB, CAROL]) await world.phones.addPhone(person);
    await linkSession(world, 'acme', ALICE);
    await world.api.post('/set-org-id', { clientId: 'acme', orgId: 'workspace1' });
    await world.phones.write(BOB.number, { to: ALICE.number, text: 'is anybody there?' });
    const env = { SWITCHBOARD_URL: `http://127.0.0.1:${way.port}`, SWITCHBOARD_TOKEN: TOKEN };
    terminal = await Terminal.run(['inbox', '--session', 'acme'], { columns: 110, rows: 40, env });
  });
  after(async () => {
    await terminal.close();
    await way.stop();
    await world.stop();
  });

  const fromBob = (text: string) => world.phones.write(BOB.number, { to: ALICE.number, text });
  const bobGets = (text: string) =>
    world.phones.waitForMessage(BOB.number, (message) => message.text === text);
  const shows = (...texts: string[]) =>
    terminal.until((screen) => texts.every((text) => screen.includes(text)));

  it('shows sessions and rooms, and opens a conversation', async () => {
    const screen = await shows('acme', 'Bob');
    expect(screen).to.match(/Bob.*1/);
    await terminal.press('Enter');
    await shows('is anybody there?');
  });

  it('writes, and shows what arrives', async () => {
    await terminal.press('i');
    await terminal.press('yes, here');
    await terminal.press('Enter');
    await bobGets('yes, here');
    await fromBob('good to know');
    await shows('yes, here', 'good to know');
  });

  it('replies to the chosen message', async () => {
    await terminal.press('Escape');
    await shows('good to know');
    await terminal.press('r');
    await terminal.press('you are welcome');
    await terminal.press('Enter');
    const answer = await bobGets('you are welcome');
    expect(answer.quotedMessageId).to.be.a('string').that.is.not.equal('');
    await shows('you are welcome');
  });

  it('holds in 40 columns, and comes back to its full width', async () => {
    terminal.resize(40, 20);
    const narrow = await terminal.until(
      (screen) => screen.split('\n').every((line) => line.length <= 40) && screen.includes('you are welcome'),
    );
    expect(narrow).to.not.include('\u001b');
    await fromBob('as narrow as that');
    await shows('as narrow as');
    terminal.resize(110, 40);
    await shows('acme', 'as narrow as that');
  });

  it('says that it reconnects, and comes back with what it missed', async () => {
    way.cut();
    await shows('reconnecting');
    await fromBob('while you were away');
    way.restore();
    await terminal.until(
      (screen) => screen.includes('while you were away') && !screen.includes('reconnecting'),
    );
  });

  it('pairs a new number inside', async () => {
    await terminal.press('Escape');
    await terminal.press('Escape');
    await terminal.press('p');
    await shows('Pair a number');
    await terminal.press('carol');
    await terminal.press('Enter');
    await terminal.press('workspace2');
    await terminal.press('Enter', 'Enter');
    await shows(DRAWN_QR);
    await world.phones.scan(CAROL.number, await nextQr(world, 'carol'));
    const screen = await terminal.until((text) => text.includes('carol is connected'));
    expect(screen).to.not.include(DRAWN_QR);
    await world.phones.write(BOB.number, { to: CAROL.number, text: 'welcome, Carol' });
    await shows('welcome, Carol');
  });

  it('leaves the terminal as it was', async () => {
    await terminal.press('q');
    const screen = await shows('[ended with 0]');
    expect(screen).to.not.include('Bob');
  });
});
