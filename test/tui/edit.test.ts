import { expect } from 'chai';
import stringWidth from 'string-width';
import { type Edit, EMPTY_EDIT, editOf, insert, pressed } from '../../src/tui/text/edit.js';
import { moveRow, pictureEdit } from '../../src/tui/text/edit-picture.js';

const FAMILY = '👨‍👩‍👧‍👦';

/** A text with `|` where the cursor stands. */
const at = (marked: string): Edit => ({ text: marked.replace('|', ''), cursor: marked.indexOf('|') });
const shown = ({ text, cursor }: Edit) => `${text.slice(0, cursor)}|${text.slice(cursor)}`;
const press = (edit: Edit, ...keys: string[]) => keys.reduce((now, key) => pressed(now, key) ?? now, edit);

describe('a text that is being written', () => {
  it('goes by characters as people see them', () => {
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

  it('goes to the ends of its line', () => {
    expect(shown(press(at('one\ntw|o\nthree'), 'home'))).to.equal('one\n|two\nthree');
    expect(shown(press(at('one\ntw|o\nthree'), 'end'))).to.equal('one\ntwo|\nthree');
    expect(shown(press(at('on|e'), 'ctrl+a', 'ctrl+e'))).to.equal('one|');
  });

  it('goes and deletes by words', () => {
    expect(shown(press(at('one two  |three'), 'ctrl+w'))).to.equal('one |three');
    expect(shown(press(at('one two|'), 'ctrl+left', 'alt+b'))).to.equal('|one two');
    expect(shown(press(at('|one two'), 'alt+f'))).to.equal('one| two');
  });

  it('deletes to the ends of its line', () => {
    expect(shown(press(at('one\ntwo |three'), 'ctrl+u'))).to.equal('one\n|three');
    expect(shown(press(at('one| two\nthree'), 'ctrl+k'))).to.equal('one|\nthree');
  });

  it('takes many lines at once, and no controls', () => {
    expect(shown(insert(at('a|b'), 'one\r\ntwo\rthree'))).to.equal('aone\ntwo\nthree|b');
    expect(insert(EMPTY_EDIT, 'x\u001b[31m\u0007y\tz').text).to.equal('x[31my    z');
  });

  it('leaves keys that mean nothing to others', () => {
    expect(pressed(EMPTY_EDIT, 'pageup')).to.equal(undefined);
  });
});

describe('the picture of a text that is being written', () => {
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

  it('fits whatever is written', () => {
    const text = `${FAMILY}${FAMILY} हिन्दी e\u0301\u0302 שלום ${'x'.repeat(50)} 日本語`;
    for (const columns of [4, 7, 20]) {
      for (const row of pictureEdit(editOf(text), columns, 99).rows) {
        expect(stringWidth(row)).to.be.at.most(columns);
      }
    }
  });

  it('moves up and down by rows, and not beyond', () => {
    expect(shown(moveRow(at('abcdef|'), 4, -1) ?? EMPTY_EDIT)).to.equal('abc|def');
    expect(shown(moveRow(at('on|e\ntwo'), 10, 1) ?? EMPTY_EDIT)).to.equal('one\ntw|o');
    expect(moveRow(at('on|e'), 10, -1)).to.equal(undefined);
    expect(moveRow(at('on|e'), 10, 1)).to.equal(undefined);
  });
});
