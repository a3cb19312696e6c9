import { expect } from 'chai';
import { type MessageRow, messageItems } from '../../../../src/terminal/cli/inbox/message-item.js';
import { roomItem } from '../../../../src/terminal/cli/inbox/room-item.js';

const CHAT = {
  chatRoomId: 'acme-100-200',
  name: 'Bob',
  isGroup: false,
  ownJid: '15550000001@s.whatsapp.net',
};
const GROUP = { ...CHAT, chatRoomId: 'acme-100-120363000000000001', name: 'Team', isGroup: true };

const ROW: MessageRow = {
  messageId: 'A',
  clientId: 'acme',
  chatRoomId: CHAT.chatRoomId,
  body: 'hello',
  messageType: 'chat',
  fromMe: false,
  pushname: 'Bob',
  sentAt: '2026-01-02T03:04:05.000Z',
  deleted: false,
  fromAi: false,
};

const row = (changes: Partial<MessageRow>): MessageRow => ({ ...ROW, ...changes });
const item = (changes: Partial<MessageRow>, chat = CHAT) => {
  const [read] = messageItems([row(changes)], chat);
  if (!read) throw new Error('a row is an item');
  return read;
};

describe('a message of the inbox', () => {
  it('a message may have only the required fields', () => {
    expect(item({})).to.deep.equal({
      messageId: 'A',
      type: 'chat',
      body: 'hello',
      fromMe: false,
      author: 'Bob',
      sentAt: new Date('2026-01-02T03:04:05.000Z'),
      deleted: false,
      edited: false,
      forwarded: false,
      fromAi: false,
      tick: undefined,
      quoted: undefined,
      reactions: [],
      attachment: undefined,
    });
  });

  it('a message contains no terminal control sequences', () => {
    const evil = '\u001b]0;title\u0007\u202eabc\r\nnext\tline\u0085';
    const media = {
      mimeType: 'application/pdf',
      mediaType: 'document',
      fileName: 'a\u001b[2J\n.pdf',
      fileSize: 1,
    };
    const read = item({ body: evil, pushname: 'Bo\nb\u001b[31m', media, downloadUrl: 'http://x/\u001b' });
    expect(read.body).to.equal(']0;titleabc\nnext  line');
    expect(read.author).to.equal('Bo ⏎ b[31m');
    expect(read.attachment).to.deep.equal({
      mediaType: 'document',
      fileName: 'a[2J ⏎ .pdf',
      size: 1,
      url: 'http://x/',
    });
  });

  it('keeps emoji that are joined of several, and text from right to left', () => {
    for (const body of ['👨‍👩‍👧‍👦 🇩🇪 👍🏽', 'مرحبا بالعالم', 'שלום'])
      expect(item({ body }).body).to.equal(body);
  });

  it('counts reactions, the most frequent first, and recognises the own one by either address', () => {
    const reactions = { '200': '👍', '300': '🎉', '15550000001': '🎉' };
    expect(item({ extras: { reactions } }).reactions).to.deep.equal([
      { emoji: '🎉', count: 2, mine: true },
      { emoji: '👍', count: 1, mine: false },
    ]);
    expect(item({ extras: { reactions: { '100': '👍' } } }).reactions[0]?.mine).to.equal(true);
  });

  it('a message names authors of groups by their name, else their number, else their LID', () => {
    const from = (group: object, pushname = '') => item({ pushname, extras: { group } }, GROUP).author;
    expect(from({ participant: '200', participantPhone: '+15550000002' }, 'Bob')).to.equal('Bob');
    expect(from({ participant: '200', participantPhone: '+15550000002' })).to.equal('+15550000002');
    expect(from({ participant: '200' })).to.equal('200');
    expect(item({ fromMe: true, pushname: 'Alice' }).author).to.equal('');
  });

  it('a message names the quoted person by the message, by the contact, or not at all', () => {
    const quoted = (quote: object) => ({
      messageId: 'B',
      extras: { quoted: { body: 'x', type: 'text', ...quote } },
    });
    const group = { participant: '200' };
    const rows = [row({ extras: { group } }), row(quoted({ messageId: 'A' }))];
    expect(messageItems(rows, GROUP)[1]?.quoted).to.deep.equal({ author: 'Bob', body: 'x' });
    const others = [row({ extras: { group } }), row(quoted({ messageId: 'gone', participant: '200@lid' }))];
    expect(messageItems(others, GROUP)[1]?.quoted?.author).to.equal('Bob');
    expect(item(quoted({ messageId: 'gone', participant: '100:3@lid' })).quoted?.author).to.equal('You');
    expect(item(quoted({ messageId: 'gone', participant: '200' })).quoted?.author).to.equal('Bob');
    expect(item(quoted({ messageId: 'gone' }), GROUP).quoted?.author).to.equal('Somebody');
    expect(item(quoted({ body: '', type: 'image' })).quoted?.body).to.equal('[image]');
  });

  it('shows edits, forwards, deletion and status', () => {
    expect(item({ extras: { editHistory: [{ body: 'helo', editedAt: '' }] } }).edited).to.equal(true);
    expect(item({ extras: { edited: true, forwarded: true } })).to.include({ edited: true, forwarded: true });
    expect(item({ extras: { revoked: true } }).deleted).to.equal(true);
    expect(item({ fromMe: true, status: 'played' }).tick).to.equal('played');
    expect(item({ fromMe: true, status: 'of a later version' }).tick).to.equal(undefined);
    expect(item({ status: 'read' }).tick).to.equal(undefined);
  });

  it('a message has a text form for every type', () => {
    const text = (messageType: string, body: string, extras: object) =>
      item({ messageType, body, extras: { ...extras } }).body;
    expect(text('poll', 'Lunch?', { poll: { options: ['Soup', 'Salad'] } })).to.equal(
      'Lunch?\n○ Soup\n○ Salad',
    );
    expect(text('vote_update', 'Soup', {})).to.equal('voted: Soup');
    expect(text('vote_update', '', { pollVote: { selectedHashes: ['ab'] } })).to.equal('voted');
    expect(text('vote_update', '', { pollVote: { selectedHashes: [] } })).to.equal('removed the vote');
    expect(text('location', '1, 2', { location: { latitude: 1, longitude: 2 } })).to.equal('1, 2');
    const contacts = [
      { displayName: 'Ada', phone: '+1' },
      { displayName: 'Bo', phone: '' },
    ];
    expect(text('contact', 'Ada, Bo', { contact: { ...contacts[0], contacts } })).to.equal('Ada +1\nBo');
    expect(text('contact', 'Ada', {})).to.equal('Ada');
  });

  it('survives extras of any shape', () => {
    for (const value of [null, 1, 'x', [], {}, { options: 1 }]) {
      const extras = {
        poll: value,
        quoted: value,
        reactions: value,
        group: value,
        location: value,
        contact: value,
      };
      for (const messageType of ['poll', 'location', 'contact', 'vote_update', 'chat']) {
        expect(item({ messageType, extras }).messageId).to.equal('A');
      }
    }
  });
});

describe('a room of the inbox', () => {
  const ROOM = {
    clientId: 'acme',
    myLid: '100',
    clientLid: '200',
    avatarUrl: '',
    chatRoomId: 'acme-100-200',
    name: '',
    isGroup: false,
    remoteJid: '200@lid',
    lastMessage: 'two\nlines',
    lastMessageFromMe: false,
    lastMessageAt: '',
    unreadCount: 0,
  };

  it('shows its address if it has no name', () => {
    expect(roomItem(ROOM).name).to.equal('200');
    expect(roomItem({ ...ROOM, remoteJid: '15550000002@s.whatsapp.net' }).name).to.equal('+15550000002');
    expect(roomItem({ ...ROOM, name: 'Bob\u001b[2J' }).name).to.equal('Bob[2J');
  });

  it('shows its last message in one line, and no time before the first', () => {
    expect(roomItem(ROOM)).to.deep.include({
      lastMessage: 'two ⏎ lines',
      lastMessageAt: undefined,
      to: '200@lid',
    });
  });
});
