import { expect } from 'chai';
import Fleet from '../../../commands/fleet.js';
import SessionsReconnect from '../../../commands/sessions/reconnect.js';
import type { FleetReceiver } from '../../../src/contract/index.js';
import { reason, toFields } from '../../../src/domain/reasons.js';
import {
  FLEET_HEAD,
  fleetRows,
  isNodeWell,
  nodeText,
  receiverText,
  webhookText,
} from '../../../src/terminal/cli/fleet/cells.js';
import { arranged, conditionOf, reasonOf, type Sort } from '../../../src/terminal/cli/fleet/standing.js';
import { afterEntry } from '../../../src/terminal/cli/fleet/updates.js';
import { ageText, spanText } from '../../../src/terminal/cli/text.js';
import { type CommandResult, runCommand } from '../../support/run-command.js';
import { ago, FLEET_NOW, nodeRow, refusal, sessionRow, statusEvent, webhookRow } from './support/entries.js';
import { FakeDaemon } from './support/fake-daemon.js';

const MINUTE = 60_000;
const REJECTED = {
  at: ago(3_000),
  origin: 'https://example.com',
  type: 'text',
  attempt: 1,
  outcome: 'rejected',
  status: 401,
  reason: 'answered 401',
  durationMs: 5,
} as const;

const WAITING = { events: 4, bytes: 9_000, since: ago(MINUTE), circuit: 'open' } as const;
const receiverRow = (changes: Partial<FleetReceiver>): FleetReceiver => ({
  ...{ id: '2', name: 'audit', origin: 'https://example.org', inFlight: 1, delivered: 7, dropped: 0 },
  ...changes,
});

