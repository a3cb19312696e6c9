import { expect } from 'chai';
import type { RawSettings } from '../../src/config/schema.js';
import { ALICE, BOB, CAROL, linkSession, nextQr } from '../support/pairing.js';
import { Terminal } from '../support/terminal.js';
import { startWorld, TOKEN, type World } from '../support/world.js';

/** A screen that never comes must not hold the others up for long. */
const PATIENCE_MS = 40_000;
const DRAWN_QR = '█ ▄▄▄▄▄ █';

describe('the inbox in a real terminal', function () {
  this.timeout(PATIENCE_MS);
  let world: World;
  /** A restarted daemon comes back at the address that it had. */
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

  /** Types a text, and Enter once it is there. */
  const fill = async (text: string) => {
    await terminal.press(text);
    await shows(text);
    await terminal.press('Enter');
  };

  it('shows sessions and rooms, and opens a conversation', async () => {
    await shows('acme', 'Bob', '(1)');
    await terminal.press('Enter');
    // the list shows the words too; a key that comes before it is open would be lost
    await terminal.until((text) => !text.includes('Enter opens a conversation'));
    await shows('is anybody there?');
  });

  it('writes, and shows what arrives', async () => {
    await terminal.press('i');
    await fill('yes, here');
    await bobGets('yes, here');
    await fromBob('good to know');
    await shows('yes, here', 'good to know');
  });

  it('replies to the chosen message', async () => {
    await terminal.press('Escape');
    await shows('? keys');
    await terminal.press('r');
    await fill('you are welcome');
    const answer = await bobGets('you are welcome');
    expect(answer.quotedMessageId).to.be.a('string').that.is.not.equal('');
    await shows('you are welcome');
  });

  it('holds in 40 columns, and comes back to its full width', async () => {
    terminal.resize(40, 20);
    // a line that is too long would push the first one off the screen
    await terminal.until((screen) => /^ Bob/.test(screen) && screen.includes('you are welcome'));
    await fromBob('as narrow as that');
    await shows('as narrow as');
    terminal.resize(110, 40);
    await shows('acme', 'as narrow as that');
  });

  it('says that it reconnects while the daemon is restarted, and comes back with what it missed', async () => {
    await world.stopDaemon();
    await shows('reconnecting');
    await fromBob('while you were away');
    await world.startDaemon();
    await terminal.until(
      (screen) => screen.includes('while you were away') && !screen.includes('reconnecting'),
    );
  });

  it('pairs a new number inside', async () => {
    // an Escape and a key that comes at once would be one key
    await shows('Esc back');
    await terminal.press('Escape');
    await terminal.until((screen) => screen.includes('? keys') && !screen.includes('Esc back'));
    await terminal.press('Escape');
    await shows('Enter opens a conversation');
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

  it('does not begin for a session that is not there', async () => {
    const stranger = await Terminal.run(['inbox', '--session', 'nobody'], { columns: 80, rows: 10, env });
    const screen = await stranger.until((text) => text.includes('[ended with'));
    await stranger.close();
    expect(screen).to.include('there is no session nobody').and.include('[ended with 5]');
  });

  it('leaves the terminal as it was', async () => {
    await terminal.press('q');
    const screen = await shows('[ended with 0]');
    expect(screen).to.not.include('Bob');
  });
});
