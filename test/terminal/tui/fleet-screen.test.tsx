import { expect } from 'chai';
import { reason, toFields } from '../../../src/domain/reasons.js';
import type { FleetState } from '../../../src/terminal/cli/fleet/model.js';
import { ago, attempt, nodeRow, sessionRow, textEvent, webhookRow } from '../cli/support/entries.js';
import { ScriptedFleet, type ShownFleet, showAllFleets, showFleet } from './support/fleet.js';
import { KEYS, type Look } from './support/rendered.js';

const LARGE = { columns: 140, rows: 40 };
/** Columns and rows that the screen must leave empty. */
const MARGIN = 10;
const COLORS: Look = { env: { TERM: 'xterm' } };
/** In the palette of a terminal. */
const GREEN = 2;
const LOST = 'The network cannot be reached.';

describe('the fleet screen', () => {
  let screen: ShownFleet;
  afterEach(() => screen.unmount());

  const show = async (
    state: Partial<FleetState> = {},
    size = { columns: 120, rows: 12 },
    look: Look = {},
  ) => {
    screen = await showFleet(state, size, look);
  };
  /** Changes the fleet. Resolves when the change is drawn. */
  const change = async (changes: Partial<FleetState>) => {
    screen.model.change(changes);
    await screen.drawn();
  };
  /** The rows of the table, without heading and footer. */
  const table = () => {
    const lines = screen
      .frame()
      .split('\n')
      .map((line) => line.replace(/^┃|┃$/g, ''));
    const head = lines.findIndex((line) => /SESSION +STATE/.test(line));
    return lines.slice(head + 1).filter((line) => /^[› ][ *][a-z]/i.test(line));
  };
  const names = () => table().map((line) => line.slice(2).split(' ')[0]);
  const chosen = () => table().find((line) => line.startsWith('›'));

  describe('as a table', () => {
    it('shows nodes and the state of each session, problems first', async () => {
      const last = { ...webhookRow().last, at: ago(120_000), outcome: 'rejected', status: 401 } as const;
      const webhook = webhookRow({ failed: 12, waiting: 3, inFlight: 1, last: { ...LAST, ...last } });
      await show(
        {
          sessions: [
            sessionRow('acme', { lastStanzaAt: ago(14 * 60_000) }),
            sessionRow('beta', { webhook }),
            sessionRow('away', {
              status: 'reconnecting',
              connected: false,
              reason: LOST,
              since: ago(61_000),
            }),
          ],
        },
        LARGE,
      );
      expect(screen.frame()).to.contain(
        '● node-1 · 2026-11 · up 26 h · 120 MB · store sqlite ok, 2 ms · network ok',
      );
      expect(names()).to.deep.equal(['away', 'beta', 'acme']);
      const [away, beta, acme] = table();
      expect(away)
        .to.match(/! reconnecting +1 min/)
        .and.contain(LOST);
      expect(beta)
        .to.match(/● connected +3 h +5 s ago +12 +✗ 401, 2 min ago/)
        .and.match(/3\+1/);
      expect(acme).to.contain('connected, silent 14 min');
    });

    it('names commands, not routes, in the reasons of a session', async () => {
      const fields = toFields(reason('qr_expired'), 'acme');
      const ended = {
        lastDisconnect: fields.reason,
        lastDisconnectCode: 'qr_expired',
        lastDisconnectValues: {},
      };
      const stopped = { status: 'initializing', connected: false, loggedIn: false, ...fields } as const;
      await show({ sessions: [sessionRow('acme', { ...stopped, ...ended })] }, LARGE);
      expect(screen.frame()).to.contain('No phone scanned').and.not.contain('/start');
      await screen.type(KEYS.enter);
      expect(screen.frame()).to.match(
        /last disconnect +No phone scanned the QR code in time\. Run `switchboard pair acme` for new/,
      );
    });

    it('has one line for each node, problems first', async () => {
      const network = { name: 'whatsapp', state: 'down', lastStanzaAt: '' } as const;
      await show({ nodes: [...'abcd'].map((name) => nodeRow(name)).concat(nodeRow('last', { network })) });
      expect(screen.frame()).to.contain('✗ last').and.contain('network DOWN').and.contain('and 2 more nodes');
    });

    it('shows the number of sessions of each node, and the node of each session', async () => {
      const untold = { reachable: false, silentSeconds: 7, memory: undefined, store: undefined };
      const nodes = [
        nodeRow('node-1'),
        nodeRow('node-2', { draining: true }),
        nodeRow('node-3', { ...untold, network: undefined }),
      ];
      const lost = { connected: false, status: 'reconnecting', reason: LOST } as const;
      const sessions = [
        sessionRow('acme', { lease: { epoch: 3, ageSeconds: 7_200, leftSeconds: 15 } }),
        sessionRow('beta', { podName: 'node-2' }),
        sessionRow('free', { ...lost, podName: '' }),
      ];
      await show({ nodes, sessions }, { columns: 80, rows: 12 });
      expect(screen.frame())
        .to.contain('● node-1 · 2026-11 · up 26 h · 3 sessions')
        .and.contain('! node-2 · 2026-11 · up 26 h · 3 sessions · DRAINING')
        .and.contain('✗ node-3 · 2026-11 · up 26 h · 3 sessions · DOES NOT ANSWER')
        .and.contain('3 sessions · 2 connected · 1 down');
      const [free, acme, beta] = table();
      expect(free).to.contain('! held by no node');
      expect([acme, beta].map((line) => line?.match(/node-\d/)?.[0])).to.deep.equal(['node-1', 'node-2']);
      await screen.type('ssss');
      expect(screen.frame()).to.contain('by node');
      expect(names()).to.deep.equal(['free', 'acme', 'beta']);
      await screen.type(KEYS.down, KEYS.enter);
      expect(screen.frame()).to.match(/held for +2 h \(epoch 3\)/);
    });

    it('says what to do if there are no sessions, and that it is loading', async () => {
      await show({ loading: true, sessions: [] });
      expect(screen.frame()).to.contain('asking the daemon');
      await change({ loading: false });
      expect(screen.frame()).to.contain('n pairs a number');
    });

    it('says that the screen may be out of date while the daemon is away', async () => {
      await show({ connection: { state: 'reconnecting', reason: 'connection refused' } });
      expect(screen.frame())
        .to.contain('! reconnecting')
        .and.contain('may be out of date: connection refused');
      await change({ connection: { state: 'open' } });
      expect(screen.frame()).to.contain('● live').and.not.contain('may be out of date');
    });

    it('dims the rows and says how old they are while the daemon is away', async () => {
      const readAt = new Date(2026, 10, 21, 10, 54, 10).getTime();
      const away = { state: 'reconnecting', reason: 'connection refused' } as const;
      await show({ readAt, connection: away }, { columns: 120, rows: 12 }, COLORS);
      expect(screen.frame()).to.contain('as of 10:54:10');
      expect(screen.terminal.styleOf('acme')).to.include({ dim: true });
      expect(screen.terminal.styleOf('● connected'))
        .to.include({ dim: true })
        .and.not.include({ color: GREEN });
      await change({ connection: { state: 'open' } });
      expect(screen.frame()).to.not.contain('as of');
      expect(screen.terminal.styleOf('acme')).to.not.include({ dim: true });
      expect(screen.terminal.styleOf('● connected'))
        .to.include({ color: GREEN })
        .and.not.include({ dim: true });
    });

    it('goes to the inbox of the selected session', async () => {
      await show({ sessions: [sessionRow('acme'), sessionRow('beta')] });
      await screen.type(KEYS.down, 'i');
      expect(screen.model.asked).to.deep.equal([['inbox', 'beta']]);
    });

    it('reconnects all marked sessions after a confirmation, and removes their marks', async () => {
      await show({ sessions: [sessionRow('acme'), sessionRow('beta'), sessionRow('gamma')] });
      await screen.type(' ', ' ');
      expect(screen.frame()).to.contain('2 marked').and.contain('*acme');
      await screen.type('r');
      expect(screen.frame()).to.contain('Reconnect 2 marked sessions now?');
      await screen.type('y');
      await screen.drawn();
      expect(screen.model.asked).to.deep.equal([
        ['reconnect', 'acme'],
        ['reconnect', 'beta'],
      ]);
      expect(screen.frame()).to.contain('2 sessions connect again').and.not.contain('marked');
    });

    it('sends the failed deliveries of all marked sessions again after a confirmation', async () => {
      await show({ sessions: [sessionRow('acme'), sessionRow('beta'), sessionRow('gamma')] });
      await screen.type('A', ' ', 'S');
      expect(screen.frame()).to.contain('Send the failed deliveries of 2 marked sessions again?');
      await screen.type('y');
      await screen.drawn();
      expect(screen.model.asked).to.deep.equal([
        ['resendAllOf', 'beta'],
        ['resendAllOf', 'gamma'],
      ]);
      expect(screen.frame()).to.contain('of 2 sessions are delivered').and.not.contain('marked');
    });

    it('deletes the marked sessions only after their number was typed', async () => {
      await show({ sessions: [sessionRow('acme'), sessionRow('beta'), sessionRow('gamma')] });
      await screen.type(' ', ' ', 'D');
      expect(screen.frame()).to.contain('Type delete 2 to log out and delete acme, beta:');
      await screen.type('acme', KEYS.enter);
      expect(screen.frame()).to.contain('nothing was changed').and.contain('2 marked');
      await screen.type('D', 'delete 2', KEYS.enter);
      await screen.drawn();
      expect(screen.model.asked).to.deep.equal([
        ['disconnect', 'acme'],
        ['disconnect', 'beta'],
      ]);
      expect(screen.frame()).to.contain('2 sessions are logged out and deleted');
    });

    it('keeps the marks of the sessions whose action failed or did not begin', async () => {
      await show({ sessions: [sessionRow('acme'), sessionRow('beta'), sessionRow('gamma')] });
      screen.model.failing = 'beta';
      await screen.type('A', 'r', 'y');
      await screen.drawn();
      expect(screen.model.asked).to.deep.equal([
        ['reconnect', 'acme'],
        ['reconnect', 'beta'],
      ]);
      expect(screen.frame()).to.contain('beta fails').and.contain('2 marked').and.contain('*gamma');
    });

    it('shows a restricted number before the others, with the time left and the reason', async () => {
      const restriction = { until: ago(-90 * 60_000), reason: 'no new chats (RESTRICT)' };
      await show({ sessions: [sessionRow('acme'), sessionRow('zeta', { restriction })] }, LARGE);
      expect(names()).to.deep.equal(['zeta', 'acme']);
      expect(table()[0])
        .to.match(/⊘ restricted, \d+ \w+ left/)
        .and.contain('no new chats (RESTRICT)');
      expect(screen.frame()).to.contain('1 restricted');
      await screen.type('/', 'restricted');
      expect(names()).to.deep.equal(['zeta']);
    });

    it('keeps the session selected when the order changes, and moves by keys', async () => {
      await show();
      expect(chosen()).to.match(/^› gone/);
      await screen.type(KEYS.down);
      expect(chosen()).to.match(/^› acme/);
      await screen.type('s');
      expect(names()).to.deep.equal(['acme', 'beta', 'gone']);
      expect(chosen()).to.match(/^› acme/);
      await screen.type('G');
      expect(chosen()).to.match(/^› gone/);
      await screen.type('kk', KEYS.up);
      expect(chosen()).to.match(/^› acme/);
      expect(screen.frame()).to.contain('by name');
    });

    it('filters while typing, until Escape', async () => {
      await show();
      await screen.type('/', 'be');
      expect(names()).to.deep.equal(['beta']);
      await screen.type('xx');
      expect(screen.frame()).to.contain('no session matches bexx');
      await screen.type(KEYS.backspace, KEYS.backspace, KEYS.enter);
      expect(screen.frame()).to.contain('Filter: be');
      await screen.type(KEYS.escape);
      expect(names()).to.have.length(3);
    });

    it('scrolls to the selected session', async () => {
      const sessions = Array.from({ length: 50 }, (_, n) => sessionRow(`s${n}`));
      await show({ sessions }, { columns: 80, rows: 12 });
      expect(names()).to.contain('s0').and.not.contain('s49');
      await screen.type(KEYS.end);
      expect(chosen()).to.match(/^› s49/);
      await screen.type(KEYS.pageUp);
      expect(chosen()).to.match(/^› s39/);
    });

    it('says which of the rows is selected if not all of them fit', async () => {
      const sessions = Array.from({ length: 50 }, (_, n) => sessionRow(`s${n}`));
      await show({ sessions }, { columns: 80, rows: 20 });
      expect(screen.frame()).to.contain(' 1 of 50 ');
      await screen.type(KEYS.end, ' ');
      expect(screen.frame()).to.contain(' 1 marked · 50 of 50 ');
      await change({ sessions: sessions.slice(0, 3) });
      expect(screen.frame()).to.contain('Sessions 3').and.not.contain(' of ');
    });

    for (const columns of [20, 40, 80, 120]) {
      it(`drops columns that do not fit into ${columns}, but never the name and the state`, async () => {
        const reason = 'Netz nicht erreichbar 网络无法连接 שגיאה 😀'.repeat(4);
        const status = { status: 'reconnecting', reason, connected: false } as const;
        await show(
          { sessions: [sessionRow('acme', status), sessionRow('b'.repeat(30))] },
          { columns, rows: 12 },
          { margin: MARGIN },
        );
        expect(screen.terminal.outside()).to.equal('');
        expect(table()[0]).to.match(/acme +! r/);
        expect(screen.frame().includes('LAST STANZA')).to.equal(columns >= 80);
        expect(screen.frame().includes('REASON')).to.equal(columns >= 120);
      });
    }

    it('shows all states without colours too', async () => {
      await show({
        sessions: [sessionRow('acme'), sessionRow('bad', { status: 'banned', loggedIn: false })],
      });
      expect(screen.frame()).to.contain('● connected').and.contain('✗ banned');
      for (const style of screen.terminal.styles()) expect(style).to.not.have.any.keys('color', 'back');
    });

    it('explains its keys, and quits', async () => {
      await show({}, LARGE);
      await screen.type('?');
      expect(screen.frame()).to.contain('log out and delete').and.contain('Any key goes back');
      await screen.type('x');
      expect(names()).to.have.length(3);
      expect(screen.hasLeft()).to.equal(false);
      await screen.type('q');
      expect(screen.hasLeft()).to.equal(true);
    });

    it('quits with Ctrl+C from anywhere', async () => {
      await show();
      await screen.type('/', 'x', KEYS.ctrlC);
      expect(screen.hasLeft()).to.equal(true);
    });
  });

  describe('with an open session', () => {
    const failed = ['01A', '01B'].map((id, n) => ({
      id,
      clientId: 'acme',
      url: 'https://example.com',
      type: 'text',
      messageId: `3EB0${n}`,
      reason: 'answered 401',
      attempts: 1,
      failedAt: ago(60_000),
    }));
    const receivers = [
      {
        ...{ id: '2', name: 'audit', origin: 'https://example.org', paused: 'it answered 410' },
        ...{ inFlight: 0, delivered: 7, dropped: 0 },
      },
    ];
    const opened = {
      clientId: 'acme',
      entries: [textEvent({ body: 'hello\nthere' }), attempt({ outcome: 'failed', status: 503 })],
      failed,
      resending: [],
    };

    it('shows all facts, failed deliveries, and live events', async () => {
      await show(
        {
          sessions: [
            sessionRow('acme', { orgId: 'workspace1', lastDisconnect: LOST, openJournal: 4, receivers }),
          ],
        },
        LARGE,
      );
      await screen.type(KEYS.enter);
      await change({ opened });
      const frame = screen.frame();
      for (const [label, value] of [
        ['number', '\\+15550000001'],
        ['workspace', 'workspace1'],
        ['last disconnect', 'The network cannot'],
        ['last stanza', '5 s ago'],
        ['open journal', '4'],
        ['webhook', 'https://example.com'],
        ['receiver 2', 'https://example.org: paused, it answered 410'],
        ['last call', '✓ 200, 3 s ago, 12 ms'],
      ]) {
        expect(frame).to.match(new RegExp(`${label} +${value}`));
      }
      expect(frame).to.contain('Failed deliveries 2').and.contain('answered 401, 1 attempt');
      expect(frame).to.contain('Bob: hello ⏎ there').and.contain('! webhook failed 503');
      // each of the three in a frame of its own
      expect(frame)
        .to.match(/┏━ Failed deliveries 2 ━/)
        .and.match(/╭─ acme +● connected/);
      expect(frame).to.match(/╭─ Live events and attempts ─/);
      await screen.type(KEYS.escape);
      expect(names()).to.deep.equal(['acme']);
    });

    it('names in the last row the keys that work now', async () => {
      await show({ sessions: [sessionRow('acme')] });
      const footer = () => screen.frame().split('\n').at(-1)?.trim();
      expect(footer()).to.contain('D delete').and.not.contain('disconnect');
      await screen.type('n');
      expect(footer()).to.equal('Enter done  Esc back');
      await screen.type(KEYS.escape, 'r');
      expect(footer()).to.equal('y yes  any other key no');
      await screen.type('n', KEYS.enter);
      expect(footer()).to.contain('Esc back').and.not.contain('send');
      await change({ opened });
      expect(footer()).to.contain('s send again').and.contain('S send all');
    });

    it('sends one failed delivery again, or all after a confirmation', async () => {
      await show({ sessions: [sessionRow('acme')] });
      await screen.type(KEYS.enter);
      await change({ opened });
      await screen.type(KEYS.down, 's');
      await screen.type('S', 'n', 'S', 'y');
      expect(screen.model.asked).to.deep.equal([
        ['resend', '01B'],
        ['resend', '01A', '01B'],
      ]);
      await change({ opened: { ...opened, resending: ['01A'] } });
      expect(screen.frame()).to.contain('…');
    });

    for (const [columns, rows] of [
      [50, 14],
      [60, 15],
      [80, 24],
    ] as const) {
      it(`fits a terminal of ${columns}x${rows}`, async () => {
        const sessions = [sessionRow('acme', { lastDisconnect: LOST.repeat(5) })];
        await show({ sessions }, { columns, rows }, { margin: MARGIN });
        await screen.type(KEYS.enter);
        await change({ opened });
        expect(screen.terminal.outside()).to.equal('');
        expect(screen.frame()).to.contain('Failed deliveries 2').and.contain('! webhook failed 503');
        // the lowest frame ends above the notice and the keys
        if (columns >= 60) expect(screen.frame().split('\n').at(-3)).to.match(/^╰─+╯$/);
      });
    }
  });

  describe('actions', () => {
    it('reconnect a session after a confirmation', async () => {
      await show({ sessions: [sessionRow('acme')] });
      await screen.type('r');
      expect(screen.frame()).to.contain('Reconnect acme now?');
      await screen.type('n', 'r', 'y');
      expect(screen.model.asked).to.deep.equal([['reconnect', 'acme']]);
    });

    it('disconnect a session after its name was typed', async () => {
      await show({ sessions: [sessionRow('acme')] });
      await screen.type('D', 'acm', KEYS.enter);
      expect(screen.frame()).to.contain('! nothing was changed');
      expect(screen.model.asked).to.deep.equal([]);
      await screen.type('Dacme', KEYS.enter);
      expect(screen.model.asked).to.deep.equal([['disconnect', 'acme']]);
    });

    it('set and remove the proxy of a session, and change nothing for an empty answer', async () => {
      await show({ sessions: [sessionRow('acme')] });
      await screen.type('x');
      expect(screen.frame()).to.contain('URL of a proxy for acme, or none:');
      await screen.type(KEYS.enter);
      expect(screen.frame()).to.contain('! nothing was changed');
      await screen.type('xhttp://127.0.0.1:8080', KEYS.enter, 'xnone', KEYS.enter);
      expect(screen.model.asked).to.deep.equal([
        ['setProxy', 'acme', 'http://127.0.0.1:8080'],
        ['setProxy', 'acme', null],
      ]);
    });

    it('refuse to pair a session that is already paired', async () => {
      await show({ sessions: [sessionRow('acme')] });
      await screen.type('p');
      expect(screen.frame()).to.contain('acme is already connected');
      expect(screen.model.asked).to.deep.equal([]);
    });

    it('pair on the same screen, and show the outcome', async () => {
      await show({ sessions: [sessionRow('gone', { status: 'logged_out', loggedIn: false })] }, LARGE);
      await screen.type('p');
      expect(screen.frame()).to.contain('Without a workspace it keeps no messages.');
      await screen.type('y');
      screen.model.pairing.give({ type: 'status', status: 'qr' });
      screen.model.pairing.give({ type: 'qr', qr: 'a short one' });
      expect(await screen.frameWith('scan the QR on the phone', '█')).to.contain('Esc goes back');
      screen.model.pairing.give({ type: 'connected', jid: '15550000001@s.whatsapp.net' });
      await screen.frameWith('✓ gone is connected as 15550000001@s.whatsapp.net', 'SESSION');
    });

    it('pair a new session by its name, and stop at Escape', async () => {
      await show();
      await screen.type('n', 'fresh', KEYS.enter);
      expect(screen.frame())
        .to.contain('Workspace that keeps the history of fresh')
        .and.contain('empty: it keeps no messages');
      await screen.type('home', KEYS.enter);
      expect(screen.model.asked).to.deep.equal([['pair', 'fresh', { orgId: 'home' }]]);
      await screen.frameWith('fresh: waiting for the network');
      await screen.type(KEYS.escape);
      await screen.frameWith('SESSION');
    });

    it('pair with a code for a phone number', async () => {
      await show({ sessions: [sessionRow('gone', { status: 'logged_out', loggedIn: false })] });
      await screen.type('P', '+15550000001', KEYS.enter);
      expect(screen.model.asked).to.deep.equal([['pair', 'gone', { phone: '+15550000001' }]]);
      screen.model.pairing.give({ type: 'code', code: 'ABCD-EFGH' });
      await screen.frameWith('ABCD-EFGH');
    });

    it('show an error and its advice until the next key', async () => {
      await show();
      screen.model.say({ level: 'error', text: 'it was refused', suggestions: ['do something else'] });
      await screen.drawn();
      expect(screen.frame()).to.contain('✗ it was refused  → do something else');
      await screen.type(KEYS.down);
      expect(screen.frame()).to.not.contain('it was refused');
    });
  });
});