describe('the sessions of the fleet', () => {
  it('show the reason of each status event at once, with the commands that help', () => {
    const since = '2026-01-01T00:00:00.000Z';
    const expired = {
      ...sessionRow('acme', { status: 'logged_out', since }),
      ...toFields(reason('qr_expired')),
    };
    const removed = toFields(reason('logged_out', { kind: 'removed' }), 'acme');
    const [unlinked] = afterEntry([expired], statusEvent('logged_out', 'connected', removed));
    expect(unlinked && reasonOf(unlinked)).to.equal(
      'The phone removed this linked device. Run `switchboard pair acme` to pair again.',
    );
    const [back] = afterEntry([expired], statusEvent('connected', 'logged_out'));
    expect(back).to.include({ reason: '', reasonCode: undefined, advice: undefined });
  });

  it('show how many receivers beside the webhook have trouble, and count the waiting events of all receivers', () => {
    const receivers = [receiverRow({ waiting: WAITING }), receiverRow({ id: '3' })];
    const [row] = fleetRows(
      { at: new Date(FLEET_NOW).toISOString(), nodes: [], sessions: [sessionRow('acme', { receivers })] },
      (_style, text) => text,
    );
    expect(row?.[FLEET_HEAD.indexOf('WEBHOOK')]).to.contain('; 1 of 2 others in trouble');
    expect(row?.[FLEET_HEAD.indexOf('QUEUE')]).to.equal('3+2');
    expect(receiverText(receiverRow({ paused: 'it answered 410' }), FLEET_NOW)).to.equal(
      'https://example.org: paused, it answered 410',
    );
    expect(receiverText(receiverRow({ last: REJECTED }), FLEET_NOW)).to.equal(
      'https://example.org: ✗ 401, 3 s ago',
    );
  });

  it('show beside the node that a session has a proxy', () => {
    const proxy = { kind: 'socks5', host: '10.0.0.7', port: 1080 } as const;
    const sessions = [sessionRow('acme', { proxy }), sessionRow('bare')];
    const rows = fleetRows(
      { at: new Date(FLEET_NOW).toISOString(), nodes: [], sessions },
      (_style, text) => text,
    );
    const nodes = rows.map((row) => row[FLEET_HEAD.indexOf('NODE')]);
    expect(nodes[0]).to.match(/^\S+ via proxy$/);
    expect(nodes[1]).not.to.include('proxy');
  });

  const standing = (changes: Parameters<typeof sessionRow>[1]) => {
    const { level, mark, text } = conditionOf(sessionRow('acme', changes), FLEET_NOW);
    return `${level}: ${mark} ${text}`;
  };
  const cases: [Parameters<typeof sessionRow>[1], string][] = [
    [{}, 'ok: ● connected'],
    [{ lastStanzaAt: ago(14 * MINUTE) }, 'warn: ● connected, silent 14 min'],
    [{ lastStanzaAt: '', connectedAt: ago(3 * MINUTE) }, 'ok: ● connected'],
    [{ lastStanzaAt: '', connectedAt: ago(30 * MINUTE) }, 'warn: ● connected, silent 30 min'],
    [{ connected: false }, 'warn: ! connected, unproven'],
    [{ status: 'reconnecting', connected: false }, 'warn: ! reconnecting'],
    [
      { status: 'reconnecting', retryAt: new Date(FLEET_NOW + 12_000).toISOString() },
      'warn: ! reconnecting in 12 s',
    ],
    [{ podName: '', status: 'reconnecting', connected: false }, 'warn: ! held by no node'],
    [{ podName: '', status: 'banned', loggedIn: false }, 'bad: ✗ banned'],
    [{ status: 'qr', loggedIn: false }, 'warn: ○ waits for a scan'],
    [{ status: 'initializing', loggedIn: false }, 'warn: ○ not paired'],
    [{ status: 'initializing', loggedIn: true }, 'warn: ! connecting'],
    [{ status: 'logged_out', loggedIn: false }, 'bad: ✗ logged out'],
    [{ status: 'replaced', loggedIn: false }, 'bad: ✗ replaced'],
    [{ status: 'banned', loggedIn: false }, 'bad: ✗ banned'],
    [{ webhook: webhookRow({ failed: 2 }) }, 'warn: ● connected'],
    [{ webhookPaused: 'it answered 410' }, 'warn: ● connected'],
    [{ webhook: webhookRow({ last: REJECTED }) }, 'warn: ● connected'],
    [{ receivers: [receiverRow({ paused: 'it answered 410' })] }, 'warn: ● connected'],
    [{ receivers: [receiverRow({ waiting: WAITING })] }, 'warn: ● connected'],
    [{ receivers: [receiverRow({})] }, 'ok: ● connected'],
  ];
  for (const [changes, expected] of cases) {
    it(`shows ${expected} for ${JSON.stringify(changes).slice(0, 70)}`, () =>
      expect(standing(changes)).to.equal(expected));
  }

  const fleet = [
    sessionRow('well10'),
    sessionRow('well9'),
    sessionRow('silent', { lastStanzaAt: ago(20 * MINUTE), podName: 'node-2' }),
    sessionRow('unpaired', { status: 'qr', loggedIn: false, lastStanzaAt: '' }),
    sessionRow('failing', {
      podName: '',
      webhook: webhookRow({ failed: 7, origin: 'https://hooks.example.org' }),
    }),
    sessionRow('away', { status: 'reconnecting', reason: 'The network cannot be reached.' }),
    sessionRow('gone', { status: 'logged_out', loggedIn: false, lastStanzaAt: '' }),
  ];
  const names = (sort: Sort, filter = '') =>
    arranged(fleet, { sort, filter, now: FLEET_NOW }).map(({ clientId }) => clientId);

  it('sessions are sorted by trouble, name, silence, failed deliveries or node', () => {
    expect(names('trouble')).to.deep.equal([
      'gone',
      'failing',
      'away',
      'unpaired',
      'silent',
      'well9',
      'well10',
    ]);
    expect(names('name')).to.deep.equal(['away', 'failing', 'gone', 'silent', 'unpaired', 'well9', 'well10']);
    expect(names('last stanza').slice(0, 3)).to.deep.equal(['gone', 'unpaired', 'silent']);
    expect(names('failed')[0]).to.equal('failing');
    expect([names('node')[0], names('node').at(-1)]).to.deep.equal(['failing', 'silent']);
  });

  it('sessions are filtered by all words of the shown text', () => {
    expect(names('name', 'NODE-2')).to.deep.equal(['silent']);
    expect(names('name', 'well 1555')).to.deep.equal(['well9', 'well10']);
    expect(names('name', 'cannot reach')).to.deep.equal(['away']);
    expect(names('name', 'hooks.example')).to.deep.equal(['failing']);
    expect(names('name', 'nothing like it')).to.deep.equal([]);
  });
});

