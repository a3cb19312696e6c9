import { expect } from 'chai';
import { lookOf } from '../../src/tui/look.js';
import { painted } from '../../src/tui/text/painted.js';

const TERMINAL = { isTTY: true };
const URL = 'https://example.com/a b';

describe('what a terminal can show', () => {
  it('is colour on terminals, unless it is not wanted', () => {
    expect(lookOf(TERMINAL, { TERM: 'xterm-256color' }).color).to.equal(true);
    expect(lookOf(TERMINAL, { TERM: 'xterm-256color', NO_COLOR: '1' }).color).to.equal(false);
    expect(lookOf({}, {}).color).to.equal(false);
  });

  it('is links where they are known for sure', () => {
    expect(lookOf(TERMINAL, { TERM_PROGRAM: 'WezTerm' }).links).to.equal(true);
    expect(lookOf(TERMINAL, { VTE_VERSION: '7006' }).links).to.equal(true);
    expect(lookOf(TERMINAL, { TERM: 'xterm' }).links).to.equal(false);
    expect(lookOf(TERMINAL, { TERM_PROGRAM: 'WezTerm', TMUX: '/tmp/tmux' }).links).to.equal(false);
  });

  it('is the order of text by its direction where terminals have one', () => {
    expect(lookOf(TERMINAL, { VTE_VERSION: '7006' }).bidi).to.equal(true);
    expect(lookOf(TERMINAL, { TERM: 'xterm' }).bidi).to.equal(false);
    expect(lookOf(TERMINAL, { VTE_VERSION: '7006', TMUX: '/tmp/tmux' }).bidi).to.equal(false);
  });

  it('decides how a line is painted', () => {
    const line = [
      { text: 'a', color: 'red' as const, bold: true },
      { text: 'b', link: URL },
      { text: 'c', cursor: true },
    ];
    expect(painted(line, { color: false, bidi: false, links: false })).to.equal('ab\u001b[7mc\u001b[27m');
    expect(painted(line, { color: true, bidi: false, links: true })).to.equal(
      '\u001b[31m\u001b[1ma\u001b[22m\u001b[39m' +
        '\u001b]8;;https://example.com/a%20b\u0007b\u001b]8;;\u0007' +
        '\u001b[7mc\u001b[27m',
    );
  });
});
