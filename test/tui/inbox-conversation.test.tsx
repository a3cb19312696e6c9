import { expect } from 'chai';
import stringWidth from 'string-width';
import { type ShownInbox, showConversation, showInbox } from './support/inbox.js';
import { KEYS } from './support/keys.js';
import { conversationOf, messageOf, roomOf, sessionOf } from './support/scripted-model.js';

const URL = 'http://127.0.0.1:3000/media/0b64d1b2-7c1f-4c57-9d1b-2f6f1f5f0a01/photo.jpg';
const PHOTO = { mediaType: 'image', fileName: 'photo.jpg', size: 1_234_567, url: URL };

const SIZES: [columns: number, rows: number][] = [
  [100, 24],
  [79, 20],
  [33, 12],
  [20, 8],
];

describe('the conversation of the terminal inbox', () => {
  let inbox: ShownInbox;
  afterEach(() => inbox.unmount());

  /** The messages' part of the screen, without the lists. */
  const rightPane = () =>
    inbox
      .frame()
      .split('\n')
      .map((line) => line.split('│')[1] ?? '');
  const lineWith = (text: string) => rightPane().find((line) => line.includes(text)) ?? '';

  it('shows who wrote what on which day, the newest at the bottom', async () => {
    inbox = await showConversation([
      messageOf('long ago', { sentAt: new Date(2025, 1, 3, 8, 0) }),
      messageOf('yesterday', { sentAt: new Date(2026, 10, 20, 9, 5) }),
      messageOf('first'),
      messageOf('second'),
      messageOf('answer', { fromMe: true }),
    ]);
    const lines = rightPane().map((line) => line.replace('▌', ' ').trim().replace(/─+/g, '─'));
    const start = lines.findIndex((line) => line.includes('3 February 2025'));
    expect(lines.slice(start, start + 12)).to.deep.equal([
      '─ 3 February 2025 ─',
      'Ada',
      '08:00 long ago',
      '─ Yesterday ─',
      'Ada',
      '09:05 yesterday',
      '─ Today ─',
      'Ada',
      '10:02 first',
      '10:02 second',
      'You',
      '10:02 answer',
    ]);
    expect(lines[start + 13]).to.equal('> i writes a message');
  });

  it('names somebody with a LID by the phone number, once it is known', async () => {
    const rooms = [roomOf('Ada', { to: '100000000000001@lid', phone: '' })];
    inbox = await showConversation([messageOf('Hello')], { rooms });
    expect(inbox.frame()).to.contain('Ada · 100000000000001@lid');
    inbox.model.change({ rooms: rooms.map((room) => ({ ...room, phone: '+15550000002' })) });
    expect(await inbox.frameWith('Ada · +15550000002')).to.not.contain('@lid');
  });

  it('says how far own messages have come, in words where there is no colour', async () => {
    const ticks = ['sent', 'delivered', 'read', 'played', 'failed'] as const;
    inbox = await showConversation(ticks.map((tick) => messageOf(`m-${tick}`, { fromMe: true, tick })));
    expect(lineWith('m-sent')).to.match(/m-sent ✓ *$/);
    expect(lineWith('m-delivered')).to.match(/m-delivered ✓✓ *$/);
    expect(lineWith('m-read')).to.match(/m-read ✓✓ read *$/);
    expect(lineWith('m-played')).to.match(/m-played ✓✓ played *$/);
    expect(lineWith('m-failed')).to.match(/m-failed ✗ failed *$/);
  });

  it('marks edits, forwards, assistants, deletions, quotes and reactions', async () => {
    inbox = await showConversation([
      messageOf('changed', { edited: true }),
      messageOf('passed on', { forwarded: true }),
      messageOf('by a bot', { fromAi: true, fromMe: true }),
      messageOf('never seen', { deleted: true }),
      messageOf('reply', { quoted: { author: 'Bob', body: 'the\nquestion' } }),
      messageOf('liked', {
        reactions: [
          { emoji: '❤️', count: 2, mine: false },
          { emoji: '👍', count: 1, mine: true },
        ],
      }),
    ]);
    expect(lineWith('changed')).to.contain('changed (edited)');
    expect(inbox.frame()).to.contain('↪ forwarded').and.contain('⊘ deleted').and.not.contain('never seen');
    expect(lineWith('by a bot')).to.contain('by a bot AI');
    expect(lineWith('Bob')).to.contain('┃ Bob: the ⏎ question');
    expect(lineWith('❤️')).to.contain('❤️ 2  👍 you');
  });

  it('shows files by name, size and link', async () => {
    inbox = await showConversation([
      messageOf('my cat', { type: 'image', attachment: PHOTO }),
      messageOf('', { type: 'audio', attachment: { mediaType: 'audio', fileName: '', size: 0, url: '' } }),
      messageOf('', { type: 'location' }),
    ]);
    expect(lineWith('photo.jpg ·')).to.contain('▤ photo.jpg · image · 1.2 MB');
    expect(inbox.frame()).to.contain(URL.slice(0, 50)).and.contain('my cat');
    expect(inbox.frame()).to.contain('▤ audio · not stored yet').and.contain('[location]');
  });

  it('shows a message whole with its full link', async () => {
    const body = Array.from({ length: 60 }, (_, line) => `line ${line}.`).join('\n');
    inbox = await showConversation([messageOf(body, { messageId: 'ABCDEF', attachment: PHOTO })]);
    await inbox.type('o');
    expect(inbox.frame()).to.contain('ABCDEF').and.contain('line 0.').and.contain('image · 1.2 MB');
    await inbox.type('j'.repeat(70));
    expect(inbox.frame().split('\n')).to.include(URL);
    await inbox.type(KEYS.escape);
    expect(inbox.frame()).to.contain('Sessions');
  });

  it('makes links of names where the terminal knows links', async () => {
    const state = { conversation: conversationOf([messageOf('', { attachment: PHOTO })]) };
    inbox = showInbox(state, { columns: 100, rows: 24 }, { color: false, bidi: false, links: true });
    expect(inbox.frame()).to.contain(`\u001b]8;;${URL}\u0007photo.jpg\u001b]8;;\u0007`);
    for (const line of inbox.frame().split('\n')) expect(stringWidth(line)).to.be.at.most(100);
  });

  it('keeps names and words apart where the terminal orders text', async () => {
    const state = { conversation: conversationOf([messageOf('שלום')]), rooms: [roomOf('דוד')] };
    inbox = showInbox(state, { columns: 100, rows: 24 }, { color: false, bidi: true, links: false });
    expect(inbox.frame()).to.contain('\u2068שלום\u2069').and.contain('\u2068דוד\u2069');
  });

  it('holds its columns whatever is written', async () => {
    const nasty = [
      '👨‍👩‍👧‍👦👍🏽🇩🇪 1️⃣ ❤️ 日本語のとても長い文章がここにありますから折り返しが必要です',
      'שלום עולם 123 مرحبا بالعالم',
      `zalgo ${'o\u0301\u0302\u0303'.repeat(80)}`,
      'हिन्दी में लिखना \u001b[2J\u0007 tab\there \u202eesrever',
      'x'.repeat(300),
    ];
    const messages = nasty.map((text) =>
      messageOf(text, { author: text, quoted: { author: text, body: text } }),
    );
    const rooms = nasty.map((text) => roomOf(text, { lastMessage: text, unreadCount: 12 }));
    const sessions = [sessionOf('acme', { status: 'reconnecting', reason: nasty.join(' ') })];
    inbox = await showConversation(messages, { rooms, sessions });
    for (const size of SIZES) {
      inbox.resize(...size);
      await inbox.frameThat((frame) => frame.split('\n').length === size[1] - 1);
      await inbox.type(KEYS.left);
      expectFits(size);
      await inbox.type(KEYS.right);
      expectFits(size);
    }
  });

  function expectFits([columns, rows]: readonly [number, number]): void {
    const lines = inbox.frame().split('\n');
    expect(lines).to.have.length(rows - 1);
    for (const line of lines) expect(stringWidth(line), line).to.be.at.most(columns);
    const bars = new Set(
      lines.filter((line) => line.includes('│')).map((line) => stringWidth(line.split('│')[0] ?? '')),
    );
    expect(bars.size).to.be.at.most(1);
  }

  it('shows what is on its way, and how far', async () => {
    inbox = await showConversation();
    inbox.model.change({
      outgoing: [
        { id: 1, chatRoomId: 'room-Ada', label: 'film.mp4', progress: { sent: 45, total: 100 } },
        { id: 2, chatRoomId: 'room-Bob', label: 'elsewhere', progress: undefined },
      ],
    });
    await inbox.frameWith('↑ film.mp4', '45 %');
    expect(inbox.frame()).not.to.contain('elsewhere');
  });

  it('sends read receipts when asked to', async () => {
    inbox = await showConversation();
    await inbox.type('m');
    expect(inbox.model.asked).to.deep.equal([['markRead']]);
  });

  it('is closed with Escape', async () => {
    inbox = await showConversation();
    await inbox.type(KEYS.escape);
    expect(inbox.model.asked).to.deep.equal([['closeRoom']]);
    expect(inbox.frame()).to.contain('Enter opens a conversation');
  });

  it('gives the keys to the rooms when it is gone', async () => {
    inbox = await showConversation();
    await inbox.type('i');
    inbox.model.change({ conversation: undefined });
    await inbox.frameWith('Enter opens a conversation');
    await inbox.type('j', KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([['openRoom', 'room-Bob']]);
  });
});