describe('the cells of the fleet', () => {
  it('cells show durations in a short form', () => {
    const spans = [0, 59_999, MINUTE, 59 * MINUTE, 60 * MINUTE, 47.9 * 60 * MINUTE, 49 * 60 * MINUTE];
    expect(spans.map(spanText)).to.deep.equal(['0 s', '59 s', '1 min', '59 min', '1 h', '47 h', '2 d']);
    expect([ageText('', FLEET_NOW), ageText(ago(-5_000), FLEET_NOW)]).to.deep.equal(['–', '0 s']);
  });

  it('cells show the answer of a webhook, also without colour', () => {
    expect(webhookText(webhookRow(), FLEET_NOW)).to.equal('✓ 200, 3 s ago');
    expect(webhookText(webhookRow({ last: REJECTED }), FLEET_NOW)).to.equal('✗ 401, 3 s ago');
    const unanswered = { ...REJECTED, outcome: 'failed', status: 0 } as const;
    expect(webhookText(webhookRow({ last: unanswered }), FLEET_NOW)).to.equal('! no answer, 3 s ago');
    expect(webhookText(webhookRow({ last: undefined }), FLEET_NOW)).to.equal('not called yet');
    expect(webhookText(webhookRow({ last: undefined, origin: '' }), FLEET_NOW)).to.equal('off');
  });

  it('cells show the problem of a node', () => {
    expect(nodeText(nodeRow('node-1'), FLEET_NOW)).to.equal(
      'node-1 · 2026-11 · up 26 h · 120 MB · store sqlite ok, 2 ms · network ok',
    );
    const waVersion = { version: '2.3000.1043857760', source: 'lookup' } as const;
    expect(nodeText(nodeRow('node-1', { waVersion }), FLEET_NOW)).to.contain(
      'network ok · WhatsApp 2.3000.1043857760',
    );
    const store = { name: 'mongodb', reachable: false, ms: 2_000 };
    const network = { name: 'whatsapp', state: 'down', lastStanzaAt: '' } as const;
    expect(nodeText(nodeRow('node-1', { store, network }), FLEET_NOW)).to.contain(
      'store mongodb UNREACHABLE · network DOWN',
    );
    const silent = { reachable: false, silentSeconds: 7, store: undefined, network: undefined } as const;
    expect(nodeText(nodeRow('node-1', { ...silent, memory: undefined }), FLEET_NOW)).to.equal(
      'node-1 · 2026-11 · up 26 h · DOES NOT ANSWER, last heartbeat 7 s ago',
    );
    expect(isNodeWell(nodeRow('a', { draining: true }))).to.equal(true);
    for (const trouble of [{ store }, { network }, silent]) {
      expect(isNodeWell(nodeRow('a', trouble))).to.equal(false);
    }
  });

  it('cells show sessions and drain of one of several nodes', () => {
    expect(nodeText(nodeRow('node-1', { draining: true }), FLEET_NOW, 2)).to.contain(
      'up 26 h · 3 sessions · DRAINING · 120 MB',
    );
  });
});

