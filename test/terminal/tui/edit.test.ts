import { expect } from 'chai';
import type { Key } from 'ink';
import stringWidth from 'string-width';
import {
  type Block,
  type Bottom,
  centred,
  revealed,
  scrolled,
  seen,
} from '../../../src/terminal/tui/inbox/scroll.js';
import { PressReader } from '../../../src/terminal/tui/press.js';
import {
  type Edit,
  EMPTY_EDIT,
  editOf,
  insert,
  moveRow,
  pictureEdit,
  pressed,
} from '../../../src/terminal/tui/text/edit.js';

const FAMILY = '👨‍👩‍👧‍👦';

/** A text with `|` at the cursor. */
const at = (marked: string): Edit => ({ text: marked.replace('|', ''), cursor: marked.indexOf('|') });
const shown = ({ text, cursor }: Edit) => `${text.slice(0, cursor)}|${text.slice(cursor)}`;
const press = (edit: Edit, ...keys: string[]) => keys.reduce((now, key) => pressed(now, key) ?? now, edit);

describe('the input field', () => {
  it('moves by grapheme clusters', () => {
    expect(shown(press(at(`a${FAMILY}|b`), 'left'))).to.equal(`a|${FAMILY}b`);
    expect(shown(press(at(`a|${FAMILY}b`), 'right'))).to.equal(`a${FAMILY}|b`);
    expect(shown(press(at(`a${FAMILY}|b`), 'backspace'))).to.equal('a|b');
    expect(shown(press(at('ae\u0301|'), 'backspace'))).to.equal('a|');
    expect(shown(press(at('|🇩🇪x'), 'ctrl+d'))).to.equal('|x');
  });

  it('stays within the text', () => {
    expect(shown(press(at('|ab'), 'left', 'backspace', 'ctrl+w'))).to.equal('|ab');
    expect(shown(press(at('ab|'), 'right', 'ctrl+d', 'alt+d'))).to.equal('ab|');
  });

  it('moves to the ends of the line', () => {
    expect(shown(press(at('one\ntw|o\nthree'), 'home'))).to.equal('one\n|two\nthree');
    expect(shown(press(at('one\ntw|o\nthree'), 'end'))).to.equal('one\ntwo|\nthree');
    expect(shown(press(at('on|e'), 'ctrl+a', 'ctrl+e'))).to.equal('one|');
  });

  it('moves and deletes by words', () => {
    expect(shown(press(at('one two  |three'), 'ctrl+w'))).to.equal('one |three');
    expect(shown(press(at('one two|'), 'ctrl+left', 'alt+b'))).to.equal('|one two');
    expect(shown(press(at('|one two'), 'alt+f'))).to.equal('one| two');
  });

  it('deletes to the ends of the line', () => {
    expect(shown(press(at('one\ntwo |three'), 'ctrl+u'))).to.equal('one\n|three');
    expect(shown(press(at('one| two\nthree'), 'ctrl+k'))).to.equal('one|\nthree');
  });

  it('inserts several lines, without control characters', () => {
    expect(shown(insert(at('a|b'), 'one\r\ntwo\rthree'))).to.equal('aone\ntwo\nthree|b');
    expect(insert(EMPTY_EDIT, 'x\u001b[31m\u0007y\tz').text).to.equal('x[31my    z');
  });

  it('ignores unbound keys', () => {
    expect(pressed(EMPTY_EDIT, 'pageup')).to.equal(undefined);
  });
});

describe('the layout of the input field', () => {
  it('breaks long lines and finds the cursor', () => {
    expect(pictureEdit(at('abcdef|'), 4, 5)).to.deep.equal({ rows: ['abc', 'def'], row: 1, column: 3 });
    expect(pictureEdit(at('日|本語'), 5, 5)).to.deep.equal({ rows: ['日本', '語'], row: 0, column: 2 });
  });

  it('has a row for the cursor on an empty last line', () => {
    expect(pictureEdit(at('one\n|'), 10, 5)).to.deep.equal({ rows: ['one', ''], row: 1, column: 0 });
  });

  it('shows the rows around the cursor', () => {
    const lines = Array.from({ length: 20 }, (_, line) => `line ${line}`);
    expect(pictureEdit(editOf(lines.join('\n')), 20, 3).rows).to.deep.equal([
      'line 17',
      'line 18',
      'line 19',
    ]);
    expect(pictureEdit({ text: lines.join('\n'), cursor: 0 }, 20, 3).rows[0]).to.equal('line 0');
  });

  it('fits any text', () => {
    const text = `${FAMILY}${FAMILY} हिन्दी e\u0301\u0302 שלום ${'x'.repeat(50)} 日本語`;
    for (const columns of [4, 7, 20]) {
      for (const row of pictureEdit(editOf(text), columns, 99).rows) {
        expect(stringWidth(row)).to.be.at.most(columns);
      }
    }
  });

  it('moves up and down by rows, within the text', () => {
    expect(shown(moveRow(at('abcdef|'), 4, -1) ?? EMPTY_EDIT)).to.equal('abc|def');
    expect(shown(moveRow(at('on|e\ntwo'), 10, 1) ?? EMPTY_EDIT)).to.equal('one\ntw|o');
    expect(moveRow(at('on|e'), 10, -1)).to.equal(undefined);
    expect(moveRow(at('on|e'), 10, 1)).to.equal(undefined);
  });
});

/** Messages `m0`, `m1` … with the given numbers of rows. */
function blocksOf(...rows: number[]): Block[] {
  let start = 0;
  return rows.map((count, place) => {
    const block = { messageId: `m${place}`, rows: count, start };
    start += count;
    return block;
  });
}

