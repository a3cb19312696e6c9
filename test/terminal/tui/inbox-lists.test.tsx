import { expect } from 'chai';
import type { MessageItem } from '../../../src/terminal/cli/inbox/model.js';
import { NOW, type ShownInbox, showConversation, showInbox } from './support/inbox.js';
import { KEYS } from './support/rendered.js';
import { messageOf, roomOf, sessionOf } from './support/scripted-model.js';

describe('the lists of the terminal inbox', () => {
  let inbox: ShownInbox;
  afterEach(() => inbox.unmount());

  it('show every session with its state in words', async () => {
    inbox = await showInbox({
      sessions: [
        sessionOf('acme'),
        sessionOf('beta', { status: 'logged_out', reason: 'the phone removed it' }),
        sessionOf('gamma', { status: 'qr' }),
        sessionOf('delta', { status: 'initializing' }),
        sessionOf('eps', { status: 'initializing', jid: '100@lid' }),
      ],
    });
    expect(lineWith('delta')).to.match(/◌ delta +not paired/);
    expect(lineWith('eps')).to.match(/◐ eps +connecting/);
    expect(lineWith('acme')).to.match(/›● acme +connected/);
    expect(lineWith('beta')).to.match(/✗ beta +logged out/);
    expect(lineWith('gamma')).to.match(/◌ gamma +waits for a scan/);
  });

  it('say how many sessions do not fit', async () => {
    const sessions = Array.from({ length: 10 }, (_, n) => sessionOf(`session${n}`));
    inbox = await showInbox({ sessions });
    const shown = sessions.filter(({ clientId }) => inbox.frame().includes(clientId)).length;
    expect(shown).to.be.within(1, 9);
    expect(inbox.frame()).to.contain(`↓ ${10 - shown} more`);
  });

  it('show rooms with their time, last message and unread count', async () => {
    inbox = await showInbox({
      rooms: [
        roomOf('Ada', { lastMessage: 'Hello', lastMessageAt: NOW, unreadCount: 3 }),
        roomOf('Bob', {
          lastMessage: 'See\nyou',
          lastMessageAt: new Date(2026, 10, 20),
          lastMessageFromMe: true,
        }),
        roomOf('', { to: '+15550000009' }),
      ],
    });
    expect(lineWith('Ada')).to.match(/Ada +12:00/);
    expect(lineWith('Hello')).to.match(/Hello +\(3\)/);
    expect(lineWith('Bob')).to.match(/Bob +Fri/);
    expect(lineWith('You:')).to.contain('You: See ⏎ you');
    expect(inbox.frame()).to.contain('+15550000009');
  });

  it('describe a last message without text', async () => {
    const attachment = { mediaType: 'image', fileName: 'IMG_1.jpg', size: 1, url: '' };
    const pdf = { ...attachment, mediaType: 'document', fileName: 'menu.pdf' };
    const silent = (name: string, last?: MessageItem) => roomOf(name, { lastMessageAt: NOW, last });
    inbox = await showInbox({
      rooms: [
        silent('Ada', messageOf('', { type: 'image', attachment })),
        silent('Bob', messageOf('', { type: 'document', attachment: pdf })),
        silent('Carol', messageOf('', { deleted: true })),
        silent('Dan'),
      ],
    });
    const lines = inbox.frame().split('\n');
    const below = (name: string) => {
      const line = lines[lines.findIndex((one) => one.includes(name)) + 1] ?? '';
      return line.split(/[│┃]/)[1]?.replace('▌', '').trim();
    };
    expect(['Ada', 'Bob', 'Carol', 'Dan'].map(below)).to.deep.equal([
      '▣ photo',
      '▤ menu.pdf',
      '⊘ deleted',
      '(no text)',
    ]);
  });

  it('show changes', async () => {
    inbox = await showInbox();
    inbox.model.change({
      sessions: [sessionOf('acme', { status: 'reconnecting', reason: 'connection lost' })],
      rooms: [roomOf('Carol', { lastMessage: 'New here', unreadCount: 1 })],
    });
    const frame = await inbox.frameWith('Carol', 'New here', 'reconnecting');
    expect(frame).not.to.contain('Ada');
  });

  it('open the highlighted room', async () => {
    inbox = await showInbox();
    await inbox.type('j', KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([['openRoom', 'room-Bob']]);
    await inbox.frameWith('No messages yet');
  });

  it('show the part of many rooms around the highlighted one', async () => {
    const rooms = Array.from({ length: 500 }, (_, place) => roomOf(`Room ${place}.`));
    inbox = await showInbox({ rooms });
    expect(inbox.frame()).to.contain('Room 0.').and.not.contain('Room 20.');
    await inbox.type('G');
    expect(inbox.frame()).to.contain('Room 499.').and.not.contain('Room 0.');
  });

  it('filter the rooms', async () => {
    inbox = await showInbox();
    await inbox.type('/', 'b', 'o');
    expect(inbox.frame()).to.contain('Rooms with “bo” (1)').and.contain('Bob').and.not.contain('Hello');
    await inbox.type(KEYS.enter, KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([['openRoom', 'room-Bob']]);
    await inbox.type(KEYS.left, KEYS.escape);
    expect(inbox.frame()).to.contain('Ada').and.not.contain('Rooms with');
  });

  it('switch to another session', async () => {
    inbox = await showInbox({ sessions: [sessionOf('acme'), sessionOf('beta')] });
    await inbox.type('s', KEYS.down, KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([['selectSession', 'beta']]);
    expect(lineWith('beta')).to.contain('›● beta');
  });

  it('say that a session has no workspace, and give it one', async () => {
    inbox = await showInbox({ sessions: [sessionOf('acme', { orgId: '' })], rooms: [] });
    expect(inbox.frame()).to.contain('acme has no workspace').and.contain('History is off');
    await inbox.type('w', KEYS.ctrlU, 'office', KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([['keepHistory', 'acme', 'office']]);
  });

  it('give the highlighted session a workspace while the sessions have the focus', async () => {
    inbox = await showInbox({ sessions: [sessionOf('acme'), sessionOf('beta', { orgId: '' })] });
    await inbox.type('s', KEYS.down, 'w', KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([['keepHistory', 'beta', 'beta']]);
  });

  it('say what to do if there are no sessions or rooms', async () => {
    inbox = await showInbox({ sessions: [], clientId: undefined, rooms: [] });
    expect(inbox.frame()).to.contain('p pairs a number');
    inbox.model.change({ sessions: [sessionOf('acme')], clientId: 'acme', loadingRooms: true });
    await inbox.frameWith('Loading…');
    inbox.model.change({ loadingRooms: false });
    await inbox.frameWith('No rooms yet. n starts a');
  });

  it('start a chat, and restore the form if that fails', async () => {
    inbox = await showInbox();
    inbox.model.succeeds = false;
    await inbox.type('n', '+15550000007', KEYS.enter, 'Hi there', KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([['startChat', '+15550000007', 'Hi there']]);
    await inbox.frameWith('New chat', '+15550000007', 'Hi there');
    inbox.model.succeeds = true;
    await inbox.type(KEYS.enter, KEYS.enter);
    expect(inbox.model.asked).to.have.length(2);
    expect(inbox.frame()).not.to.contain('New chat');
  });

  it('move through all panes with Tab', async () => {
    inbox = await showConversation();
    await inbox.type(KEYS.tab);
    expect(inbox.frame()).to.contain('Enter sends');
    await inbox.type(KEYS.tab, KEYS.tab, KEYS.down, KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([['openRoom', 'room-Bob']]);
  });

  /** The first line below the header with this text. */
  function lineWith(text: string): string {
    return (
      inbox
        .frame()
        .split('\n')
        .slice(1)
        .find((line) => line.includes(text)) ?? ''
    );
  }
});