const ANSWER = {
  at: new Date(FLEET_NOW).toISOString(),
  nodes: [nodeRow('node-1')],
  sessions: [
    sessionRow('acme', { lastStanzaAt: ago(14 * 60_000), reconnects: 2, openJournal: 5 }),
    sessionRow('broken', {
      status: 'logged_out',
      connected: false,
      loggedIn: false,
      reason: 'The phone\nremoved this device.',
      webhook: webhookRow({ failed: 12, waiting: 3, inFlight: 1 }),
    }),
  ],
};

describe('the fleet commands', () => {
  const wasTTY = process.stdout.isTTY;
  let daemon: FakeDaemon;
  beforeEach(async () => {
    // a pipe, wherever the tests run
    process.stdout.isTTY = false;
    daemon = await FakeDaemon.start();
    daemon.on('GET /fleet', ANSWER);
  });
  afterEach(async () => {
    process.stdout.isTTY = wasTTY;
    await daemon.stop();
  });

  const run = (command: Parameters<typeof runCommand>[0], ...argv: string[]): Promise<CommandResult> =>
    runCommand(command, argv, { SWITCHBOARD_URL: daemon.url, SWITCHBOARD_TOKEN: 'a-token' });

  describe('fleet', () => {
    it('prints a table in a pipe, problems first', async () => {
      const { stdout, stderr, exitCode } = await run(Fleet);
      const [head, first, second] = stdout.split('\n');
      expect(exitCode).to.equal(0);
      expect(head).to.match(/^SESSION +STATE +SINCE +LAST STANZA +RECONNECTS +WEBHOOK +QUEUE +FAILED +OPEN/);
      expect(first).to.match(
        /^broken +✗ logged out +3 h +5 s +✓ 200, 3 s ago +3\+1 +12 +\+15550000001 +node-1/,
      );
      expect(first).to.contain('The phone ⏎ removed this device.');
      expect(second).to.match(/^acme +● connected, silent 14 min +3 h +14 min +2 +✓ 200, 3 s ago +5 /);
      expect(stderr)
        .to.contain('node-1 · 2026-11 · up 26 h')
        .and.contain('2 sessions · 1 connected · 0 down · 1 stopped');
    });

    it('prints the answer of the route with --json', async () => {
      const { stdout, stderr, exitCode } = await run(Fleet, '--json');
      expect(JSON.parse(stdout)).to.deep.equal(ANSWER);
      expect({ stderr, exitCode }).to.deep.equal({ stderr: '', exitCode: 0 });
    });

    it('exits with its own code when the daemon does not answer or refuses', async () => {
      daemon.on('GET /fleet', () => ({ status: 401, body: { error: 'a valid token is required' } }));
      expect((await run(Fleet)).exitCode).to.equal(4);
      await daemon.stop();
      const away = await run(Fleet, '--json');
      expect(away.exitCode).to.equal(3);
      expect(JSON.parse(away.stdout)).to.include({ code: 'unreachable' });
      await daemon.listen();
    });
  });

  describe('sessions reconnect', () => {
    it('prints the session and its new status', async () => {
      daemon.on('POST /reconnect', { ok: true, clientId: 'acme', status: 'reconnecting' });
      const { stdout, exitCode } = await run(SessionsReconnect, 'acme');
      expect({ stdout, exitCode }).to.deep.equal({
        stdout: 'acme connects again (reconnecting)\n',
        exitCode: 0,
      });
      expect(daemon.calls.at(-1)?.body).to.deep.equal({ clientId: 'acme' });
    });

    it('exits with 6 and advice for a session that waits for an operator', async () => {
      const why = reason('logged_out', { kind: 'removed' });
      const ended = reason('session_state', { clientId: 'acme', status: 'logged_out', why });
      daemon.on('POST /reconnect', () => refusal(409, ended));
      const { stderr, exitCode } = await run(SessionsReconnect, 'acme');
      expect(exitCode).to.equal(6);
      expect(stderr).to.contain(
        'session acme is logged_out: The phone removed this linked device. Run `switchboard pair acme` to pair again.',
      );
    });
  });
});
