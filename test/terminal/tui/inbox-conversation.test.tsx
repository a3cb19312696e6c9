import { expect } from 'chai';
import { conversationRows, type ShownInbox, showConversation, showInbox, USUAL } from './support/inbox.js';
import { KEYS } from './support/rendered.js';
import { conversationOf, messageOf, roomOf, sessionOf } from './support/scripted-model.js';

const URL = 'http://127.0.0.1:3000/media/0b64d1b2-7c1f-4c57-9d1b-2f6f1f5f0a01/photo.jpg';
const PHOTO = { mediaType: 'image', fileName: 'photo.jpg', size: 1_234_567, url: URL };

/** Columns and rows that the screen must leave empty. */
const MARGIN = 10;
const SIZES: [columns: number, rows: number][] = [
  [100, 24],
  [79, 20],
  [33, 12],
  [20, 8],
];

describe('the conversation of the terminal inbox', () => {
  let inbox: ShownInbox;
  afterEach(() => inbox.unmount());

  const rightPane = () => conversationRows(inbox.frame());
  const lineWith = (text: string) => rightPane().find((line) => line.includes(text)) ?? '';

  it('shows authors, days and messages, the newest at the bottom', async () => {
    inbox = await showConversation([
      messageOf('long ago', { sentAt: new Date(2025, 1, 3, 8, 0) }),
      messageOf('yesterday', { sentAt: new Date(2026, 10, 20, 9, 5) }),
      messageOf('first'),
      messageOf('second'),
      messageOf('answer', { fromMe: true }),
    ]);
    const lines = rightPane().map((line) => line.replace('▌', ' ').trim().replace(/─+/g, '─'));
    const start = lines.findIndex((line) => line.includes('3 February 2025'));
    expect(lines.slice(start, start + 9)).to.deep.equal([
      '─ 3 February 2025 ─',
      '▎ long ago  08:00',
      '─ Yesterday ─',
      '▎ yesterday  09:05',
      '─ Today ─',
      '▎ first  10:02',
      '▎ second  10:02',
      '',
      'answer  10:02 ▕',
    ]);
    expect(inbox.frame()).to.contain('> press i to write a message');
  });

  it('sets messages of several rows apart from their neighbours', async () => {
    inbox = await showConversation([
      messageOf('first'),
      messageOf('second'),
      messageOf('two\nrows'),
      messageOf('last'),
    ]);
    const lines = rightPane().map((line) => line.replace('▌', ' ').trim());
    const start = lines.findIndex((line) => line.includes('first'));
    expect(lines.slice(start, start + 6).map((line) => line.replace(/ +10:02$/, ''))).to.deep.equal([
      '▎ first',
      '▎ second',
      '',
      '▎ two',
      '▎ rows',
      '',
    ]);
  });

  it('names the author above the messages of a group', async () => {
    const rooms = [roomOf('Ada', { isGroup: true })];
    const authors = ['Bob', 'Bob', 'Carol'];
    inbox = await showConversation(
      authors.map((author, place) => messageOf(`text ${place}`, { author })),
      { rooms },
    );
    const lines = rightPane().map((line) => line.replace('▌', ' ').trim());
    const start = lines.indexOf('Bob');
    expect(lines.slice(start, start + 6)).to.deep.equal([
      'Bob',
      '▎ text 0  10:02',
      '▎ text 1  10:02',
      '',
      'Carol',
      '▎ text 2  10:02',
    ]);
  });

  it('shows own messages at the right side, and those of others at the left', async () => {
    inbox = await showConversation([messageOf('theirs'), messageOf('ours', { fromMe: true })]);
    expect(lineWith('theirs').indexOf('theirs')).to.equal(3);
    expect(lineWith('ours')).to.match(/ours {2}10:02 ▕ ?$/);
  });

  it('draws a line above the messages that were unread when it was opened', async () => {
    const messages = [messageOf('old'), messageOf('new'), messageOf('newer')];
    inbox = await showConversation(messages, {
      conversation: conversationOf(messages, { unreadFrom: messages[1]?.messageId ?? '' }),
    });
    const lines = rightPane();
    const rule = lines.findIndex((line) => /─ unread ─/.test(line));
    expect(lines[rule - 1]).to.contain('old');
    expect(lines[rule + 1]).to.contain('new');
    await inbox.type('U');
    expect(lineWith('new ')).to.contain('▌');
  });

  it('says what a message is: a call, a poll, a voice note, or one that cannot be read', async () => {
    const voice = { mediaType: 'audio', fileName: '', size: 81_000, url: URL, seconds: 64, voice: true };
    inbox = await showConversation([
      messageOf('Missed voice call', { type: 'call' }),
      messageOf('Pizza?\n○ yes', { type: 'poll' }),
      messageOf('', { type: 'audio', attachment: voice }),
      messageOf('', { type: 'unknown', unreadable: 'no key of this device fits' }),
    ]);
    const frame = inbox.frame();
    expect(frame).to.contain('✆ Call').and.contain('Missed voice call').and.contain('▥ Poll');
    expect(frame).to.contain('♪ voice note · 1:04 · 81 kB');
    expect(frame).to.contain('⚠ cannot be read here: no key');
  });

  it('opens and saves the file of a message', async () => {
    inbox = await showConversation([messageOf('', { type: 'image', attachment: PHOTO })]);
    expect(inbox.frame()).to.contain('O open file');
    await inbox.type('O', 'S', KEYS.ctrlU, '/tmp/here', KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([
      ['openFile', URL],
      ['saveFile', URL, '/tmp/here'],
    ]);
  });

  it('shows the phone number of a person with a LID once it is known', async () => {
    const rooms = [roomOf('Ada', { to: '100000000000001@lid', phone: '' })];
    inbox = await showConversation([messageOf('Hello')], { rooms });
    expect(inbox.frame()).to.contain('Ada · 100000000000001@lid');
    inbox.model.change({ rooms: rooms.map((room) => ({ ...room, phone: '+15550000002' })) });
    expect(await inbox.frameWith('Ada · +15550000002')).to.not.contain('@lid');
  });

  it('shows ticks on own messages, with words if there is no colour', async () => {
    const ticks = ['sent', 'delivered', 'read', 'played', 'failed'] as const;
    inbox = await showConversation(ticks.map((tick) => messageOf(`m-${tick}`, { fromMe: true, tick })));
    expect(lineWith('m-sent')).to.match(/m-sent +10:02 ✓ ▕/);
    expect(lineWith('m-delivered')).to.match(/m-delivered +10:02 ✓✓ ▕/);
    expect(lineWith('m-read')).to.match(/m-read +10:02 ✓✓ read ▕/);
    expect(lineWith('m-played')).to.match(/m-played +10:02 ✓✓ played ▕/);
    expect(lineWith('m-failed')).to.match(/m-failed +10:02 ✗ not sent ▕/);
  });

  it('marks edits, forwards, assistants, deletions, quotes and reactions', async () => {
    const reactions = [
      { emoji: '❤️', count: 2, mine: false },
      { emoji: '👍', count: 1, mine: true },
    ];
    const messages = [
      messageOf('changed', { edited: true }),
      messageOf('passed on', { forwarded: true }),
      messageOf('by a bot', { fromAi: true, fromMe: true }),
      messageOf('never seen', { deleted: true }),
      messageOf('reply', { quoted: { author: 'Bob', body: 'the\nquestion' } }),
      messageOf('liked', { reactions }),
    ];
    inbox = await showConversation(messages, {}, { ...USUAL, rows: 32 });
    expect(lineWith('changed')).to.match(/changed +\(edited\) 10:02/);
    expect(inbox.frame()).to.contain('↪ forwarded').and.contain('⊘ deleted').and.not.contain('never seen');
    expect(lineWith('by a bot')).to.match(/by a bot +AI 10:02/);
    expect(lineWith('Bob')).to.contain('┃ Bob: the ⏎ question');
    expect(lineWith('❤️')).to.contain('❤️ 2   👍 you');
  });

  it('shows files by name, size and link', async () => {
    inbox = await showConversation([
      messageOf('my cat', { type: 'image', attachment: PHOTO }),
      messageOf('', { type: 'audio', attachment: { mediaType: 'audio', fileName: '', size: 0, url: '' } }),
      messageOf('', { type: 'location' }),
    ]);
    expect(lineWith('photo.jpg ·')).to.contain('▣ photo.jpg · image · 1.2 MB');
    expect(inbox.frame()).to.contain('my cat').and.contain('♪ audio · not stored yet').and.contain('◎ Place');
  });

  it('shows all facts of a message with its full link', async () => {
    const body = Array.from({ length: 60 }, (_, line) => `line ${line}.`).join('\n');
    inbox = await showConversation([messageOf(body, { messageId: 'ABCDEF', attachment: PHOTO })]);
    await inbox.type('o');
    expect(inbox.frame()).to.contain('ABCDEF').and.contain('line 0.').and.contain('image · 1.2 MB');
    await inbox.type('j'.repeat(70));
    expect(inbox.frame().split('\n')).to.include(URL);
    await inbox.type(KEYS.escape);
    expect(inbox.frame()).to.contain('Sessions');
  });

  it('makes file names, and links that no desktop opens, links if the terminal supports links', async () => {
    const notice = { level: 'warning', text: URL, link: URL, suggestions: [] } as const;
    const state = { conversation: conversationOf([messageOf('', { attachment: PHOTO })]), notice };
    const look = { env: { TERM: 'dumb', TERM_PROGRAM: 'WezTerm' }, margin: MARGIN };
    inbox = await showInbox(state, { columns: 100, rows: 24 }, look);
    expect(inbox.terminal.links).to.deep.include({ text: 'photo.jpg', url: URL });
    expect(inbox.terminal.links).to.deep.include({ text: URL, url: URL });
    expect(inbox.terminal.outside()).to.equal('');
  });

  it('isolates names and texts if the terminal orders text by direction', async () => {
    const state = { conversation: conversationOf([messageOf('שלום')]), rooms: [roomOf('דוד')] };
    const env = { TERM: 'dumb', VTE_VERSION: '7006' };
    inbox = await showInbox(state, { columns: 100, rows: 24 }, { env });
    // xterm has no bidi support, and would draw the isolates
    expect(inbox.terminal.written.join('')).to.contain('\u2068שלום\u2069').and.contain('\u2068דוד\u2069');
  });

  it('keeps its columns with any text', async () => {
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
    inbox = await showConversation(messages, { rooms, sessions }, USUAL, { margin: MARGIN });
    for (const size of SIZES) {
      await inbox.resize(...size);
      await inbox.type(KEYS.left);
      expectFits(size);
      await inbox.type(KEYS.right);
      expectFits(size);
    }
  });

  function expectFits([columns, rows]: readonly [number, number]): void {
    expect(inbox.terminal.outside()).to.equal('');
    const ends = inbox.terminal.rowEnds();
    // the last row has the keys
    expect(ends).to.have.length(rows);
    expect(ends.at(-1)?.text).to.not.equal('');
    // the frames of all panes end in the last column
    for (const { text, column } of ends) if (/[│┃]/.test(text)) expect(column).to.equal(columns - 1);
  }

  it('shows messages that are being sent, with progress', async () => {
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

  it('sends read receipts with m', async () => {
    inbox = await showConversation();
    await inbox.type('m');
    expect(inbox.model.asked).to.deep.equal([['markRead']]);
  });

  it('closes with Escape', async () => {
    inbox = await showConversation();
    await inbox.type(KEYS.escape);
    expect(inbox.model.asked).to.deep.equal([['closeRoom']]);
    expect(inbox.frame()).to.contain('Enter opens a conversation');
  });

  it('moves the focus to the rooms when the conversation disappears', async () => {
    inbox = await showConversation();
    await inbox.type('i');
    inbox.model.change({ conversation: undefined });
    await inbox.frameWith('Enter opens a conversation');
    await inbox.type('j', KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([['openRoom', 'room-Bob']]);
  });
});
