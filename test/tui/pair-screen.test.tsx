import { expect } from 'chai';
import type { PairEnd, PairItem } from '../../src/cli/pair.js';
import { qrText } from '../../src/tui/qr-text.js';
import { PairScreen } from '../../src/tui/screens/pair-screen.js';
import { ItemFeed } from './item-feed.js';
import { draw, type Rendered } from './rendered.js';

/** As long as the network's: an address, a reference, three keys and the platform. */
const QR = `https://wa.me/settings/linked_devices#2@${'x'.repeat(64)},${'abc'.replace(/./g, (key) => `${key.repeat(44)},`)}1`;
const LARGE = { columns: 100, rows: 40 };

describe('the pairing screen', () => {
  let feed: ItemFeed<PairItem>;
  let screen: Rendered;
  let ended: Promise<PairEnd>;
  let onEnd: (end: PairEnd) => void;

  beforeEach(() => {
    feed = new ItemFeed();
    ended = new Promise((resolve) => {
      onEnd = resolve;
    });
  });
  afterEach(() => {
    feed.end();
    screen.unmount();
  });

  const show = (size = LARGE) => {
    screen = draw(<PairScreen clientId="acme" items={feed} color={false} onEnd={onEnd} />, size);
  };

  it('says what it waits for', () => {
    show();
    expect(screen.frame()).to.contain('acme: waiting for the network');
  });

  it('draws the QR whole, and where to scan it', async () => {
    show();
    feed.give({ type: 'status', status: 'qr' });
    feed.give({ type: 'qr', qr: QR });
    const frame = await screen.frameWith('scan it on the phone');
    expect(frame).to.contain(qrText(QR).lines.join('\n'));
  });

  it('draws the next QR in place of the one before', async () => {
    show();
    feed.give({ type: 'status', status: 'qr' });
    feed.give({ type: 'qr', qr: QR });
    await screen.frameWith('scan it');
    const next = QR.replaceAll('x'.repeat(64), 'y'.repeat(64));
    feed.give({ type: 'qr', qr: next });
    const frame = await screen.frameWith(qrText(next).lines.join('\n'));
    expect(frame).not.to.contain(qrText(QR).lines.join('\n'));
  });

  it('says how large a terminal must be, and offers the code', async () => {
    show({ columns: 80, rows: 24 });
    const { columns, rows } = qrText(QR);
    feed.give({ type: 'status', status: 'qr' });
    feed.give({ type: 'qr', qr: QR });
    const frame = await screen.frameWith('--phone');
    expect(frame)
      .to.contain(`${columns}x${rows + 1}`)
      .and.contain('80x24');
    expect(frame).not.to.contain('█');
  });

  it('draws the QR once the terminal has become large enough', async () => {
    show({ columns: 80, rows: 24 });
    feed.give({ type: 'status', status: 'qr' });
    feed.give({ type: 'qr', qr: QR });
    await screen.frameWith('--phone');
    screen.resize(100, 40);
    await screen.frameWith(qrText(QR).lines.join('\n'));
  });

  it('takes a QR away that is no longer good', async () => {
    show();
    feed.give({ type: 'status', status: 'qr' });
    feed.give({ type: 'qr', qr: QR });
    await screen.frameWith('█');
    feed.give({ type: 'status', status: 'initializing' });
    expect(await screen.frameWith('waiting for the network')).not.to.contain('█');
  });

  it('shows a code and where to type it', async () => {
    show();
    feed.give({ type: 'code', code: 'ABCD-EFGH' });
    expect(await screen.frameWith('ABCD-EFGH')).to.contain('Linked devices');
  });

  it('shows how the past of the number comes in', async () => {
    show();
    feed.give({ type: 'qr', qr: QR });
    feed.give({ type: 'history', progress: 40, messages: 1_234 });
    const frame = await screen.frameWith('taking the history in: 40 % (1,234 messages)');
    expect(frame).to.contain('acme: linked').and.not.to.contain('█');
  });

  it('ends with who is connected', async () => {
    show();
    const end: PairEnd = { type: 'connected', jid: '15550000001@s.whatsapp.net' };
    feed.give({ type: 'qr', qr: QR });
    feed.give(end);
    expect(await screen.frameWith('✓ acme is connected as 15550000001@s.whatsapp.net')).not.to.contain('█');
    expect(await ended).to.deep.equal(end);
  });

  it('ends with a failure, whose reason is printed after it', async () => {
    show();
    const end: PairEnd = { type: 'failed', reason: 'why', code: 'failure', suggestions: [] };
    feed.give(end);
    await screen.frameWith('✗ acme is not paired');
    expect(await ended).to.deep.equal(end);
  });
});

describe('the QR as text', () => {
  it('takes 59 columns and 30 rows for a pairing', () => {
    const { columns, rows, lines } = qrText(QR);
    expect({ columns, rows }).to.deep.equal({ columns: 59, rows: 30 });
    expect(lines.every((line) => line.length === columns)).to.equal(true);
  });
});
