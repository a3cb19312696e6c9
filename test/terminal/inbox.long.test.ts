import { expect } from 'chai';
import type { RawSettings } from '../../src/gateway/config/schema.js';
import { Terminal } from '../support/terminal.js';
import { ALICE, BOB, CAROL, linkSession, nextQr, startWorld, TOKEN, type World } from '../support/world.js';

/** Timeout of one test in milliseconds; short, so that one missing screen does not delay the other tests. */
const TEST_MS = 40_000;
const DRAWN_QR = '█ ▄▄▄▄▄ █';

describe('the inbox in a real terminal', function () {
  this.timeout(TEST_MS);
  let world: World;
  /** A restarted daemon must have the same address. */
  const settings: RawSettings = {};
  let terminal: Terminal;
  let env: Record<string, string>;

  before(async () => {
    world = await startWorld({ settings });
    settings.port = Number(new URL(world.daemon.url).port);
    for (const person of [BOB, CAROL]) await world.phones.addPhone(person);
    await linkSession(world, 'acme', ALICE);
    await world.api.post('/set-org-id', { clientId: 'acme', orgId: 'workspace1' });
    await world.phones.write(BOB.number, { to: ALICE.number, text: 'is anybody there?' });
    env = { SWITCHBOARD_URL: world.daemon.url, SWITCHBOARD_TOKEN: TOKEN };
    terminal = await Terminal.run(['inbox', '--session', 'acme'], { columns: 110, rows: 40, env });
  });
  after(async () => {
    await terminal.close();
    await world.stop();
  });

  const fromBob = (text: string) => world.phones.write(BOB.number, { to: ALICE.number, text });
  const bobGets = (text: string) =>
    world.phones.waitForMessage(BOB.number, (message) => message.text === text);
  const shows = (...texts: string[]) =>
    terminal.until((screen) => texts.every((text) => screen.includes(text)));

  /** Types a text, waits until the screen shows it, and presses Enter. */
  const fill = async (text: string) => {
    await terminal.press(text);
    await shows(text);
    await terminal.press('Enter');
  };

  it('shows sessions and rooms, and opens a conversation', async () => {
    await shows('acme', 'Bob', '1 unread');
    await terminal.press('Enter');
    // the room list shows the text too; a key before the conversation is open would be lost
    await terminal.until((text) => !text.includes('Enter opens a conversation'));
    await shows('is anybody there?');
  });

  it('sends messages, and shows messages that arrive', async () => {
    await terminal.press('i');
    await fill('yes, here');
    await bobGets('yes, here');
    await fromBob('good to know');
    await shows('yes, here', 'good to know');
  });

  it('replies to the highlighted message', async () => {
    await terminal.press('Escape');
    await shows('r reply');
    await terminal.press('r');
    await fill('you are welcome');
    const answer = await bobGets('you are welcome');
    expect(answer.quotedMessageId).to.be.a('string').that.is.not.equal('');
    await shows('you are welcome');
  });

  it('fits into 40 columns, and returns to full width', async () => {
    terminal.resize(40, 20);
    // a line that is too long would push the first line off the screen
    await terminal.until(
      (screen) => /^ switchboard.*\n╭─ Bob/.test(screen) && screen.includes('you are welcome'),
    );
    await fromBob('as narrow as that');
    await shows('as narrow as');
    terminal.resize(110, 40);
    await shows('acme', 'as narrow as that');
  });

  it('shows that it reconnects while the daemon restarts, and then shows what it missed', async () => {
    await world.stopDaemon();
    await shows('reconnecting');
    await fromBob('while you were away');
    await world.startDaemon();
    await terminal.until(
      (screen) => screen.includes('while you were away') && !screen.includes('reconnecting'),
    );
  });

  it('pairs a new number on the same screen', async () => {
    // a notice that is still shown takes an Escape for itself
    for (let screen = ''; !screen.includes('Enter opens a conversation'); ) {
      const before = await terminal.screen();
      await terminal.press('Escape');
      screen = await terminal.until((now) => now !== before);
    }
    await terminal.press('p');
    await shows('Pair a number');
    await fill('carol');
    await fill('workspace2');
    await terminal.press('Enter');
    await shows(DRAWN_QR);
    await world.phones.scan(CAROL.number, await nextQr(world, 'carol'));
    const screen = await terminal.until((text) => text.includes('carol is connected'));
    expect(screen).to.not.include(DRAWN_QR);
    await world.phones.write(BOB.number, { to: CAROL.number, text: 'welcome, Carol' });
    await shows('welcome, Carol');
  });

  it('refuses an unknown session', async () => {
    const stranger = await Terminal.run(['inbox', '--session', 'nobody'], { columns: 80, rows: 10, env });
    const screen = await stranger.until((text) => text.includes('[ended with'));
    await stranger.close();
    expect(screen).to.include('there is no session nobody').and.include('[ended with 5]');
  });

  it('restores the terminal', async () => {
    await terminal.press('q');
    const screen = await shows('[ended with 0]');
    expect(screen).to.not.include('Bob');
  });
});
