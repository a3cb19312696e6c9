import { expect } from 'chai';
import type { MessageItem } from '../../../src/terminal/cli/inbox/model.js';
import { conversationRows, type ShownInbox, showConversation } from './support/inbox.js';
import { KEYS } from './support/rendered.js';
import { conversationOf, messageOf, roomOf } from './support/scripted-model.js';

describe('scrolling in the terminal inbox', () => {
  let inbox: ShownInbox;
  afterEach(() => inbox.unmount());

  const rightPane = () => conversationRows(inbox.frame());
  const lineWith = (text: string) => rightPane().find((line) => line.includes(text)) ?? '';

  it('scrolls by messages and pages, and loads older messages', async () => {
    const messages = Array.from({ length: 60 }, (_, place) => messageOf(`message ${place}.`));
    inbox = await showConversation(messages, { conversation: conversationOf(messages, { hasOlder: true }) });
    expect(inbox.frame()).to.contain('message 59.').and.not.contain('message 20.');
    await inbox.type('k'.repeat(30));
    expect(lineWith('message 29.')).to.contain('▌▎ message 29.');
    expect(inbox.frame()).to.match(/↓ \d+ more lines/);
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

  it('asks the phone for older messages past the oldest stored one, and shows what it knows', async () => {
    const messages = Array.from({ length: 60 }, (_, place) => messageOf(`message ${place}.`));
    inbox = await showConversation(messages);
    await inbox.type('g', KEYS.pageUp);
    expect(inbox.model.asked).to.deep.equal([['requestOlder']]);
    inbox.model.changeConversation({ onPhone: 'asking' });
    await inbox.frameWith('asking the phone…');
    await inbox.type(KEYS.pageUp);
    inbox.model.changeConversation({ onPhone: 'none' });
    await inbox.frameThat((frame) => !frame.includes('asking'));
    await inbox.type(KEYS.pageUp);
    expect(inbox.model.asked).to.deep.equal([['requestOlder']]);
  });

  it('says at the top of a short conversation what the phone has', async () => {
    inbox = await showConversation();
    for (const [onPhone, words] of [
      ['unknown', 'Start of the stored history: PgUp asks the phone'],
      ['asking', 'asking the phone for more…'],
      ['silent', 'The phone did not answer: PgUp asks it again'],
      ['none', 'Start of the chat'],
    ] as const) {
      inbox.model.changeConversation({ onPhone });
      await inbox.frameWith(words);
    }
    expect(inbox.model.asked).to.deep.equal([]);
  });

  it('keeps its position when a message arrives', async () => {
    const messages = Array.from({ length: 60 }, (_, place) => messageOf(`message ${place}.`));
    inbox = await showConversation(messages);
    await inbox.type(KEYS.pageUp, KEYS.pageUp);
    const before = rightPane().slice(2, -5);
    const below = Number(/↓ (\d+) more/.exec(inbox.frame())?.[1]);
    inbox.model.changeConversation({ messages: [...messages, messageOf('brand new')] });
    await inbox.frameThat((frame) => frame.includes(`↓ ${below + 1} more lines`));
    expect(rightPane().slice(2, -5)).to.deep.equal(before);
    await inbox.type(KEYS.end);
    expect(inbox.frame()).to.contain('brand new');
  });

  it('keeps the highlighted message on the screen when the terminal gets smaller', async () => {
    const messages = Array.from({ length: 60 }, (_, place) => messageOf(`message ${place}.`));
    inbox = await showConversation(messages);
    await inbox.type('g');
    expect(lineWith('message 0.')).to.contain('▌');
    await inbox.resize(100, 16);
    await inbox.frameThat((frame) => frame.split('\n').length <= 16 && frame.includes('message 0.'));
    expect(lineWith('message 0.')).to.contain('▌');
  });

  it('draws a conversation of 2,000 messages without delay', async () => {
    const messages = Array.from({ length: 2_000 }, (_, place) => messageOf(`message ${place}. 日本語`));
    inbox = await showConversation(messages);
    expect(inbox.frame()).to.contain('message 1999.').and.not.contain('message 1900.');
  });

  it('finds the newest match, then older ones', async () => {
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
    find(messages[50]);
    await inbox.type('N');
    expect(inbox.model.asked.at(-1)).to.deep.equal([
      'findMessage',
      'mess',
      { after: messages[10]?.messageId },
    ]);
    expect(lineWith('message 50.')).to.contain('▌');
    find(undefined);
    await inbox.type('n');
    expect(inbox.frame()).to.contain('No older message with “mess”.');
  });

  it('continues a search only in the same conversation; in another one n starts a chat', async () => {
    inbox = await showConversation([messageOf('message')], { rooms: [roomOf('Ada'), roomOf('Bob')] });
    await inbox.type('/', 'mess', KEYS.enter);
    await inbox.type(KEYS.left, KEYS.down, KEYS.enter);
    await inbox.type('n', '+15550000007');
    expect(inbox.frame())
      .to.contain('New chat')
      .and.match(/To +\+15550000007/);
    expect(inbox.model.asked.filter(([name]) => name === 'findMessage')).to.have.lengthOf(1);
  });

  it('ends the search when the conversation is closed', async () => {
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
