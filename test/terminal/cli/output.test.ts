import { WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { captureOutput } from '@oclif/test';
import { expect } from 'chai';
import stringWidth from 'string-width';
import { singleLine } from '../../../src/domain/text.js';
import {
  CliError,
  EXIT_CODES,
  exitCodeOf,
  type Failure,
  failureOfStatus,
} from '../../../src/terminal/cli/errors.js';
import {
  columns,
  errorReport,
  Output,
  painter,
  terminalLine,
  wantsColor,
} from '../../../src/terminal/cli/output.js';
import { CountLine, ProgressBar, WaitingLine } from '../../../src/terminal/cli/progress.js';
import { tableLines } from '../../../src/terminal/cli/table.js';
import { listenForInterrupt } from '../../../src/terminal/cli/terminal.js';
import { shorten } from '../../../src/terminal/cli/text.js';

describe('foreign text', () => {
  it('foreign text stays on its line', () => {
    expect(singleLine('one\r\ntwo\nthree\u2028four')).to.equal('one ⏎ two ⏎ three ⏎ four');
  });

  it('foreign text cannot move the cursor, change colours or reverse text', () => {
    expect(singleLine('a\u001b[2Jb\u009bc\u202ed\u0007')).to.equal('a�[2Jb�c�d�');
  });

  it('keeps letters of every script, emoji included', () => {
    const text = 'Grüße, 你好, שלום, 👩‍👩‍👧';
    expect(singleLine(text)).to.equal(text);
  });

  it('foreign text is truncated at whole characters', () => {
    expect([shorten('hello', 5), shorten('hello!', 5), shorten('🙂🙂🙂', 2)]).to.deep.equal([
      'hello',
      'hell…',
      '🙂…',
    ]);
  });
});

describe('JSON in the terminal', () => {
  it('keeps the text, and escapes control characters', async () => {
    const value = { body: 'a\u001b[2Jb\u009bc\u202ed\u2028e\u007f', name: 'Grüße, 你好, שלום, 👩‍👩‍👧' };
    const { stdout } = await captureOutput(async () => new Output().json(value, { indent: true }));
    expect(JSON.parse(stdout)).to.deep.equal(value);
    expect(stdout).to.contain(value.name);
    expect(stdout.split('\n').map(singleLine)).to.deep.equal(stdout.split('\n'));
  });
});

/** Moves the cursor, sets a title, shows a colour, reverses text, and forges a row. */
const EVIL = 'a\u001b[2J\u001b]0;t\u0007\u001b[31mb\u009b\u202ec\r\nacme  connected\u2028d\te';

describe('the output of commands', () => {
  const ways: [string, (output: Output) => void | Promise<void>][] = [
    ['a line', (output) => output.line(EVIL)],
    ['a note', (output) => output.note(EVIL)],
    ['a warning', (output) => output.warning(EVIL)],
    ['a table', (output) => output.table(['NAME'], [[EVIL]])],
    ['fields', (output) => output.fields({ name: EVIL })],
    [
      'an error',
      (output) => output.error(errorReport(new CliError('failure', EVIL, { suggestions: [EVIL] }))),
    ],
    ['an unexpected error', (output) => output.error(errorReport(new Error(EVIL)))],
  ];
  for (const [what, print] of ways) {
    it(`keeps foreign text in ${what} on its line, without terminal control sequences`, async () => {
      const { stdout, stderr } = await captureOutput(async () => print(new Output()), { stripAnsi: false });
      const lines = `${stdout}${stderr}`.replace(/\n$/, '').split('\n');
      expect(lines.map(singleLine)).to.deep.equal(lines);
      expect(lines.filter((line) => /^\s*acme/.test(line))).to.deep.equal([]);
      expect(lines.join()).to.contain('⏎ acme  connected');
    });
  }

  it('keeps line breaks and tabs of a block, and cleans the rest', async () => {
    const print = async () => new Output().block('one\r\n\ttwo\u001b[2J\u202e\nthree');
    expect((await captureOutput(print, { stripAnsi: false })).stdout).to.equal('one\n\ttwo�[2J�\nthree\n');
  });

  it('shows the colours of the command, and no others', () => {
    const paint = painter({ isTTY: true }, {});
    const forged = '\u001b[31mforged\u001b[39m \u001b[31;1mforged\u001b[39;1m';
    expect(terminalLine(`${paint('green', forged)} end`)).to.equal(
      '\u001b[32m�[31mforged�[39m �[31;1mforged�[39;1m\u001b[39m end',
    );
  });

  it('cleans the names in progress lines', () => {
    const { written, stream: terminal } = stream(100);
    new ProgressBar(`film${EVIL}`, 10 * MEGABYTE, terminal).add(MEGABYTE);
    new CountLine(() => EVIL, terminal).add(1);
    new WaitingLine((what) => what, terminal).show(EVIL);
    expect(written.map(shown).map(singleLine)).to.deep.equal(written.map(shown));
  });
});

describe('colours', () => {
  const terminal = { isTTY: true };

  it('colours appear only on terminals', () => {
    expect([
      wantsColor(terminal, {}),
      wantsColor({}, {}),
      wantsColor(terminal, { TERM: 'dumb' }),
    ]).to.deep.equal([true, false, false]);
  });

  it('obey NO_COLOR before FORCE_COLOR', () => {
    expect(wantsColor(terminal, { NO_COLOR: '1', FORCE_COLOR: '1' })).to.equal(false);
    expect(wantsColor({}, { FORCE_COLOR: '1' })).to.equal(true);
  });

  it('colours leave the text unchanged when they are disabled', () => {
    expect(painter({}, {})('red', 'text')).to.equal('text');
    expect(terminalLine(painter(terminal, {})('red', 'text'))).to.equal('\u001b[31mtext\u001b[39m');
  });
});

describe('a table in a terminal', () => {
  const head = ['SESSION', 'STATUS', 'JID', 'WEBHOOK', 'NODE'];
  const paint = painter({ isTTY: true }, {});
  const rows = [
    ['acme', paint('green', 'connected'), '15550000001@s.whatsapp.net', 'https://example.com/hook', 'node-1'],
    [
      'büro 👩‍👩‍👧',
      paint('red', 'logged out'),
      '',
      'https://example.com/a/very/long/path/of/a/hook',
      'node-1',
    ],
  ];

  it('is as wide as it needs in a pipe', async () => {
    const { lines, leftOut } = await tableLines(head, rows, { paint });
    expect(lines[2]).to.contain('https://example.com/a/very/long/path/of/a/hook');
    expect(leftOut).to.deep.equal([]);
  });

  for (const width of [200, 120, 80, 60, 40, 20]) {
    it(`has no line wider than ${width} columns, and says which columns it leaves out`, async () => {
      const { lines, leftOut } = await tableLines(head, rows, { paint, width });
      const texts = lines.map((line) => stripVTControlCharacters(terminalLine(line)));
      for (const text of texts) expect(stringWidth(text), text).to.be.at.most(width);
      const shown = head.filter((title) => texts[0]?.includes(title));
      expect([...shown, ...leftOut]).to.have.members(head);
      expect(shown[0]).to.equal('SESSION');
    });
  }

  it('shortens the longest cells first, at whole characters, and keeps their colours', async () => {
    const cells = [[paint('red', '👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧'), 'short']];
    const { lines } = await tableLines(['NAME', 'STATUS'], cells, { paint, width: 18 });
    expect(terminalLine(lines[1] ?? '')).to.equal('\u001b[31m👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧…\u001b[39m  short');
  });

  it('leaves out the named columns first', async () => {
    const { leftOut } = await tableLines(head, rows, { paint, width: 50, leaveOut: ['STATUS'] });
    expect(leftOut[0]).to.equal('STATUS');
  });
});

describe('columns', () => {
  it('columns are aligned, without trailing blanks', async () => {
    expect(
      await columns([
        ['NAME', 'JID', ''],
        ['Weekend plans', '1@g.us', ''],
      ]),
    ).to.deep.equal(['NAME           JID', 'Weekend plans  1@g.us']);
  });

  it('do not count colours', async () => {
    const bold = painter({ isTTY: true }, {})('bold', 'A');
    expect(
      await columns([
        [bold, 'B'],
        ['abc', 'd'],
      ]),
    ).to.deep.equal([`${bold}    B`, 'abc  d']);
  });

  it('columns count wide characters as two', async () => {
    expect(
      await columns([
        ['你好', 'x'],
        ['abcde', 'y'],
      ]),
    ).to.deep.equal(['你好   x', 'abcde  y']);
  });
});

const MEGABYTE = 1024 * 1024;

/** A terminal of that width, or a pipe, that keeps what was written. */
function stream(columns: number | undefined): { written: string[]; stream: WriteStream } {
  const written: string[] = [];
  const stream: WriteStream = Object.create(WriteStream.prototype, {
    isTTY: { value: columns !== undefined },
    columns: { value: columns },
    write: { value: (text: string) => written.push(text) > 0 },
  });
  return { written, stream };
}

/** The visible line after a text was written. */
function shown(text: string | undefined): string {
  return (text ?? '').replace('\r\u001b[K', '');
}

describe('the progress of an upload', () => {
  it('shows a bar with the bytes sent', () => {
    const { written, stream: terminal } = stream(100);
    new ProgressBar('film.mp4', 10 * MEGABYTE, terminal).add(5 * MEGABYTE);
    expect(shown(written.at(-1))).to.equal(
      `film.mp4  ${'█'.repeat(12)}${'░'.repeat(12)}  50 %  5.0 of 10.0 MB`,
    );
  });

  it('never wraps, however long the name and however narrow the terminal', () => {
    for (const columns of [20, 60, 80]) {
      const { written, stream: terminal } = stream(columns);
      const progress = new ProgressBar('a'.repeat(200), 10 * MEGABYTE, terminal);
      progress.add(MEGABYTE);
      progress.add(9 * MEGABYTE);
      expect(written).to.have.length(2);
      for (const text of written) expect(shown(text).length, text).to.be.below(columns);
    }
  });

  it('reports when everything is sent, and clears its line', () => {
    const { written, stream: terminal } = stream(80);
    const progress = new ProgressBar('film.mp4', MEGABYTE, terminal);
    progress.add(MEGABYTE);
    expect(shown(written.at(-1))).to.equal('film.mp4  sent, waiting for the answer');
    progress.end();
    expect(written.at(-1)).to.equal('\r\u001b[K');
  });

  it('the progress bar is silent in a pipe', () => {
    const { written, stream: pipe } = stream(undefined);
    const progress = new ProgressBar('film.mp4', MEGABYTE, pipe);
    progress.add(MEGABYTE);
    progress.end();
    expect(written).to.deep.equal([]);
  });
});

describe('the exit code', () => {
  const failures: [Failure, number][] = [
    ['failure', 1],
    ['usage', 2],
    ['unreachable', 3],
    ['unauthorized', 4],
    ['not_found', 5],
    ['conflict', 6],
    ['refused', 7],
    ['interrupted', 130],
  ];
  for (const [failure, code] of failures) {
    it(`the exit code equals ${code} for ${failure}`, () => {
      expect(exitCodeOf(new CliError(failure, 'why'))).to.equal(code);
    });
  }

  it('differs for every failure', () => {
    const codes = Object.values(EXIT_CODES);
    expect(new Set(codes).size).to.equal(codes.length);
  });

  it('the exit code comes from the framework for arguments that it could not parse', () => {
    expect(exitCodeOf(Object.assign(new Error('bad flag'), { oclif: { exit: 2 } }))).to.equal(2);
  });

  it('the exit code equals 1 for an unexpected error', () => {
    expect([new Error('x'), 'text', undefined, null, { oclif: {} }].map(exitCodeOf)).to.deep.equal([
      1, 1, 1, 1, 1,
    ]);
  });

  const statuses: [number, Failure][] = [
    [400, 'usage'],
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [404, 'not_found'],
    [409, 'conflict'],
    [413, 'usage'],
    [500, 'failure'],
    [502, 'refused'],
    [503, 'failure'],
  ];
  for (const [status, failure] of statuses) {
    it(`maps HTTP ${status} to ${failure}`, () => {
      expect(failureOfStatus(status)).to.equal(failure);
    });
  }
});

describe('listenForInterrupt()', () => {
  const wasTTY = process.stdout.isTTY;
  afterEach(() => {
    process.stdout.isTTY = wasTTY;
  });

  /** Whether a signal aborts a command with or without a terminal; checks that no listener remains. */
  const isTold = (name: NodeJS.Signals, onTerminal: boolean) => {
    process.stdout.isTTY = onTerminal;
    // Ink's own listener, left by other tests, ends the process where no other listens
    const stay = () => undefined;
    process.on(name, stay);
    const before = process.listenerCount(name);
    const { signal, release } = listenForInterrupt();
    process.emit(name, name);
    release();
    expect(process.listenerCount(name)).to.equal(before);
    process.off(name, stay);
    return signal.aborted;
  };

  it('aborts when the terminal closes, except under nohup', () => {
    expect(isTold('SIGHUP', true)).to.equal(true);
    expect(isTold('SIGHUP', false)).to.equal(false);
  });
});
