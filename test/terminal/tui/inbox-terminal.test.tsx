import { expect } from 'chai';
import { type ShownInbox, showConversation, showInbox } from './support/inbox.js';
import { KEYS } from './support/rendered.js';
import { conversationOf, messageOf } from './support/scripted-model.js';

/** Around changes that the terminal shows at once. */
const BEGIN = '\u001b[?2026h';
const END = '\u001b[?2026l';
const EMPTY_SCREEN = '\u001b[2J';

describe('the terminal inbox on any terminal', () => {
  let inbox: ShownInbox;
  afterEach(() => inbox.unmount());

  it('shows one pane at a time on a narrow terminal', async () => {
    inbox = await showInbox(
      { conversation: conversationOf([messageOf('Hello you')]) },
      { columns: 50, rows: 16 },
    );
    expect(inbox.frame()).to.contain('Sessions').and.not.contain('Hello you');
    await inbox.type(KEYS.enter);
    expect(inbox.frame()).to.contain('Hello you').and.not.contain('Sessions');
    await inbox.type(KEYS.left);
    expect(inbox.frame()).to.contain('Sessions');
  });

  it('follows changes of size', async () => {
    inbox = await showInbox({ conversation: conversationOf([messageOf('Hello you')]) });
    expect(inbox.frame().split('\n')).to.have.length(20);
    await inbox.resize(50, 16);
    await inbox.frameThat((frame) => frame.split('\n').length === 16 && !frame.includes('Hello you'));
    await inbox.resize(120, 40);
    await inbox.frameThat((frame) => frame.split('\n').length === 40 && frame.includes('Hello you'));
  });

  it('draws each change in one piece and never empties the screen, also around a pairing', async () => {
    inbox = await showInbox();
    const before = inbox.terminal.written.length;
    await inbox.type('j', 'p', 'beta', KEYS.enter, KEYS.enter, KEYS.enter);
    inbox.pairing.give({ type: 'code', code: 'ABCD-EFGH' });
    await inbox.frameWith('ABCD-EFGH');
    await inbox.type(KEYS.escape);
    expect(inbox.frame()).to.contain('Sessions').and.not.contain('ABCD-EFGH');
    const pieces = inbox.terminal.written.slice(before);
    // one for each of the keys, one for the code
    expect(pieces).to.have.length.within(7, 9);
    for (const piece of pieces) {
      expect(piece.startsWith(BEGIN) && piece.endsWith(END), piece).to.equal(true);
      expect(piece).to.not.contain(EMPTY_SCREEN);
    }
  });

  it('asks for a larger terminal', async () => {
    inbox = await showInbox({}, { columns: 19, rows: 8 });
    expect(inbox.frame().replace(/\s+/g, ' ')).to.contain('Enlarge the terminal to 20x8 or more.');
    await inbox.resize(80, 24);
    await inbox.frameWith('Sessions');
  });

  it('shows an error and its advice until Escape', async () => {
    inbox = await showInbox({
      notice: {
        level: 'error',
        text: 'it was not sent',
        suggestions: ['find the cause: switchboard doctor'],
      },
    });
    expect(inbox.frame()).to.contain('✗ it was not sent').and.contain('→ find the cause: switchboard doctor');
    await inbox.type(KEYS.escape);
    await inbox.frameThat((frame) => !frame.includes('it was not sent'));
  });

  it('shows when and why it reconnects', async () => {
    inbox = await showInbox();
    expect(inbox.frame()).to.contain('● live');
    inbox.model.change({
      connection: { state: 'reconnecting', reason: 'nothing listens there', delayMs: 4_000 },
    });
    await inbox.frameWith('reconnecting in 4 s: nothing listens there');
    inbox.model.change({ connection: { state: 'open' } });
    await inbox.frameWith('● live');
  });

  it('shows that it reconnects on any terminal and in any pane', async () => {
    const connection = { state: 'reconnecting', reason: 'nothing listens there', delayMs: 4_000 } as const;
    inbox = await showConversation([messageOf('Hello')], { connection }, { columns: 30, rows: 10 });
    await inbox.type('i');
    expect(inbox.frame()).to.contain('reconnecting in 4 s');
  });

  it('shows all keys', async () => {
    inbox = await showInbox({}, { columns: 140, rows: 40 });
    await inbox.type('?');
    for (const key of ['Alt+Enter', 'Ctrl+C', 'edit an own message', 'pair a number']) {
      expect(inbox.frame()).to.contain(key);
    }
    await inbox.type('x');
    expect(inbox.frame()).to.contain('Sessions');
  });

  it('cuts no key of the help page where its columns fit without the last gap', async () => {
    inbox = await showInbox({}, { columns: 130, rows: 36 });
    await inbox.type('?');
    expect(inbox.frame()).to.contain('goes back').and.not.contain('…');
  });

  it('scrolls the help page if it does not fit', async () => {
    inbox = await showInbox({}, { columns: 60, rows: 12 });
    await inbox.type('?', 'j'.repeat(40));
    expect(inbox.frame()).to.contain('keep the text').and.not.contain('next pane');
    await inbox.type(KEYS.escape);
    expect(inbox.frame()).to.contain('Sessions');
  });

  it('quits with q, and with Ctrl+C from anywhere', async () => {
    inbox = await showInbox();
    await inbox.type('q');
    await inbox.left;
    await inbox.unmount();
    inbox = await showConversation();
    await inbox.type('i', 'abc', KEYS.ctrlC);
    await inbox.left;
  });

  it('asks before it loses unsent text', async () => {
    inbox = await showConversation();
    await inbox.type('i', 'abc', KEYS.escape, 'q');
    expect(inbox.frame()).to.contain('Quit and lose an unsent message?');
    await inbox.type('n');
    expect(inbox.frame()).to.contain('> abc').and.not.contain('Leave');
    await inbox.type('q', 'y');
    await inbox.left;
  });
});
