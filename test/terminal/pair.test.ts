import { expect } from 'chai';
import { ALICE, BOB, nextQr, reached } from '../support/pairing.js';
import { Terminal } from '../support/terminal.js';
import { startWorld, TOKEN, type World } from '../support/world.js';

describe('pairing in a real terminal', () => {
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

  it('draws the QR, and ends by itself once the phone has scanned it', async () => {
    const terminal = await run(['pair', 'acme'], 100, 40);
    await terminal.until(drawsQr);
    await world.phones.scan(ALICE.number, await nextQr(world, 'acme'));
    const screen = await terminal.until((text) => text.includes('[ended with'));
    expect(screen).to.include('15550000001').and.include('[ended with 0]');
    expect(drawsQr(screen)).to.equal(false);
  });

  it('says that a terminal is too small for the QR, and draws it once it is larger', async () => {
    const terminal = await run(['pair', 'small'], 60, 20);
    const screen = await terminal.until((text) => /--phone/.test(text));
    expect(drawsQr(screen)).to.equal(false);
    terminal.resize(100, 40);
    await terminal.until(drawsQr);
    await terminal.press('C-c');
    expect(await terminal.until((text) => text.includes('[ended with'))).to.include('[ended with 130]');
  });

  it('shows the code for a phone number, and ends once it was typed', async () => {
    const terminal = await run(['pair', 'coded', '--phone', BOB.number], 80, 24);
    const screen = await terminal.until((text) => /[1-9A-Z]{4}-[1-9A-Z]{4}/.test(text));
    const [code = ''] = /[1-9A-Z]{4}-[1-9A-Z]{4}/.exec(screen) ?? [];
    await world.phones.enterCode(BOB.number, code);
    await reached(world, 'coded', 'connected');
    expect(await terminal.until((text) => text.includes('[ended with'))).to.include('[ended with 0]');
  });
});