const LAST = {
  at: '',
  origin: 'https://example.com',
  type: 'text',
  attempt: 1,
  outcome: 'delivered',
  status: 200,
  reason: '',
  durationMs: 12,
} as const;

describe('the fleets of all contexts', () => {
  const readAt = new Date(2026, 10, 21, 10, 54, 10).getTime();
  const lost = { state: 'reconnecting', reason: 'connection refused' } as const;
  const models = () => ({
    depot: new ScriptedFleet({ sessions: [sessionRow('acme')], readAt, connection: lost }),
    shop: new ScriptedFleet({ sessions: [sessionRow('acme'), sessionRow('beta')] }),
    yard: new ScriptedFleet({ sessions: [], loading: true, connection: lost }),
  });

  it('stand below the names of their contexts, with what a daemon told last and when', async () => {
    const screen = await showAllFleets(models());
    const lines = screen.frame().split('\n');
    const named = (text: string) => lines.findIndex((line) => line.includes(text));
    expect(lines[named('depot')])
      .to.contain('✗ depot')
      .and.contain('connection refused')
      .and.contain('as of 10:54:10');
    expect(lines[named('depot') + 1]).to.match(/› +acme +● connected/);
    expect(lines[named('shop.')]).to.contain('● shop').and.contain('2 sessions · 2 connected · 0 down');
    expect(lines[named('yard')]).to.contain('✗ yard').and.contain('no answer yet');
    expect(screen.frame()).to.contain('3 sessions · 3 connected').and.contain('2 without an answer');
    await screen.unmount();
  });

  it('follow their daemons, and keep the session selected', async () => {
    const fleets = models();
    const screen = await showAllFleets(fleets);
    await screen.type('j', 'j');
    expect(screen.frame()).to.match(/› +beta/);
    fleets.shop.change({
      sessions: [sessionRow('beta'), sessionRow('zeta', { status: 'banned', connected: false })],
    });
    await screen.drawn();
    expect(screen.frame())
      .to.match(/› +beta/)
      .and.match(/✗ banned/);
    await screen.unmount();
  });

  it('open the fleet of the selected session, also of a name that two contexts have', async () => {
    const screen = await showAllFleets(models());
    await screen.type('j', KEYS.enter);
    expect(screen.opened).to.deep.equal([{ context: 'shop', clientId: 'acme' }]);
    await screen.type('q');
    expect(screen.hasLeft()).to.equal(true);
    await screen.unmount();
  });
});
