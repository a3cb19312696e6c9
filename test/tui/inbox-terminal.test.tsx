import { expect } from 'chai';
import { type ShownInbox, showConversation, showInbox } from './support/inbox.js';
import { KEYS } from './support/keys.js';
import { conversationOf, messageOf } from './support/scripted-model.js';

describe('the terminal inbox on any terminal', () => {
  let inbox: ShownInbox;
  afterEach(() => inbox.unmount());

  it('shows one pane at a time where there are few columns', async () => {
    inbox = showInbox({ conversation: conversationOf([messageOf('Hello you')]) }, { columns: 50, rows: 16 });
    expect(inbox.frame()).to.contain('Sessions').and.not.contain('Hello you');
    await inbox.type(KEYS.enter);
    expect(inbox.frame()).to.contain('Hello you').and.not.contain('Sessions');
    await inbox.type(KEYS.left);
    expect(inbox.frame()).to.contain('Sessions');
  });

  it('follows changes of size', async () => {
    inbox = showInbox({ conversation: conversationOf([messageOf('Hello you')]) });
    expect(inbox.frame().split('\n')).to.have.length(19);
    inbox.resize(50, 16);
    await inbox.frameThat((frame) => frame.split('\n').length === 15 && !frame.includes('Hello you'));
    inbox.resize(120, 40);
    await inbox.frameThat((frame) => frame.split('\n').length === 39 && frame.includes('Hello you'));
  });

  it('asks politely for more room', async () => {
    inbox = showInbox({}, { columns: 19, rows: 8 });
    expect(inbox.frame().replace(/\s+/g, ' ')).to.contain('Please enlarge the terminal to 20x8 or more.');
    inbox.resize(80, 24);
    await inbox.frameWith('Sessions');
  });

  it('shows what went wrong and what to do, until Escape', async () => {
    inbox = showInbox({
      notice: { level: 'error', text: 'it was not sent', suggestions: ['find out why: switchboard doctor'] },
    });
    expect(inbox.frame()).to.contain('✗ it was not sent').and.contain('→ find out why: switchboard doctor');
    await inbox.type(KEYS.escape);
    await inbox.frameThat((frame) => !frame.includes('it was not sent'));
  });

  it('says that it reconnects, when and why', async () => {
    inbox = showInbox();
    expect(inbox.frame()).to.contain('● live');
    inbox.model.change({
      connection: { state: 'reconnecting', reason: 'nothing listens there', delayMs: 4_000 },
    });
    await inbox.frameWith('reconnecting in 4 s: nothing listens there');
    inbox.model.change({ connection: { state: 'open' } });
    await inbox.frameWith('● live');
  });

  it('says that it reconnects on any terminal, whatever is being done', async () => {
    const connection = { state: 'reconnecting', reason: 'nothing listens there', delayMs: 4_000 } as const;
    inbox = await showConversation([messageOf('Hello')], { connection }, { columns: 30, rows: 10 });
    await inbox.type('i');
    expect(inbox.frame()).to.contain('reconnecting in 4 s');
  });

  it('shows all keys', async () => {
    inbox = showInbox({}, { columns: 140, rows: 40 });
    await inbox.type('?');
    for (const key of ['Alt+Enter', 'Ctrl+C', 'edit an own message', 'pair a number']) {
      expect(inbox.frame()).to.contain(key);
    }
    await inbox.type('x');
    expect(inbox.frame()).to.contain('Sessions');
  });

  it('scrolls the keys where they do not fit', async () => {
    inbox = showInbox({}, { columns: 60, rows: 12 });
    await inbox.type('?', 'j'.repeat(40));
    expect(inbox.frame()).to.contain('keep the text').and.not.contain('next pane');
    await inbox.type(KEYS.escape);
    expect(inbox.frame()).to.contain('Sessions');
  });

  it('is left with q, and with Ctrl+C from anywhere', async () => {
    inbox = showInbox();
    await inbox.type('q');
    await inbox.left;
    inbox.unmount();
    inbox = await showConversation();
    await inbox.type('i', 'abc', KEYS.ctrlC);
    await inbox.left;
  });

  it('asks before what was written is lost', async () => {
    inbox = await showConversation();
    await inbox.type('i', 'abc', KEYS.escape, 'q');
    expect(inbox.frame()).to.contain('Leave, and lose an unsent message?');
    await inbox.type('n');
    expect(inbox.frame()).to.contain('> abc').and.not.contain('Leave');
    await inbox.type('q', 'y');
    await inbox.left;
  });
});
