import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { isLight } from '../../../src/terminal/tui/background.js';
import { problemOf, translated } from '../../../src/terminal/tui/inbox/keys/bindings.js';
import { Painter } from '../../../src/terminal/tui/painter.js';
import { drawOver } from '../../../src/terminal/tui/pane.js';
import { readScreenSettings } from '../../../src/terminal/tui/settings.js';
import { PLAIN_TERMINAL, terminalAbilities } from '../../../src/terminal/tui/terminal.js';
import { columnsOf } from '../../../src/terminal/tui/text/graphemes.js';
import { painted, sliceLine } from '../../../src/terminal/tui/text/line.js';
import { withMatches } from '../../../src/terminal/tui/text/match.js';
import { backCode, colorCode, personColor } from '../../../src/terminal/tui/theme.js';
import { VirtualTerminal, type VirtualTerminalOptions } from './support/virtual-terminal.js';

describe('the theme', () => {
  it('draws a colour with what the terminal has', () => {
    expect(colorCode('accent', { depth: 16 })).to.equal('32');
    expect(colorCode('accent', { depth: 256, light: false })).to.match(/^38;5;\d+$/);
    expect(colorCode('accent', { depth: 16_777_216, light: true })).to.equal('38;2;0;122;82');
  });

  it('uses only the terminal’s own colours if its background is unknown', () => {
    expect(colorCode('red', { depth: 16_777_216 })).to.equal('31');
    expect(backCode('own', { depth: 16_777_216 })).to.equal('');
  });

  it('gives a person the same colour each time', () => {
    expect(personColor('Alice')).to.equal(personColor('Alice'));
    const colors = ['Alice', 'Bob', 'Carol', 'Dan', 'Eve', 'Zoe'].map(personColor);
    expect(new Set(colors).size).to.be.above(2);
  });

  it('reads the background from the environment or from the answer of the terminal', () => {
    expect(terminalAbilities({}, { COLORFGBG: '0;15' }).light).to.equal(true);
    expect(terminalAbilities({}, { COLORFGBG: '15;0' }).light).to.equal(false);
    expect(terminalAbilities({}, {}).light).to.equal(undefined);
    expect(isLight('\u001b]11;rgb:ffff/ffff/f0f0\u0007\u001b[?62c')).to.equal(true);
    expect(isLight('\u001b]11;rgb:1e1e/1e1e/2e2e\u001b\\')).to.equal(false);
    expect(isLight('\u001b[?62c')).to.equal(undefined);
  });
});

describe('the painter', () => {
  const SIZE = { columns: 20, rows: 3 };
  let terminal: VirtualTerminal;
  let painter: Painter;
  const begin = (options?: VirtualTerminalOptions, look = PLAIN_TERMINAL) => {
    terminal = new VirtualTerminal(SIZE, options);
    painter = new Painter(terminal.stdout, look);
  };
  const shown = async () => {
    await terminal.drawn();
    return terminal.frame().split('\n');
  };

  it('writes only rows that changed, until it is told to paint all again', async () => {
    begin();
    painter.paint([[{ text: 'one' }], [{ text: 'two' }]]);
    expect(await shown()).to.deep.equal(['one', 'two', '']);
    terminal.stdout.write('\u001b[1;5Hof another program');
    painter.paint([[{ text: 'one' }], [{ text: 'new' }]]);
    painter.paint([[{ text: 'one' }], [{ text: 'new' }]]);
    expect(await shown()).to.deep.equal(['one of another progr', 'new', '']);
    expect(terminal.written).to.have.length(3);
    painter.repaint();
    expect(await shown()).to.deep.equal(['one', 'new', '']);
  });

  it('shows all changes of a frame at once', async () => {
    begin();
    painter.paint([[{ text: 'one' }], [{ text: 'two' }]]);
    await terminal.drawn();
    const [frame = ''] = terminal.written;
    // people see nothing of a frame whose last bytes are on their way
    const other = new VirtualTerminal(SIZE);
    other.stdout.write(frame.slice(0, -1));
    const seen = other.frameThat(() => true);
    other.stdout.write(frame.slice(-1));
    expect((await seen).split('\n')).to.deep.equal(['one', 'two', '']);
  });

  for (const old of [false, true]) {
    it(`keeps the rest of a row in its columns, on a terminal that measures emoji ${old ? 'otherwise' : 'alike'}`, async () => {
      begin({ old });
      painter.paint([
        [{ text: '👨‍👩‍👧 🇩🇪' }, { text: '│' }],
        [{ text: '🎉🎉🎉' }, { text: '│' }],
      ]);
      await terminal.drawn();
      expect(terminal.columnsOf('│')).to.deep.equal([5, 6]);
    });
  }

  it('shows the cursor of the terminal at the span that has it, and hides it without one', async () => {
    begin();
    painter.paint([[{ text: 'one' }], [{ text: '日本' }, { text: 'x', cursor: true }]]);
    await terminal.drawn();
    expect(terminal.cursor).to.deep.equal({ row: 1, column: 4 });
    painter.paint([[{ text: 'one' }], [{ text: '日' }, { text: 'x', cursor: true }]]);
    await terminal.drawn();
    expect(terminal.cursor).to.deep.equal({ row: 1, column: 2 });
    painter.paint([[{ text: 'one' }], [{ text: '日' }, { text: 'x' }]]);
    await terminal.drawn();
    expect(terminal.cursor).to.equal(undefined);
  });

  it('erases the rows of a longer screen', async () => {
    begin();
    painter.paint([[{ text: 'one' }], [{ text: 'two' }]]);
    painter.paint([[{ text: 'three' }]]);
    expect(await shown()).to.deep.equal(['three', '', '']);
  });

  it('draws styles and colours as the terminal has them', async () => {
    begin({}, { ...PLAIN_TERMINAL, color: true, styles: true });
    painter.paint([
      [
        { text: 'a', color: 'red', bold: true },
        { text: 'b', back: 'selected', underline: true },
        { text: 'c', dim: true, italic: true, strikethrough: true },
        { text: 'd' },
      ],
    ]);
    await terminal.drawn();
    expect([...'abcd'].map((text) => terminal.styleOf(text))).to.deep.equal([
      { color: 1, bold: true },
      { color: 15, back: 4, underline: true },
      { dim: true, italic: true, strikethrough: true },
      {},
    ]);
  });
});

