import { expect } from 'chai';
import type { PairEnd, PairItem } from '../../../src/terminal/cli/pair.js';
import { PairScreen, renderPairScreen } from '../../../src/terminal/tui/pair/pair-screen.js';
import { qrText, smallQrText } from '../../../src/terminal/tui/pair/qr.js';
import type { TerminalSize } from '../../../src/terminal/tui/screen.js';
import { ItemFeed } from './item-feed.js';
import { draw, type Look, onTerminal, type Rendered } from './support/rendered.js';
import { VirtualTerminal, type VirtualTerminalOptions } from './support/virtual-terminal.js';

/** As long as a real one: an address, a reference, three keys and the platform. */
const QR = `https://wa.me/settings/linked_devices#2@${'x'.repeat(64)},${'abc'.replace(/./g, (key) => `${key.repeat(44)},`)}1`;
const LARGE = { columns: 100, rows: 40 };

/** In the palette of a terminal. */
const WHITE = 15;
const BLACK = 0;
const PROMPT = '$ switchboard pair acme';

describe('the pairing below the prompt of a shell', () => {
  let feed: ItemFeed<PairItem>;
  let screen: Omit<Rendered, 'unmount'>;
  let ended: Promise<PairEnd>;

  afterEach(async () => {
    feed.give({ type: 'failed', reason: 'the test is over', code: 'interrupted', suggestions: [] });
    feed.end();
    await ended;
  });

  const show = async (size = LARGE, options: VirtualTerminalOptions = {}) => {
    feed = new ItemFeed();
    const terminal = new VirtualTerminal(size, options);
    terminal.stdout.write(`${PROMPT}\r\n`);
    screen = onTerminal(terminal);
    ended = renderPairScreen('acme', undefined, terminal)(feed);
    await screen.frameWith('acme: waiting');
  };

  it('says that it waits for the network', async () => {
    await show();
    expect(screen.frame()).to.contain('acme: waiting for the network');
  });

  it('draws the whole QR, and says where to scan it', async () => {
    await show();
    feed.give({ type: 'status', status: 'qr' });
    feed.give({ type: 'qr', qr: QR });
    const frame = await screen.frameWith('scan the QR on the phone');
    expect(frame).to.contain(qrText(QR).lines.join('\n'));
  });

  it('replaces the QR by the next one', async () => {
    await show();
    feed.give({ type: 'status', status: 'qr' });
    feed.give({ type: 'qr', qr: QR });
    await screen.frameWith('scan the QR');
    const next = QR.replaceAll('x'.repeat(64), 'y'.repeat(64));
    feed.give({ type: 'qr', qr: next });
    const frame = await screen.frameWith(qrText(next).lines.join('\n'));
    expect(frame).not.to.contain(qrText(QR).lines.join('\n'));
  });

  it('draws the QR with small blocks in a terminal of 80x24, and says what to do where they cannot be seen', async () => {
    await show({ columns: 80, rows: 24 });
    feed.give({ type: 'status', status: 'qr' });
    feed.give({ type: 'qr', qr: QR });
    const frame = await screen.frameWith('scan the QR on the phone');
    expect(frame).to.contain(smallQrText(QR).lines.join('\n'));
    expect(frame).to.contain('--qr-file').and.to.contain('--link').and.to.contain('--phone');
  });

  it('says how large a terminal must be, and offers the code', async () => {
    await show({ columns: 80, rows: 20 });
    feed.give({ type: 'status', status: 'qr' });
    feed.give({ type: 'qr', qr: QR });
    const frame = await screen.frameWith('--phone');
    expect(frame).to.contain('30x23').and.contain('80x20');
    expect(frame).not.to.contain('█');
  });

  it('draws the QR once the terminal has become large enough', async () => {
    await show({ columns: 80, rows: 20 });
    feed.give({ type: 'status', status: 'qr' });
    feed.give({ type: 'qr', qr: QR });
    await screen.frameWith('--phone');
    await screen.resize(100, 40);
    await screen.frameWith(qrText(QR).lines.join('\n'));
  });

  it('removes an expired QR', async () => {
    await show();
    feed.give({ type: 'status', status: 'qr' });
    feed.give({ type: 'qr', qr: QR });
    await screen.frameWith('█');
    feed.give({ type: 'status', status: 'initializing' });
    expect(await screen.frameWith('waiting for the network')).not.to.contain('█');
  });

  it('shows a code and where to type it', async () => {
    await show();
    feed.give({ type: 'code', code: 'ABCD-EFGH' });
    expect(await screen.frameWith('ABCD-EFGH')).to.contain('Linked devices');
  });

  it('shows the progress of the history import', async () => {
    await show();
    feed.give({ type: 'qr', qr: QR });
    feed.give({ type: 'history', progress: 40, messages: 1_234 });
    const frame = await screen.frameWith('importing the history: 40 % (1,234 messages)');
    expect(frame).to.contain('acme: linked').and.not.to.contain('█');
  });

  it('shows the one-time address', async () => {
    await show();
    feed.give({ type: 'link', url: 'https://gateway.example.com/pair/acme.abc', expiresAt: '2026' });
    const frame = await screen.frameWith('https://gateway.example.com/pair/acme.abc');
    expect(frame).to.contain('15 minutes').and.to.contain('acme: waiting for the owner');
    expect(frame).to.not.contain('--public-url');
  });

  it('warns of a one-time address that only this machine can open', async () => {
    await show();
    feed.give({ type: 'link', url: 'http://127.0.0.1:3000/pair/acme.abc', expiresAt: '2026' });
    expect(await screen.frameWith('only this machine can open this address')).to.contain('--public-url');
  });

  it('says in plain words what a passkey demand asks for, in place of the QR', async () => {
    await show();
    feed.give({ type: 'qr', qr: QR });
    feed.give({
      type: 'passkey',
      step: 'assertion_needed',
      secondsLeft: 300,
      url: 'https://g.example/pair/a.b',
    });
    const frame = await screen.frameWith('https://g.example/pair/a.b');
    expect(frame).to.contain("asks for the account's passkey").and.not.to.contain('█');
    expect(frame).to.contain('switchboard pair acme --passkey-file FILE');
    feed.give({ type: 'passkey', step: 'sending', secondsLeft: 60 });
    expect(await screen.frameWith('The answer was sent')).not.to.contain('https://');
  });

  it('confirms the code with Enter, and says why that failed', async () => {
    await show();
    let outcome: Promise<void> = Promise.reject(new Error('the ceremony has expired'));
    outcome.catch(() => undefined);
    let confirmed = 0;
    const confirm = () => {
      confirmed += 1;
      return outcome;
    };
    feed.give({ type: 'passkey', step: 'confirm_code', secondsLeft: 60, code: 'ABCD-EFGH', confirm });
    await screen.frameWith('ABCD-EFGH');
    await screen.frameWith('press Enter');
    await screen.type('\r');
    await screen.frameWith('the ceremony has expired');
    outcome = Promise.resolve();
    feed.give({ type: 'passkey', step: 'finishing', secondsLeft: 60 });
    await screen.frameWith('acme: finishing the link');
    expect(confirmed).to.equal(1);
  });

  it('ends with the jid of the connected number', async () => {
    await show();
    const end: PairEnd = { type: 'connected', jid: '15550000001@s.whatsapp.net' };
    feed.give({ type: 'qr', qr: QR });
    feed.give(end);
    expect(await screen.frameWith('✓ acme is connected as 15550000001@s.whatsapp.net')).not.to.contain('█');
    expect(await ended).to.deep.equal(end);
  });

  it('leaves nothing but the last line below the prompt', async () => {
    await show();
    feed.give({ type: 'qr', qr: QR });
    await screen.frameWith('█');
    feed.give({ type: 'connected', jid: '15550000001@s.whatsapp.net' });
    await ended;
    await screen.drawn();
    expect(screen.frame().trimEnd()).to.equal(`${PROMPT}\n✓ acme is connected as 15550000001@s.whatsapp.net`);
    expect(screen.terminal.modes.isAlternate).to.equal(false);
    expect(screen.terminal.cursor).to.deep.equal({ row: 2, column: 0 });
  });

  it('draws the QR light on dark, whatever colours the terminal has', async () => {
    await show(LARGE, { env: { TERM: 'xterm-256color' } });
    feed.give({ type: 'qr', qr: QR });
    await screen.frameWith('█');
    expect(screen.terminal.styleOf('█')).to.deep.equal({ color: WHITE, back: BLACK });
  });

  it('draws the QR without colours where they are forbidden', async () => {
    await show(LARGE, { env: { TERM: 'xterm-256color', NO_COLOR: '1' } });
    feed.give({ type: 'qr', qr: QR });
    await screen.frameWith('█');
    for (const style of screen.terminal.styles()) expect(style).to.not.have.any.keys('color', 'back');
  });

  it('prints the script of a passkey demand above, in one piece', async () => {
    await show({ columns: 40, rows: 40 });
    const snippet = `(${'script'.repeat(20)})()`;
    feed.give({ type: 'passkey', step: 'assertion_needed', secondsLeft: 300, snippet });
    await screen.frameWith('waiting for the passkey');
    await screen.drawn();
    expect(screen.frame().replaceAll('\n', '')).to.match(
      /^\$ switchboard pair acme\(script.*script\)\(\)WhatsApp/,
    );
    expect(screen.terminal.written).to.include(`${snippet}\n\n`);
  });

  it('ends with a failure and its reason', async () => {
    await show();
    const end: PairEnd = { type: 'failed', reason: 'why', code: 'failure', suggestions: [] };
    feed.give(end);
    await screen.frameWith('✗ acme is not paired');
    expect(await ended).to.deep.equal(end);
  });
});