describe('scrolling a conversation', () => {
  const blocks = blocksOf(2, 3, 1, 4);

  it('shows the newest messages, or all if they fit', () => {
    expect(seen(blocks, undefined, 6)).to.deep.equal({ first: 4, end: 10 });
    expect(seen(blocks, undefined, 50)).to.deep.equal({ first: 0, end: 10 });
  });

  it('scrolls by rows, to the oldest message and back to the newest', () => {
    const up = scrolled(blocks, undefined, 6, 3);
    expect(seen(blocks, up, 6)).to.deep.equal({ first: 1, end: 7 });
    const top = scrolled(blocks, up, 6, 100);
    expect(seen(blocks, top, 6)).to.deep.equal({ first: 0, end: 6 });
    expect(scrolled(blocks, top, 6, -100)).to.equal(undefined);
  });

  it('keeps the position when messages arrive', () => {
    const bottom: Bottom | undefined = scrolled(blocks, undefined, 6, 4);
    const newer = blocksOf(2, 3, 1, 4, 7);
    expect(seen(newer, bottom, 6)).to.deep.equal(seen(blocks, bottom, 6));
  });

  it('scrolls as little as possible to show a message', () => {
    expect(seen(blocks, revealed(blocks, undefined, 6, 'm1'), 6)).to.deep.equal({ first: 2, end: 8 });
    const top = scrolled(blocks, undefined, 6, 100);
    expect(seen(blocks, revealed(blocks, top, 6, 'm3'), 6)).to.deep.equal({ first: 4, end: 10 });
    expect(revealed(blocks, top, 6, 'm0')).to.equal(top);
  });

  it('scrolls a found message to the middle', () => {
    const many = blocksOf(...Array.from({ length: 50 }, () => 1));
    expect(seen(many, centred(many, undefined, 7, 'm20'), 7)).to.deep.equal({ first: 17, end: 24 });
    expect(seen(many, centred(many, undefined, 7, 'm0'), 7)).to.deep.equal({ first: 0, end: 7 });
    expect(centred(many, undefined, 7, 'm48')).to.equal(undefined);
  });

  it('shows the end of a message that is larger than the screen', () => {
    const large = blocksOf(2, 20, 2);
    expect(seen(large, revealed(large, undefined, 6, 'm1'), 6)).to.deep.equal({ first: 16, end: 22 });
  });

  it('falls back to the newest message when its message is gone', () => {
    expect(seen(blocks, { messageId: 'gone', row: 0 }, 6)).to.deep.equal({ first: 4, end: 10 });
  });
});

const NO_KEY: Key = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
};

describe('reading the keyboard', () => {
  const read = (input: string, key: Partial<Key> = {}, reader = new PressReader()) =>
    reader.read(input, { ...NO_KEY, ...key });

  it('names keys with their modifiers', () => {
    expect(read('', { upArrow: true })).to.deep.equal([{ type: 'key', key: 'up' }]);
    expect(read('', { tab: true, shift: true })).to.deep.equal([{ type: 'key', key: 'shift+tab' }]);
    expect(read('', { return: true, meta: true })).to.deep.equal([{ type: 'key', key: 'alt+enter' }]);
    expect(read('', { leftArrow: true, ctrl: true })).to.deep.equal([{ type: 'key', key: 'ctrl+left' }]);
    expect(read('b', { meta: true })).to.deep.equal([{ type: 'key', key: 'alt+b' }]);
    expect(read('', { escape: true, meta: true })).to.deep.equal([{ type: 'key', key: 'escape' }]);
  });

  it('reads letters as text, capitals too', () => {
    expect(read('G', { shift: true })).to.deep.equal([{ type: 'text', text: 'G' }]);
    expect(read('日本')).to.deep.equal([{ type: 'text', text: '日本' }]);
  });

  it('splits several keys that arrive in one chunk', () => {
    expect(read('ab\r')).to.deep.equal([
      { type: 'text', text: 'ab' },
      { type: 'key', key: 'enter' },
    ]);
    expect(read('a\u0003')).to.deep.equal([
      { type: 'text', text: 'a' },
      { type: 'key', key: 'ctrl+c' },
    ]);
  });

  it('reads a marked paste as one text, in any chunks', () => {
    const reader = new PressReader();
    expect(read('[200~', {}, reader)).to.deep.equal([]);
    expect(read('one\rtwo', {}, reader)).to.deep.equal([]);
    expect(read('', { return: true }, reader)).to.deep.equal([]);
    expect(read('three', {}, reader)).to.deep.equal([]);
    expect(read('[201~', {}, reader)).to.deep.equal([
      { type: 'paste', text: 'one\ntwo\nthree', guessed: false },
    ]);
    expect(read('q', {}, reader)).to.deep.equal([{ type: 'text', text: 'q' }]);
  });

  it('guesses a paste when several lines arrive in one chunk', () => {
    expect(read('one\r\ntwo')).to.deep.equal([{ type: 'paste', text: 'one\ntwo', guessed: true }]);
  });

  it('leaves an unfinished paste with Ctrl+C', () => {
    const reader = new PressReader();
    read('[200~', {}, reader);
    expect(read('c', { ctrl: true }, reader)).to.deep.equal([{ type: 'key', key: 'ctrl+c' }]);
    expect(read('a', {}, reader)).to.deep.equal([{ type: 'text', text: 'a' }]);
  });
});
