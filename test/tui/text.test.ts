import { expect } from 'chai';
import stringWidth from 'string-width';
import { clean, cleanLine, isolate } from '../../src/tui/text/foreign.js';
import { columnsOf, graphemes } from '../../src/tui/text/graphemes.js';
import { cutText, fitLine, lineColumns, spread } from '../../src/tui/text/line.js';
import { wrapText } from '../../src/tui/text/wrap.js';

const FAMILY = '👨‍👩‍👧‍👦';
const NASTY = [
  'plain words that go on',
  '日本語のとても長い名前のグループ',
  `${FAMILY}${FAMILY} 👍🏽 🇩🇪🇫🇷 1️⃣ ❤️ ☕`,
  'e\u0301\u0302\u0303\u0304 a\u0300 zalgo\u0315\u031b\u0340\u0358',
  'שלום עולם 123 مرحبا بالعالم',
  'हिन्दी में लिखना ไทยกำลัง நிலம்',
  '한글 ᄀ\u1161\u11a8 글',
  '\u0301starts with a mark',
  `x${'\u0301'.repeat(200)}y`,
  'one\ttab and a\u0000nul',
  'supercalifragilisticexpialidocious',
];

describe('text in columns', () => {
  it('wraps any text to lines that fit', () => {
    for (const text of NASTY) {
      for (const columns of [2, 3, 5, 8, 13, 40]) {
        const lines = wrapText(clean(text), columns);
        for (const line of lines) expect(stringWidth(line), `${columns}: ${line}`).to.be.at.most(columns);
      }
    }
  });

  it('loses nothing but the spaces at which it breaks', () => {
    for (const text of NASTY) {
      const shown = clean(text);
      const wrapped = wrapText(shown, 8).join('');
      expect(wrapped.replaceAll(' ', '')).to.equal(shown.replaceAll(' ', ''));
    }
  });

  it('breaks at spaces, and words where it must', () => {
    expect(wrapText('terminal to 20x8 or more', 19)).to.deep.equal(['terminal to 20x8 or', 'more']);
    expect(wrapText('abcdefgh ij', 4)).to.deep.equal(['abcd', 'efgh', 'ij']);
    expect(wrapText('one\n\ntwo', 10)).to.deep.equal(['one', '', 'two']);
    expect(wrapText('ab ', 2)).to.deep.equal(['ab']);
  });

  it('keeps a character of many parts together', () => {
    expect(wrapText(`a${FAMILY}b`, 3)).to.deep.equal([`a${FAMILY}`, 'b']);
    expect(graphemes(`${FAMILY}🇩🇪e\u0301`).map(({ columns }) => columns)).to.deep.equal([2, 2, 1]);
    expect(graphemes('a\u0301b1️⃣').map(({ text }) => text)).to.deep.equal(['a\u0301', 'b', '1️⃣']);
  });

  it('measures as a terminal does', () => {
    for (const text of NASTY.map(clean)) expect(columnsOf(text), text).to.equal(stringWidth(text));
  });

  it('cuts to the columns, never half a character', () => {
    for (const text of NASTY.map(cleanLine)) {
      for (const columns of [0, 1, 2, 3, 7, 20]) {
        expect(stringWidth(cutText(text, columns)), `${columns}: ${text}`).to.be.at.most(columns);
      }
    }
    expect(cutText('日本語', 4)).to.equal('日…');
    expect(cutText('日本', 4)).to.equal('日本');
  });

  it('fills and cuts lines of several spans to exact columns', () => {
    for (const text of NASTY.map(cleanLine)) {
      for (const columns of [1, 2, 9, 30]) {
        const line = [{ text: '▌' }, { text, bold: true }, { text: ' end' }];
        expect(lineColumns(fitLine(line, columns)), `${columns}: ${text}`).to.equal(columns);
        expect(lineColumns(spread(line, [{ text: '(3)' }], columns)), `${columns}: ${text}`).to.equal(
          columns,
        );
      }
    }
  });
});

describe('what others wrote', () => {
  it('cannot move the cursor, recolour the terminal or forge a line', () => {
    expect(clean('a\u001b[31mb\u0007\u009b2Jc')).to.equal('a[31mb2Jc');
    expect(cleanLine('one\r\ntwo\u2028three')).to.equal('one ⏎ two ⏎ three');
  });

  it('cannot turn the direction of what is around it', () => {
    expect(clean('\u202eabc\u202c \u2067x\u2069 \u200fy')).to.equal('abc x y');
  });

  it('leaves out what has no column of its own', () => {
    expect(clean('a\u200bb\u2060c\ufeff')).to.equal('abc');
    expect(clean('\u0301a')).to.equal('a');
  });

  it('cannot heap marks over other lines', () => {
    expect(clean(`x${'\u0301'.repeat(200)}y`).length).to.be.below(20);
  });

  it('is kept apart when it is written from right to left', () => {
    expect(isolate('שלום')).to.equal('\u2068שלום\u2069');
    expect(isolate('hello')).to.equal('hello');
  });
});