describe('the pairing on the whole screen', () => {
  let feed: ItemFeed<PairItem>;
  let screen: Rendered;
  const show = async (size: TerminalSize, look?: Look) => {
    feed = new ItemFeed();
    screen = await draw(<PairScreen clientId="acme" items={feed} onEnd={() => undefined} />, size, look);
  };
  afterEach(() => {
    feed.end();
    return screen.unmount();
  });

  it('names the command that prints the script, where it does not print it', async () => {
    await show(LARGE);
    feed.give({ type: 'passkey', step: 'assertion_needed', secondsLeft: 300 });
    const frame = await screen.frameWith("asks for the account's passkey");
    expect(frame).to.contain('switchboard pair acme').and.not.to.contain('--passkey-file');
  });

  it('draws the QR light on dark, and says how to go back', async () => {
    await show(LARGE, { env: { COLORTERM: 'truecolor', TERM: 'xterm' }, theme: 'light' });
    feed.give({ type: 'qr', qr: QR });
    const frame = await screen.frameWith(qrText(QR).lines.join('\n'));
    expect(frame).to.contain('Esc goes back');
    expect(screen.terminal.styleOf('█')).to.deep.equal({ color: '#ffffff', back: '#000000' });
  });

  it('shows what to do where not all lines fit', async () => {
    await show({ columns: 30, rows: 6 });
    feed.give({ type: 'passkey', step: 'assertion_needed', secondsLeft: 300, url: 'https://g.example/a.b' });
    const frame = await screen.frameWith('switchboard pair acme', 'waiting for the passkey');
    expect(frame.split('\n').at(-1)).to.equal('Esc goes back');
    expect(frame).to.not.contain("asks for the account's");
  });

  it('cuts the advice below a small QR at the edge of the terminal', async () => {
    await show({ columns: 40, rows: 30 });
    feed.give({ type: 'qr', qr: QR });
    const frame = await screen.frameWith('No QR above, or the phone does not read');
    expect(frame).to.match(/^No QR above, or the phone does not read…$/m);
  });

  it('draws again with Ctrl+L', async () => {
    await show(LARGE);
    screen.terminal.stdout.write('\u001b[3;1Hwritten by another program');
    await screen.frameWith('written by another program');
    await screen.type('\f');
    expect(screen.frame()).to.contain('acme: waiting').and.not.contain('another program');
  });
});

