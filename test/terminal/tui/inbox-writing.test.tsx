import { homedir } from 'node:os';
import { expect } from 'chai';
import { type ShownInbox, showConversation } from './support/inbox.js';
import { KEYS } from './support/rendered.js';
import { conversationOf, messageOf } from './support/scripted-model.js';

describe('writing in the terminal inbox', () => {
  let inbox: ShownInbox;
  afterEach(() => inbox.unmount());

  it('sends the text and empties the composer', async () => {
    inbox = await showConversation();
    await inbox.type('i', 'Hello ', 'you', KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([['send', 'Hello you', {}]]);
    expect(inbox.frame()).not.to.contain('Hello you');
    await inbox.type('again');
    expect(inbox.frame()).to.contain('> again');
  });

  for (const end of ['\u0007', '\u001b\\']) {
    it(`does not type a late answer of the terminal that ends with ${JSON.stringify(end)}`, async () => {
      inbox = await showConversation();
      const answer = `\u001b]11;rgb:1e1e/1E1E/2e2e${end}\u001b[?62;22c`;
      await inbox.type('i', `a${answer}`, ']', '\\', '];', '[', KEYS.enter);
      expect(inbox.model.asked).to.deep.equal([['send', 'a]\\];[', {}]]);
    });
  }

  it('shows the cursor of the terminal where the next letter goes, and nowhere else', async () => {
    inbox = await showConversation();
    expect(inbox.terminal.cursor).to.equal(undefined);
    await inbox.type('i', '日本 ab');
    const [column = 0] = inbox.terminal.columnsOf('> 日本 ab');
    const row = inbox
      .frame()
      .split('\n')
      .findIndex((line) => line.includes('> 日本 ab'));
    expect(inbox.terminal.cursor).to.deep.equal({ row, column: column + 9 });
    await inbox.type(KEYS.left, KEYS.left, KEYS.left, KEYS.left);
    expect(inbox.terminal.cursor).to.deep.equal({ row, column: column + 4 });
    await inbox.type(KEYS.escape);
    expect(inbox.terminal.cursor).to.equal(undefined);
  });

  it('starts a message with an unbound letter', async () => {
    inbox = await showConversation();
    await inbox.type('Ü', 'ber', KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([['send', 'Über', {}]]);
  });

  it('sends nothing if the composer is empty', async () => {
    inbox = await showConversation();
    await inbox.type('i', '   ', KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([]);
  });

  it('writes several lines with Alt+Enter and Ctrl+J', async () => {
    inbox = await showConversation();
    await inbox.type('i', 'one', KEYS.altEnter, 'two', KEYS.ctrlJ, 'three');
    expect(inbox.frame()).to.match(/> one +┃\n.*┃ {3}two +┃\n.*┃ {3}three +┃\n/);
    await inbox.type(KEYS.up, KEYS.up, KEYS.home, '> ', KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([['send', '> one\ntwo\nthree', {}]]);
  });

  it('keeps the lines of a paste, marked or not', async () => {
    inbox = await showConversation();
    await inbox.type('i', `${KEYS.pasteBegins}a\rq\rb${KEYS.pasteEnds}`, KEYS.ctrlJ, 'c\rd');
    expect(inbox.model.asked).to.deep.equal([]);
    await inbox.type(KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([['send', 'a\nq\nb\nc\nd', {}]]);
  });

  it('starts a message with text pasted on the conversation', async () => {
    inbox = await showConversation();
    await inbox.type(`${KEYS.pasteBegins}dy${KEYS.pasteEnds}`);
    expect(inbox.frame()).to.contain('> dy');
  });

  it('edits the text with keys', async () => {
    inbox = await showConversation();
    await inbox.type(
      'i',
      'one two 👨‍👩‍👧‍👦',
      KEYS.backspace,
      KEYS.ctrlW,
      'three',
      KEYS.home,
      '¡',
      KEYS.enter,
    );
    expect(inbox.model.asked).to.deep.equal([['send', '¡one three', {}]]);
  });

  it('keeps the unsent text of each room', async () => {
    inbox = await showConversation();
    await inbox.type('i', 'for Ada', KEYS.escape, KEYS.left, 'j', KEYS.enter, 'i', 'for Bob');
    expect(inbox.frame()).to.contain('> for Bob').and.not.contain('for Ada');
    await inbox.type(KEYS.escape, KEYS.left, 'k', KEYS.enter);
    expect(inbox.frame()).to.contain('> for Ada').and.not.contain('for Bob');
  });

  it('restores the text of a failed send', async () => {
    inbox = await showConversation();
    inbox.model.succeeds = false;
    await inbox.type('r', 'important', KEYS.enter);
    expect(inbox.model.asked).to.have.length(1);
    await inbox.frameWith('↩ reply to Ada', '> important');
    inbox.model.succeeds = true;
    await inbox.type(KEYS.enter);
    expect(inbox.model.asked[1]).to.deep.equal(inbox.model.asked[0]);
    expect(inbox.frame()).not.to.contain('important');
  });

  it('replies to the highlighted message', async () => {
    inbox = await showConversation([messageOf('the question', { messageId: 'Q' }), messageOf('newer')]);
    await inbox.type('k', 'r');
    expect(inbox.frame()).to.contain('↩ reply to Ada: the question');
    await inbox.type('the answer', KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([['send', 'the answer', { quotedMessageId: 'Q' }]]);
    expect(inbox.frame()).not.to.contain('reply to');
  });

  it('ends a reply with Escape and keeps the text', async () => {
    inbox = await showConversation();
    await inbox.type('r', 'text', KEYS.escape, KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([['send', 'text', {}]]);
  });

  it('edits own messages, and restores the unsent text afterwards', async () => {
    inbox = await showConversation([messageOf('teh', { messageId: 'OWN', fromMe: true })]);
    await inbox.type('i', 'draft', KEYS.escape, 'E');
    expect(inbox.frame()).to.contain('✎ edit: teh').and.contain('> teh');
    await inbox.type(KEYS.ctrlU, 'the', KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([['edit', 'OWN', 'the']]);
    expect(inbox.frame()).to.contain('> draft').and.not.contain('✎');
    await inbox.type(KEYS.escape, 'E', KEYS.escape);
    expect(inbox.frame()).to.contain('> draft').and.not.contain('✎');
  });

  it('refuses to edit messages of others and deleted messages', async () => {
    inbox = await showConversation([messageOf('theirs'), messageOf('gone', { fromMe: true, deleted: true })]);
    await inbox.type('E');
    expect(inbox.frame()).to.contain('That message is deleted.');
    await inbox.type('k', 'E');
    expect(inbox.frame()).to.contain('Only own messages can be edited.');
    await inbox.type('j');
    expect(inbox.frame()).not.to.contain('Only own');
  });

  it('offers no edit for an own message without a text, and says so for its key', async () => {
    inbox = await showConversation([messageOf('Pizza?', { fromMe: true, type: 'poll' })]);
    expect(inbox.frame()).not.to.contain('E edit');
    await inbox.type('E');
    expect(inbox.frame()).to.contain('Only texts and captions can be edited.').and.not.contain('✎');
  });

  it('deletes an own message for everyone after a confirmation', async () => {
    inbox = await showConversation([messageOf('mine', { messageId: 'OWN', fromMe: true })]);
    await inbox.type('d');
    expect(inbox.frame()).to.contain('Delete this message for everyone?');
    await inbox.type('n');
    expect(inbox.model.asked).to.deep.equal([]);
    await inbox.type('d', 'y');
    expect(inbox.model.asked).to.deep.equal([['remove', 'OWN']]);
  });

  it("says that another person's message is deleted only on own devices", async () => {
    inbox = await showConversation([messageOf('theirs', { messageId: 'HERS' })]);
    await inbox.type('d');
    expect(inbox.frame()).to.contain("from this number's own devices? Others keep it.");
    await inbox.type('y');
    expect(inbox.model.asked).to.deep.equal([['remove', 'HERS']]);
  });

  it('ignores keys that were typed before a question appeared', async () => {
    inbox = await showConversation();
    await inbox.type('dy');
    expect(inbox.frame()).to.contain('Delete this message');
    expect(inbox.model.asked).to.deep.equal([]);
  });

  it('reacts with an emoji from the list, and removes it', async () => {
    inbox = await showConversation([messageOf('Hi', { messageId: 'M' })]);
    await inbox.type('e', KEYS.right, KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([['react', 'M', '❤️']]);
    const reactions = [{ emoji: '❤️', count: 1, mine: true }];
    inbox.model.changeConversation({ messages: [messageOf('Hi', { messageId: 'M', reactions })] });
    await inbox.type('e', KEYS.right, KEYS.enter, 'e', KEYS.backspace);
    expect(inbox.model.asked.slice(1)).to.deep.equal([
      ['react', 'M', ''],
      ['react', 'M', ''],
    ]);
  });

  it('reacts with a typed emoji', async () => {
    inbox = await showConversation([messageOf('Hi', { messageId: 'M' })]);
    await inbox.type('e', '🦄', KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([['react', 'M', '🦄']]);
  });

  it('sends a file from the form, with a caption', async () => {
    inbox = await showConversation();
    await inbox.type('f', '/tmp/a b.pdf', KEYS.enter, 'the offer', KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([['sendFile', '/tmp/a b.pdf', { caption: 'the offer' }]]);
  });

  it('asks for the path of a file', async () => {
    inbox = await showConversation();
    await inbox.type('f', KEYS.enter, KEYS.enter);
    expect(inbox.frame()).to.contain('✗ enter a path');
    await inbox.type(KEYS.escape, 'i', '/file', KEYS.enter);
    expect(inbox.frame()).to.contain('Add a path: /file PATH');
    expect(inbox.model.asked).to.deep.equal([]);
  });

  it('sends a file with /file, with paths as people and terminals write them', async () => {
    inbox = await showConversation([messageOf('which?', { messageId: 'Q' })]);
    await inbox.type('r', '/file ~/a\\ b.png', KEYS.enter, "/file '/tmp/c d.png'", KEYS.enter);
    expect(inbox.model.asked).to.deep.equal([
      ['sendFile', `${homedir()}/a b.png`, { quotedMessageId: 'Q' }],
      ['sendFile', '/tmp/c d.png', {}],
    ]);
  });

  it('shows the newest message after sending', async () => {
    const messages = Array.from({ length: 60 }, (_, place) => messageOf(`message ${place}.`));
    inbox = await showConversation(messages, { conversation: conversationOf(messages) });
    await inbox.type('g', 'i', 'Hi');
    expect(inbox.frame()).to.contain('message 0.');
    await inbox.type(KEYS.enter);
    expect(inbox.frame()).to.contain('message 59.');
  });
});