describe('a window over the screen', () => {
  it('keeps the columns of what it covers, also of wide characters', () => {
    const screen = [[{ text: '日本語日本語' }]];
    const [line = []] = drawOver(screen, [[{ text: 'xx' }]], { top: 0, left: 3 });
    const text = painted(line, PLAIN_TERMINAL);
    expect(text).to.equal('日 xx 日本語');
    expect(columnsOf(text)).to.equal(12);
    expect(sliceLine([{ text: 'abc' }], 1, 2)).to.deep.equal([{ text: 'b' }]);
  });
});

describe('found words', () => {
  it('are marked whatever their case and accents', () => {
    const marked = withMatches({ text: 'Ein Café' }, ['cafe']).filter(({ back }) => back === 'match');
    expect(marked.map(({ text }) => text)).to.deep.equal(['Café']);
  });
});

describe('the settings of the screens', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchboard-screens-'));
  });
  after(() => rm(folder, { recursive: true }));

  const failureOf = async (text: string) => {
    await writeFile(join(folder, 'screens.json'), text);
    return readScreenSettings(folder).then(
      () => '',
      (error: unknown) => (error instanceof Error ? error.message : ''),
    );
  };

  it('have defaults, and are read from the file', async () => {
    expect(await readScreenSettings(join(folder, 'none'))).to.deep.equal({
      theme: 'auto',
      mouse: true,
      keys: {},
    });
    expect(await failureOf('{"theme":"light","keys":{"reply":"R"}}')).to.equal('');
    expect((await readScreenSettings(folder)).keys).to.deep.equal({ reply: 'R' });
  });

  it('refuse what is no setting, and name it', async () => {
    expect(await failureOf('{')).to.contain('it is not JSON');
    expect(await failureOf('{"theme":"pink"}')).to.contain('"theme" must be one of');
    expect(await failureOf('{"keys":{"fly":"x"}}')).to.contain('there is no action fly');
  });

  it('refuse keys that are taken', () => {
    expect(problemOf({ reply: 'e' })).to.equal('reply and react have the same key e');
    expect(problemOf({ reply: 'j' })).to.contain('always has its usual meaning');
    expect(problemOf({ reply: 'long' })).to.contain('is no key');
    expect(problemOf({ reply: 'e', react: 'r' })).to.equal(undefined);
  });

  it('move an action to another key', () => {
    const chosen = { reply: 'R' };
    const press = (text: string) => ({ type: 'text', text }) as const;
    expect(translated(press('R'), 'conversation', chosen)).to.deep.equal(press('r'));
    expect(translated(press('r'), 'conversation', chosen)).to.equal(undefined);
    expect(translated(press('r'), 'rooms', chosen)).to.deep.equal(press('r'));
  });
});