describe('the QR as text', () => {
  it('draws the same modules with small blocks as with large ones', () => {
    const large = qrText(QR).lines.flatMap((line) =>
      ['█▀', '█▄'].map((light) => [...line].map((block) => light.includes(block))),
    );
    const { lines, columns, rows } = smallQrText(QR);
    expect({ columns, rows }).to.deep.equal({ columns: 30, rows: 20 });
    const small = lines.flatMap((line) =>
      [0, 2, 4].map((at) => [...line].flatMap((block) => [isFilled(block, at), isFilled(block, at + 1)])),
    );
    const [, ...modules] = large;
    expect(modules).to.have.lengthOf(59);
    expect(small.slice(0, 59).map((row) => row.slice(0, 59))).to.deep.equal(modules);
  });

  it('takes 59 columns and 30 rows for a pairing', () => {
    const { columns, rows, lines } = qrText(QR);
    expect({ columns, rows }).to.deep.equal({ columns: 59, rows: 30 });
    expect(lines.every((line) => line.length === columns)).to.equal(true);
  });
});

/** Whether a block of six fills one of them, from the upper left one; by the names of Unicode's chart. */
function isFilled(block: string, at: number): boolean {
  const half = new Map([
    [' ', []],
    ['█', [0, 1, 2, 3, 4, 5]],
    ['▌', [0, 2, 4]],
    ['▐', [1, 3, 5]],
  ]).get(block);
  if (half) return half.includes(at);
  // the chart counts up in binary and leaves out the four above
  const bits = Array.from({ length: 64 }, (_, index) => index).filter(
    (index) => ![0, 21, 42, 63].includes(index),
  );
  return ((bits[(block.codePointAt(0) ?? 0) - 0x1fb00] ?? 0) & (1 << at)) !== 0;
}
