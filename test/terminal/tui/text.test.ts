import { expect } from 'chai';
import stringWidth from 'string-width';
import { PLAIN_TERMINAL, terminalAbilities } from '../../../src/terminal/tui/terminal.js';
import { clean, cleanLine, isolate } from '../../../src/terminal/tui/text/foreign.js';
import { columnsOf, graphemes } from '../../../src/terminal/tui/text/graphemes.js';
import {
  cutText,
  fitLine,
  lineColumns,
  painted,
  spread,
  wrapText,
} from '../../../src/terminal/tui/text/line.js';

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

  it('drops only the spaces at line breaks', () => {
    for (const text of NASTY) {
      const shown = clean(text);
      const wrapped = wrapText(shown, 8).join('');
      expect(wrapped.replaceAll(' ', '')).to.equal(shown.replaceAll(' ', ''));
    }
  });

  it('breaks at spaces, and breaks words that are too long', () => {
    expect(wrapText('terminal to 20x8 or more', 19)).to.deep.equal(['terminal to 20x8 or', 'more']);
    expect(wrapText('abcdefgh ij', 4)).to.deep.equal(['abcd', 'efgh', 'ij']);
    expect(wrapText('one\n\ntwo', 10)).to.deep.equal(['one', '', 'two']);
    expect(wrapText('ab ', 2)).to.deep.equal(['ab']);
  });

  it('keeps grapheme clusters together', () => {
    expect(wrapText(`a${FAMILY}b`, 3)).to.deep.equal([`a${FAMILY}`, 'b']);
    expect(graphemes(`${FAMILY}🇩🇪e\u0301`).map(({ columns }) => columns)).to.deep.equal([2, 2, 1]);
    expect(graphemes('a\u0301b1️⃣').map(({ text }) => text)).to.deep.equal(['a\u0301', 'b', '1️⃣']);
  });

  it('counts columns as a terminal does', () => {
    for (const text of NASTY.map(clean)) expect(columnsOf(text), text).to.equal(stringWidth(text));
  });

  it('never cuts a character in half', () => {
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

describe('foreign text', () => {
  it('cannot move the cursor, recolour the terminal or forge a line', () => {
    expect(clean('a\u001b[31mb\u0007\u009b2Jc')).to.equal('a[31mb2Jc');
    expect(cleanLine('one\r\ntwo\u2028three')).to.equal('one ⏎ two ⏎ three');
  });

  it('cannot change the direction of its neighbours', () => {
    expect(clean('\u202eabc\u202c \u2067x\u2069 \u200fy')).to.equal('abc x y');
  });

  it('loses characters that have no column of their own', () => {
    expect(clean('a\u200bb\u2060c\ufeff')).to.equal('abc');
    expect(clean('\u0301a')).to.equal('a');
  });

  it('cannot draw combining marks over other lines', () => {
    expect(clean(`x${'\u0301'.repeat(200)}y`).length).to.be.below(20);
  });

  it('is isolated if it is written from right to left', () => {
    expect(isolate('שלום')).to.equal('\u2068שלום\u2069');
    expect(isolate('hello')).to.equal('hello');
  });
});

const TERMINAL = { isTTY: true };
const URL = 'https://example.com/a b';

describe('the terminal abilities', () => {
  it('use colour on terminals, unless NO_COLOR forbids it', () => {
    expect(terminalAbilities(TERMINAL, { TERM: 'xterm-256color' }).color).to.equal(true);
    expect(terminalAbilities(TERMINAL, { TERM: 'xterm-256color', NO_COLOR: '1' }).color).to.equal(false);
    expect(terminalAbilities({}, {}).color).to.equal(false);
    // bold, dim and inverse text is no colour
    expect(terminalAbilities(TERMINAL, { TERM: 'xterm-256color', NO_COLOR: '1' }).styles).to.equal(true);
    expect(terminalAbilities(TERMINAL, { TERM: 'dumb' }).styles).to.equal(false);
  });

  it('use links only on terminals that are known to support them', () => {
    expect(terminalAbilities(TERMINAL, { TERM_PROGRAM: 'WezTerm' }).links).to.equal(true);
    expect(terminalAbilities(TERMINAL, { VTE_VERSION: '7006' }).links).to.equal(true);
    expect(terminalAbilities(TERMINAL, { TERM: 'xterm' }).links).to.equal(false);
    expect(terminalAbilities(TERMINAL, { TERM_PROGRAM: 'WezTerm', TMUX: '/tmp/tmux' }).links).to.equal(false);
    for (const [version, isKnown] of [
      ['3.3a', false],
      ['3.4', true],
      ['3.10', true],
      ['4.0', true],
      ['', false],
    ] as const) {
      const env = {
        TMUX: '/tmp/tmux',
        TERM_PROGRAM: 'tmux',
        TERM_PROGRAM_VERSION: version,
        VTE_VERSION: '7006',
      };
      expect(terminalAbilities(TERMINAL, env).links, version).to.equal(isKnown);
    }
  });

  it('isolate foreign text on terminals that order text by its direction', () => {
    expect(terminalAbilities(TERMINAL, { VTE_VERSION: '7006' }).bidi).to.equal(true);
    expect(terminalAbilities(TERMINAL, { TERM: 'xterm' }).bidi).to.equal(false);
    expect(terminalAbilities(TERMINAL, { VTE_VERSION: '7006', TMUX: '/tmp/tmux' }).bidi).to.equal(false);
  });

  it('paint no control characters and marks that reverse text, whichever view forgot them', () => {
    const line = [{ text: 'a\u001b[2J\u0007\u009b\u202eb\n' }];
    expect(painted(line, { ...PLAIN_TERMINAL, bidi: true, links: true })).to.equal('a[2Jb');
  });

  it('decide how a line is painted', () => {
    const line = [
      { text: 'a', color: 'red' as const, bold: true },
      { text: 'b', link: URL },
      { text: 'c', cursor: true },
    ];
    expect(painted(line, PLAIN_TERMINAL)).to.equal('abc');
    const chosen = [{ text: 'd', color: 'red' as const, back: 'selected' as const }];
    expect(painted([...line.slice(0, 1), ...chosen], { ...PLAIN_TERMINAL, styles: true })).to.equal(
      '\u001b[1ma\u001b[22m\u001b[7md\u001b[27m',
    );
    expect(painted(line, { ...PLAIN_TERMINAL, color: true, links: true })).to.equal(
      '\u001b[31m\u001b[1ma\u001b[22m\u001b[39m' +
        '\u001b]8;;https://example.com/a%20b\u0007b\u001b]8;;\u0007' +
        'c',
    );
  });
});
