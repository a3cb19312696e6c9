import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { makeTempDir } from '../support/temp-dir.js';
import { Terminal } from '../support/terminal.js';
import { SCHEMES, styledRows } from '../tour/svg.js';
import { FakeHistory } from './cli/inbox/support/fake-history.js';
import { nodeRow, sessionRow } from './cli/support/entries.js';
import { FakeDaemon } from './cli/support/fake-daemon.js';

const SIZES = [
  { columns: 200, rows: 50 },
  { columns: 120, rows: 40 },
  { columns: 80, rows: 24 },
  { columns: 40, rows: 20 },
];
const MESSAGES = 10_000;
/** Numbers of messages that a search finds. */
const PLACES = [8_001, 6_001, 4_001, 2_001];

/** Texts whose columns terminals count differently, or that try to leave their place. */
const STRANGE = [
  'family 👨‍👩‍👧‍👦 and 👩🏽‍🚀 and 🏳️‍🌈 and 🧑‍🤝‍🧑',
  'flags 🇩🇪🇯🇵🇧🇷 and 🏴󠁧󠁢󠁳󠁣󠁴󠁿 and half a flag 🇩',
  'skin 👍🏻👍🏼👍🏽👍🏾👍🏿 keys 1️⃣2️⃣#️⃣*️⃣ hearts ❤️❤ signs ☎️☎ ™️©️',
  'مرحبا بالعالم، كيف حالك اليوم؟ نعم 123',
  'שלום עולם, a mixed עברית line with (brackets)',
  'marks e\u0301 a\u0308\u0323 Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d a\u0334\u0321\u0340\u0341\u0315\u031a\u0327\u0323\u0353',
  'देवनागरी ไทย தமிழ் 한국어 ᄒ\u1161ᆫ 日本語の文章です。全角ＡＢＣ',
  'tabs\tand \u200bzero\u200dwidth \u202eturned\u202c \u2066isolated\u2069 \u00adsoft \ufeffmark',
  `${'👨‍👩‍👧'.repeat(40)}`,
  `${'unbroken'.repeat(40)}`,
  '\u001b[2J\u001b[H escape \u009b31m and \u0007 bell \r return',
];
const strange = (n: number) => STRANGE[n % STRANGE.length] ?? '';

