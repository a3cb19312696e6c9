import { expect } from 'chai';
import type { MessageItem } from '../../src/cli/inbox/model.js';
import { type ShownInbox, showConversation } from './support/inbox.js';
import { KEYS } from './support/keys.js';
import { conversationOf, messageOf, roomOf } from './support/scripted-model.js';

describe('going through a conversation of the terminal inbox', () => {
  let inbox: ShownInbox;
  afterEach(() => inbox.unmount());

  /** The messages' part of the screen, without the lists. */
  const rightPane = () =>
    inbox
      .frame()
      .split('\n')
      .map((line) => line.split('│')[1] ?? '');
  const lineWith = (text: string) => rightPane().find((line) => line.includes(text)) ?? '';

  it('scrolls by messages and pages, and loads older ones', async () => {
    const messages = Array.from({ length: 60 }, (_, place) => messageOf(`message ${place}.`));
    inbox = await showConversation(messages, { conversation: conversationOf(messages, { hasOlder: true }) });
    expect(inbox.frame()).to.contain('message 59.').and.not.contain('message 20.');
    await inbox.type('k'.repeat(30));
    expect(lineWith('message 29.')).to.contain('▌10:02 message 29.');
    expect(lineWith('more lines')).to.match(/↓ \d+ more lines/);
    expect(inbox.model.asked).to.deep.equal([]);
    await inbox.type('g');
    expect(inbox.model.asked).to.deep.equal([['loadOlder']]);
    const older = [messageOf('older one.'), ...messages];
    inbox.model.changeConversation({ messages: older, hasOlder: false });
    await inbox.type(KEYS.pageUp);
    await inbox.frameWith('older one.');
    await inbox.type('G');
    expect(inbox.frame()).to.contain('message 59.');
  });

  it('stays where it is scrolled to when a message comes', async () => {
    const messages = Array.from({ length: 60 }, (_, place) => messageOf(`message ${place}.`));
    inbox = await showConversation(messages);
    await inbox.type(KEYS.pageUp, KEYS.pageUp);
    const before = rightPane().slice(2, -3);
    const below = Number(/↓ (\d+) more/.exec(inbox.frame())?.[1]);
    inbox.model.changeConversation({ messages: [...messages, messageOf('brand new')] });
    await inbox.frameThat((frame) => frame.includes(`↓ ${below + 1} more lines`));
    expect(rightPane().slice(2, -3)).to.deep.equal(before);
    await inbox.type(KEYS.end);
    expect(inbox.frame()).to.contain('brand new');
  });

  it('draws a conversation of 2,000 messages at once', async () => {
    const messages = Array.from({ length: 2_000 }, (_, place) => messageOf(`message ${place}. 日本語`));
    inbox = await showConversation(messages);
    expect(inbox.frame()).to.contain('message 1999.').and.not.contain('message 1900.');
  });

  it('finds messages, and goes on to older ones', async () => {
    const messages = Array.from({ length: 60 }, (_, place) => messageOf(`message ${place}.`));
    inbox = await showConversation(messages);
    find(messages[40]);
    await inbox.type('/', 'mess', KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([['findMessage', 'mess', {}]]);
    expect(lineWith('message 40.')).to.contain('▌');
    find(messages[10]);
    await inbox.type('n');
    expect(inbox.model.asked.at(-1)).to.deep.equal([
      'findMessage',
      'mess',
      { before: messages[40]?.messageId },
    ]);
    expect(lineWith('message 10.')).to.contain('▌');
    find(undefined);
    await inbox.type('n');
    expect(inbox.frame()).to.contain('No older message with “mess”.');
  });

  it('looks on in the conversation that was searched alone: in another one n is a new chat', async () => {
    inbox = await showConversation([messageOf('message')], { rooms: [roomOf('Ada'), roomOf('Bob')] });
    await inbox.type('/', 'mess', KEYS.enter);
    await inbox.type(KEYS.left, KEYS.down, KEYS.enter);
    await inbox.type('n', '+15550000007');
    expect(inbox.frame())
      .to.contain('New chat')
      .and.match(/To +\+15550000007/);
    expect(inbox.model.asked.filter(([name]) => name === 'findMessage')).to.have.lengthOf(1);
  });

  it('ends a search with the conversation', async () => {
    inbox = await showConversation([messageOf('message')], { rooms: [roomOf('Ada')] });
    find(inbox.model.state.conversation?.messages[0]);
    await inbox.type('/', 'mess', KEYS.enter);
    await inbox.type(KEYS.escape);
    await inbox.type(KEYS.enter, 'n');
    expect(inbox.frame()).to.contain('New chat');
  });

  function find(message: MessageItem | undefined): void {
    inbox.model.found = message;
  }
});
