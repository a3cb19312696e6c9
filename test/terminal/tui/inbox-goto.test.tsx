import { expect } from 'chai';
import { type ShownInbox, showConversation, showInbox } from './support/inbox.js';
import { KEYS } from './support/rendered.js';
import { messageOf, roomOf, sessionOf } from './support/scripted-model.js';

const CTRL_K = '\u000b';

/** A press of the left button, or a step of the wheel, as terminals report it. */
function mouse(button: number, column: number, row: number): string {
  return `\u001b[<${button};${column + 1};${row + 1}M`;
}

describe('going to a room in the terminal inbox', () => {
  let inbox: ShownInbox;
  afterEach(() => inbox.unmount());

  it('finds a room by a part of its name', async () => {
    inbox = await showInbox();
    await inbox.type(CTRL_K, 'bo');
    expect(inbox.frame()).to.contain('Go to').and.contain('Bob');
    await inbox.type(KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([['openRoom', 'room-Bob']]);
  });

  it('finds rooms of other sessions too', async () => {
    inbox = await showInbox({ sessions: [sessionOf('acme'), sessionOf('beta')] });
    inbox.model.others = [{ clientId: 'beta', room: roomOf('Zoe') }];
    await inbox.type(CTRL_K, 'zoe');
    await inbox.frameWith('Zoe', 'beta');
    await inbox.type(KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([['openRoomOf', 'beta', 'room-Zoe']]);
  });

  it('opens the next room with unread messages', async () => {
    inbox = await showInbox();
    await inbox.type('u');
    expect(inbox.model.asked).to.deep.equal([['openRoom', 'room-Ada']]);
    await inbox.type('u');
    expect(inbox.frame()).to.contain('No unread messages.');
  });

  it('searches the messages of all rooms, and opens the chosen one', async () => {
    inbox = await showInbox();
    const message = messageOf('the blue jacket');
    inbox.model.hits = [{ room: roomOf('Bob'), message }];
    await inbox.type('F', 'blue', KEYS.enter);
    await inbox.frameWith('the blue jacket');
    await inbox.type(KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([
      ['searchRooms', 'blue'],
      ['openRoom', 'room-Bob'],
      ['reveal', message.messageId],
    ]);
  });

  it('opens a room with a click, and scrolls with the wheel', async () => {
    inbox = await showInbox();
    const row = inbox
      .frame()
      .split('\n')
      .findIndex((line) => line.includes('Bob'));
    await inbox.type(mouse(0, 5, row));
    expect(inbox.model.asked).to.deep.equal([['openRoom', 'room-Bob']]);
    await inbox.unmount();
    const messages = Array.from({ length: 40 }, (_, place) => messageOf(`message ${place}.`));
    inbox = await showConversation(messages);
    await inbox.type(mouse(64, 50, 5), mouse(64, 50, 5));
    expect(inbox.frame()).to.contain('↓ 6 more lines');
    await inbox.type(mouse(65, 50, 5), mouse(65, 50, 5));
    expect(inbox.frame()).to.not.contain('more lines');
  });
});
