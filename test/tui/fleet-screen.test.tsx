import { expect } from 'chai';
import stringWidth from 'string-width';
import type { FleetState } from '../../src/cli/fleet/model.js';
import { attempt, textEvent } from '../cli/support/entries.js';
import { ago, nodeRow, sessionRow, webhookRow } from '../cli/support/fleet-rows.js';
import { type ShownFleet, showFleet } from './support/fleet.js';
import { KEYS } from './support/keys.js';

const LARGE = { columns: 140, rows: 40 };
const LOST = 'The network cannot be reached.';

describe('the screen of the fleet', () => {
  let screen: ShownFleet;
  afterEach(() => screen.unmount());

  const show = async (state: Partial<FleetState> = {}, size = { columns: 120, rows: 12 }) => {
    screen = showFleet(state, size);
    await drawn();
  };
  /** Changes the fleet, and resolves when that is drawn. */
  const change = async (changes: Partial<FleetState>) => {
    screen.model.change(changes);
    await drawn();
  };
  /** The lines of the table's body, without what stands above and below. */
  const table = () => {
    const lines = screen.frame().split('\n');
    const head = lines.findIndex((line) => /SESSION +STATE/.test(line));
    return lines.slice(head + 1).filter((line) => /^[› ] [a-z]/i.test(line));
  };
  const names = () => table().map((line) => line.slice(2).split(' ')[0]);
  const chosen = () => table().find((line) => line.startsWith('›'));

  describe('as a table', () => {
    it('shows nodes, and of each session how it stands, those in trouble first', async () => {
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

    it('has one line more for each node, and those in trouble among the first', async () => {
      const network = { name: 'whatsapp', state: 'down', lastStanzaAt: '' } as const;
      await show({ nodes: [...'abcd'].map((name) => nodeRow(name)).concat(nodeRow('last', { network })) });
      expect(screen.frame()).to.contain('✗ last').and.contain('network DOWN').and.contain('and 2 more nodes');
    });

    it('shows of several nodes what each holds, and says where each session is', async () => {
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

    it('says what to do when there are no sessions, and that it asks', async () => {
      await show({ loading: true, sessions: [] });
      expect(screen.frame()).to.contain('asking the daemon');
      await change({ loading: false });
      expect(screen.frame()).to.contain('n pairs a number');
    });

    it('says that what is shown may be old while the daemon is away', async () => {
      await show({ connection: { state: 'reconnecting', reason: 'connection refused' } });
      expect(screen.frame()).to.contain('! reconnecting').and.contain('may be old: connection refused');
      await change({ connection: { state: 'open' } });
      expect(screen.frame()).to.contain('● live').and.not.contain('may be old');
    });

    it('keeps a session selected when the order changes, and moves by keys', async () => {
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

    it('filters while it is typed, until Escape', async () => {
      await show();
      await screen.type('/', 'be');
      expect(names()).to.deep.equal(['beta']);
      await screen.type('xx');
      expect(screen.frame()).to.contain('no session has bexx');
      await screen.type(KEYS.backspace, KEYS.backspace, KEYS.enter);
      expect(screen.frame()).to.contain('Filter: be');
      await screen.type(KEYS.escape);
      expect(names()).to.have.length(3);
    });

    it('scrolls to the one that is selected', async () => {
      const sessions = Array.from({ length: 50 }, (_, n) => sessionRow(`s${n}`));
      await show({ sessions }, { columns: 80, rows: 12 });
      expect(names()).to.contain('s0').and.not.contain('s49');
      await screen.type(KEYS.end);
      expect(chosen()).to.match(/^› s49/);
      await screen.type(KEYS.pageUp);
      expect(chosen()).to.match(/^› s39/);
    });

    for (const columns of [20, 40, 80, 120]) {
      it(`leaves out what does not fit into ${columns} columns, never the name and the state`, async () => {
        const reason = 'Netz nicht erreichbar 网络无法连接 שגיאה 😀'.repeat(4);
        const status = { status: 'reconnecting', reason, connected: false } as const;
        await show(
          { sessions: [sessionRow('acme', status), sessionRow('b'.repeat(30))] },
          { columns, rows: 12 },
        );
        const lines = screen.frame().split('\n');
        expect(lines.filter((line) => stringWidth(line) > columns)).to.deep.equal([]);
        expect(lines.length).to.be.below(12);
        expect(table()[0]).to.match(/acme +! r/);
        expect(screen.frame().includes('LAST STANZA')).to.equal(columns >= 80);
        expect(screen.frame().includes('REASON')).to.equal(columns >= 120);
      });
    }

    it('says everything without colours too', async () => {
      await show({
        sessions: [sessionRow('acme'), sessionRow('bad', { status: 'banned', loggedIn: false })],
      });
      expect(screen.frame()).to.contain('● connected').and.contain('✗ banned');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what it looks for
      expect(screen.frame()).to.not.match(/\u001b\[3[0-9]m/);
    });

    it('explains its keys, and leaves', async () => {
      await show({}, LARGE);
      await screen.type('?');
      expect(screen.frame()).to.contain('logs out and deletes').and.contain('Any key goes back');
      await screen.type('x');
      expect(names()).to.have.length(3);
      expect(screen.hasLeft()).to.equal(false);
      await screen.type('q');
      expect(screen.hasLeft()).to.equal(true);
    });

    it('leaves by Ctrl+C from everywhere', async () => {
      await show();
      await screen.type('/', 'x', KEYS.ctrlC);
      expect(screen.hasLeft()).to.equal(true);
    });
  });

  describe('with a session opened', () => {
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
    const opened = {
      clientId: 'acme',
      entries: [textEvent({ body: 'hello\nthere' }), attempt({ outcome: 'failed', status: 503 })],
      failed,
      resending: [],
    };

    it('shows all facts, its failed deliveries, and what happens', async () => {
      await show(
        {
          sessions: [sessionRow('acme', { orgId: 'workspace1', lastDisconnect: LOST, openJournal: 4 })],
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
        ['last call', '✓ 200, 3 s ago, 12 ms'],
      ]) {
        expect(frame).to.match(new RegExp(`${label} +${value}`));
      }
      expect(frame).to.contain('Failed deliveries: 2').and.contain('answered 401, 1 attempt');
      expect(frame).to.contain('Bob: hello ⏎ there').and.contain('! webhook failed 503');
      await screen.type(KEYS.escape);
      expect(names()).to.deep.equal(['acme']);
    });

    it('sends one failed delivery again, or all after a question', async () => {
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

    it('fits a small terminal', async () => {
      await show(
        { sessions: [sessionRow('acme', { lastDisconnect: LOST.repeat(5) })] },
        { columns: 50, rows: 14 },
      );
      await screen.type(KEYS.enter);
      await change({ opened });
      const lines = screen.frame().split('\n');
      expect(lines.length).to.be.below(14);
      expect(lines.filter((line) => stringWidth(line) > 50)).to.deep.equal([]);
      expect(screen.frame()).to.contain('Failed deliveries: 2');
    });
  });

  describe('acts', () => {
    it('only after a yes: connects again', async () => {
      await show({ sessions: [sessionRow('acme')] });
      await screen.type('r');
      expect(screen.frame()).to.contain('Connect acme again, now?');
      await screen.type('n', 'r', 'y');
      expect(screen.model.asked).to.deep.equal([['reconnect', 'acme']]);
    });

    it('only after the name was typed: disconnects', async () => {
      await show({ sessions: [sessionRow('acme')] });
      await screen.type('D', 'acm', KEYS.enter);
      expect(screen.frame()).to.contain('! nothing was changed');
      expect(screen.model.asked).to.deep.equal([]);
      await screen.type('Dacme', KEYS.enter);
      expect(screen.model.asked).to.deep.equal([['disconnect', 'acme']]);
    });

    it('not twice: a paired session is not paired again', async () => {
      await show({ sessions: [sessionRow('acme')] });
      await screen.type('p');
      expect(screen.frame()).to.contain('acme is connected already');
      expect(screen.model.asked).to.deep.equal([]);
    });

    it('pairs inside, and comes back with how it ended', async () => {
      await show({ sessions: [sessionRow('gone', { status: 'logged_out', loggedIn: false })] }, LARGE);
      await screen.type('p', 'y');
      screen.model.pairing.give({ type: 'status', status: 'qr' });
      screen.model.pairing.give({ type: 'qr', qr: 'a short one' });
      expect(await screen.frameWith('scan it on the phone', '█')).to.contain('Esc goes back');
      screen.model.pairing.give({ type: 'connected', jid: '15550000001@s.whatsapp.net' });
      await screen.frameWith('✓ gone is connected as 15550000001@s.whatsapp.net', 'SESSION');
    });

    it('pairs a new session by its name, and gives up at Escape', async () => {
      await show();
      await screen.type('n', 'fresh', KEYS.enter);
      expect(screen.model.asked).to.deep.equal([['pair', 'fresh']]);
      await screen.frameWith('fresh: waiting for the network');
      await screen.type(KEYS.escape);
      await screen.frameWith('SESSION');
    });

    it('pairs with a code for a phone number', async () => {
      await show({ sessions: [sessionRow('gone', { status: 'logged_out', loggedIn: false })] });
      await screen.type('P', '+15550000001', KEYS.enter);
      expect(screen.model.asked).to.deep.equal([['pair', 'gone', '+15550000001']]);
      screen.model.pairing.give({ type: 'code', code: 'ABCD-EFGH' });
      await screen.frameWith('ABCD-EFGH');
    });

    it('shows what went wrong and what to do, until the next key', async () => {
      await show();
      screen.model.say({ level: 'error', text: 'it was refused', suggestions: ['do something else'] });
      await drawn();
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

/** Resolves when what has changed is drawn, which takes React a turn or two. */
async function drawn(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