describe('the screens in terminals of every size and colour', function () {
  this.timeout(120_000);
  let daemon: FakeDaemon;
  let history: FakeHistory;
  let env: Record<string, string>;
  let long: string;
  const terminals: Terminal[] = [];

  before(async () => {
    daemon = await FakeDaemon.start();
    history = new FakeHistory(daemon, ['acme', ...Array.from({ length: 11 }, (_, n) => `other${n}`)]);
    long = history.addRoom('200', 0);
    history.rename(long, strange(0));
    for (let n = 0; n < MESSAGES; n++) {
      const usual = n % 3 === 0 ? strange(n / 3) : `message ${n}`;
      const body = n === 0 ? 'the very first one' : PLACES.includes(n) ? `place ${n}` : usual;
      history.add(long, { body, fromMe: n % 5 === 0, pushname: strange(n) });
    }
    for (let n = 1; n < 60; n++) {
      const room = history.addRoom(String(200 + n), 0);
      history.rename(room, strange(n));
      history.add(room, { body: strange(n + 1) });
    }
    env = { SWITCHBOARD_URL: daemon.url, SWITCHBOARD_TOKEN: 't' };
  });
  after(async () => {
    for (const terminal of terminals) await terminal.close();
    await daemon.stop();
  });

  async function run(...argv: string[]): Promise<Terminal> {
    const [size = { columns: 80, rows: 24 }] = SIZES;
    const terminal = await Terminal.run(argv, { ...size, env });
    terminals.push(terminal);
    return terminal;
  }

  /** The first row is the header and the last one has the keys, so nothing scrolled; all edges stand below each other. */
  async function isWhole(
    terminal: Terminal,
    screen: string,
    { columns, rows }: (typeof SIZES)[number],
    framed: { from: number; to: number },
  ): Promise<boolean> {
    const lines = screen.replace(/\n$/, '').split('\n');
    if (lines.length !== rows || !lines[0]?.startsWith(' switchboard') || lines.at(-1)?.trim() === '')
      return false;
    const top = lines[framed.from] ?? '';
    if (!top.startsWith('╭') || !top.endsWith('╮')) return false;
    // the upper edge of the pane at the left has no foreign text
    const middle = top.indexOf('╮');
    const edges = middle > 0 && top[middle + 1] === '╭' ? [middle, middle + 1] : [];
    const cells = await terminal.cells([0, ...edges, columns - 1], rows);
    return cells.every((column) =>
      column.slice(framed.from, framed.to).every((cell) => /^[│╭╮╰╯]$/.test(cell)),
    );
  }

  /** Resolves when the terminal has the size and the screen is whole in it. */
  async function fits(terminal: Terminal, size: (typeof SIZES)[number], text: RegExp): Promise<void> {
    await terminal.until(
      async (screen) =>
        text.test(screen) && (await isWhole(terminal, screen, size, { from: 1, to: size.rows - 1 })),
    );
  }

  it('draws the inbox with foreign names and texts, in rows that do not wrap and frames that line up', async () => {
    const terminal = await run('inbox', '--session', 'acme');
    await terminal.until((screen) => screen.includes('Rooms 60'));
    await terminal.press('Enter');
    for (const size of SIZES) {
      terminal.resize(size.columns, size.rows);
      await fits(terminal, size, /message 9998|arrived at/);
      history.add(long, { body: strange(size.rows), pushname: strange(size.columns) });
      history.add(long, { body: `arrived at ${size.columns}` });
      daemon.signal({ clientId: 'acme', chatRoomId: long });
      await fits(terminal, size, new RegExp(`arrived at ${size.columns}`));
    }
  });

  it('does not scroll when it reads the rooms of eleven other sessions at once', async () => {
    const terminal = await run('inbox', '--session', 'acme');
    const [size = { columns: 80, rows: 24 }] = SIZES;
    await terminal.until((screen) => screen.includes('Rooms 60') && screen.includes('Sessions 12'));
    const before = daemon.callsOf('/chatrooms').length;
    await terminal.press('C-k');
    await terminal.until((screen) => screen.includes('Go to'));
    await daemon.called('/chatrooms', before + 11);
    await terminal.press('Escape');
    await terminal.until((screen) => !screen.includes('Go to'));
    await terminal.press('Enter');
    await fits(terminal, size, /message 9998|arrived at/);
  });

  it('draws a conversation of 10,000 messages, from the first to the last one', async () => {
    const terminal = await run('inbox', '--session', 'acme');
    await terminal.until((screen) => screen.includes('Rooms 60'));
    await terminal.press('Enter');
    // a search loads all pages up to its match; a part of them at a time
    for (const words of [...PLACES.map((n) => `place ${n}`), 'the very first one']) {
      await terminal.press('/');
      await terminal.until((screen) => screen.includes('Enter search'));
      await terminal.press(words, 'Enter');
      await terminal.until((screen) => new RegExp(`${words}  \\d\\d:\\d\\d`).test(screen));
    }
    for (const size of SIZES) {
      terminal.resize(size.columns, size.rows);
      await fits(terminal, size, /the very first one/);
      await terminal.press('NPage');
      await fits(terminal, size, /more lines/);
      await terminal.press('g');
    }
    await terminal.press('G');
    await fits(terminal, { columns: 40, rows: 20 }, /arrived at 40|message 9998/);
  });

  it('draws the fleet with foreign reasons, in rows that do not wrap and frames that line up', async () => {
    const sessions = Array.from({ length: 60 }, (_, n) =>
      sessionRow(`session${n}`, { status: 'reconnecting', connected: false, reason: strange(n) }),
    );
    const nodes = [nodeRow('node-1'), nodeRow(`node-2 ${strange(0)}`)];
    daemon.on('GET /fleet', { at: new Date().toISOString(), nodes, sessions });
    const terminal = await run('fleet');
    for (const size of SIZES) {
      terminal.resize(size.columns, size.rows);
      if (size.columns >= 60) {
        await terminal.until((screen) => isWhole(terminal, screen, size, { from: 3, to: size.rows - 2 }));
        continue;
      }
      // too narrow for frames: header, two nodes, heading, sessions, notice, keys
      await terminal.until((screen) => {
        const lines = screen.replace(/\n$/, '').split('\n');
        return (
          lines.length === size.rows &&
          lines[0]?.startsWith(' switchboard fleet') === true &&
          lines.slice(4, -2).every((line) => /^[› ] session\d+ +! reconnecting/.test(line))
        );
      });
    }
  });

  /** Codes of bold, dim and other text without a colour, and of the usual colours. */
  const STYLES_ONLY = /^(0|[1-479]|2[2-9]|[34]9)$/;
  /** The selected row as terminals of each kind show it. */
  const LOOKS: readonly {
    title: string;
    theme: string;
    env: Record<string, string>;
    codes: RegExp;
    selected: object;
  }[] = [
    {
      title: 'a dark terminal with all colours',
      theme: 'dark',
      env: { COLORTERM: 'truecolor' },
      codes: /^[34]8;2;\d+;\d+;\d+$/,
      selected: { back: '#1f4a7a' },
    },
    {
      title: 'a light terminal with all colours',
      theme: 'light',
      env: { COLORTERM: 'truecolor' },
      codes: /^[34]8;2;\d+;\d+;\d+$/,
      selected: { back: '#cfe5ff' },
    },
    {
      title: 'a terminal with 256 colours that says it is light',
      theme: 'auto',
      env: { TERM: 'xterm-256color', COLORFGBG: '0;15' },
      codes: /^[34]8;5;\d+$/,
      selected: { back: '#d7d7ff' },
    },
    {
      title: 'a terminal with 16 colours',
      theme: 'auto',
      env: { TERM: 'xterm' },
      codes: /^([349][0-7]|10[0-7])$/,
      selected: { back: SCHEMES.dark.colors[4] },
    },
    {
      title: 'a terminal without colours',
      theme: 'auto',
      env: { COLORTERM: 'truecolor', NO_COLOR: '1' },
      codes: /^never$/,
      selected: { back: '', inverse: true },
    },
  ];
  for (const { title, theme, env: abilities, codes, selected } of LOOKS) {
    it(`draws both screens for ${title}, the selected row over its whole width`, async () => {
      daemon.on('GET /fleet', { at: new Date().toISOString(), nodes: [], sessions: [sessionRow('acme')] });
      const folder = await makeTempDir();
      await mkdir(join(folder.path, 'switchboard'));
      await writeFile(join(folder.path, 'switchboard', 'screens.json'), JSON.stringify({ theme }));
      const screens: [argv: string[], shown: string, mark: RegExp][] = [
        [['inbox', '--session', 'acme'], 'Rooms 60', /^▌/],
        [['fleet'], 'by trouble', /^›/],
      ];
      for (const [argv, shown, mark] of screens) {
        const size = { columns: 100, rows: 24 };
        const terminal = await Terminal.run(argv, {
          ...size,
          env: { ...env, XDG_CONFIG_HOME: folder.path, ...abilities },
        });
        terminals.push(terminal);
        let styled = '';
        await terminal.until(async (screen) => {
          styled = await terminal.styledScreen();
          const row = styledRows(styled, 'dark').find((runs) => mark.test(runs[1]?.text ?? '')) ?? [];
          // between the walls of the pane
          const end = row.findIndex(({ text }, at) => at > 0 && /^[│┃]/.test(text));
          const inside = row.slice(1, end);
          return (
            screen.includes(shown) &&
            end > 1 &&
            inside.every(({ style }) => isDeepStrictEqual({ ...style, ...selected }, style))
          );
        });
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape codes of styles
        for (const [, parameters = ''] of styled.matchAll(/\u001b\[([\d;]*)m/g)) {
          for (const code of parameters.match(/[34]8;[25];[\d;]+|\d+/g) ?? []) {
            if (!STYLES_ONLY.test(code)) expect(code).to.match(codes);
          }
        }
      }
      await folder.remove();
    });
  }

  it('obeys a click and a key that the operator has chosen, and draws again with Ctrl+L', async () => {
    const folder = await makeTempDir();
    await mkdir(join(folder.path, 'switchboard'));
    const settings = { keys: { switcher: 'ctrl+g' } };
    await writeFile(join(folder.path, 'switchboard', 'screens.json'), JSON.stringify(settings));
    const terminal = await Terminal.run(['inbox', '--session', 'acme'], {
      columns: 120,
      rows: 24,
      env: { ...env, XDG_CONFIG_HOME: folder.path },
    });
    terminals.push(terminal);
    const screen = await terminal.until(
      (text) => text.includes('Rooms 60') && text.includes('Ctrl+G go to') && text.includes(' other1 '),
    );
    const row = screen.split('\n').findIndex((line) => line.includes(' other1 '));
    // the button goes down and up; places begin with 1
    for (const end of ['M', 'm']) {
      const report = Buffer.from(`\u001b[<0;6;${row + 1}${end}`);
      await terminal.press('-H', ...[...report].map((byte) => byte.toString(16)));
    }
    await terminal.until((text) => text.split('\n')[0]?.includes('│ other1 ') === true);
    await terminal.press('C-g');
    await terminal.until((text) => text.includes('Go to'));
    await terminal.press('Escape');
    await terminal.until((text) => !text.includes('Go to'));
    await terminal.scribble('\u001b[2;2Hwritten by another program');
    await terminal.until((text) => text.includes('written by another program'));
    await terminal.press('C-l');
    await terminal.until((text) => !text.includes('another program') && text.includes('Sessions 12'));
    await folder.remove();
  });

  it('shows the fleets of all contexts, opens one of them, and returns', async () => {
    const folder = await makeTempDir();
    await mkdir(join(folder.path, 'switchboard'));
    const contexts = {
      here: { url: daemon.url, token: 't' },
      gone: { url: 'http://127.0.0.1:9', token: 't' },
    };
    await writeFile(join(folder.path, 'switchboard', 'contexts.json'), JSON.stringify({ contexts }));
    daemon.on('GET /fleet', { at: new Date().toISOString(), nodes: [], sessions: [sessionRow('acme')] });
    const size = { columns: 120, rows: 40 };
    const terminal = await Terminal.run(['fleet', '--all'], {
      ...size,
      env: { XDG_CONFIG_HOME: folder.path },
    });
    terminals.push(terminal);
    const whole = { from: 1, to: size.rows - 1 };
    await terminal.until(
      async (screen) =>
        /✗ gone .*no answer yet/.test(screen) &&
        screen.includes('! 1 of 2 live') &&
        /● here .*1 sessions? · 1 connected/.test(screen) &&
        (await isWhole(terminal, screen, size, whole)),
    );
    await terminal.press('Enter');
    await terminal.until(
      (screen) => /switchboard fleet .*here · http/.test(screen) && /›.*acme/.test(screen),
    );
    await terminal.press('q');
    await terminal.until((screen) => screen.includes('fleet --all') && screen.includes('✗ gone'));
    await terminal.press('q');
    await terminal.until((screen) => screen.includes('[ended with 0]'));
    await folder.remove();
  });
});
