import { expect } from 'chai';
import { ageText, spanText } from '../../src/cli/fleet/ages.js';
import { isNodeWell, nodeText, webhookText } from '../../src/cli/fleet/cells.js';
import { arranged, type Sort } from '../../src/cli/fleet/order.js';
import { standingOf } from '../../src/cli/fleet/standing.js';
import { ago, FLEET_NOW, nodeRow, sessionRow, webhookRow } from './support/fleet-rows.js';

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

describe('how sessions stand', () => {
  const standing = (changes: Parameters<typeof sessionRow>[1]) => {
    const { level, mark, text } = standingOf(sessionRow('acme', changes), FLEET_NOW);
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
    [{ webhook: webhookRow({ last: REJECTED }) }, 'warn: ● connected'],
  ];
  for (const [changes, expected] of cases) {
    it(`${expected} for ${JSON.stringify(changes).slice(0, 70)}`, () =>
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

  it('go those in trouble first, or by name, silence, failed deliveries, or node', () => {
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

  it('are found by all words of what is shown of them', () => {
    expect(names('name', 'NODE-2')).to.deep.equal(['silent']);
    expect(names('name', 'well 1555')).to.deep.equal(['well9', 'well10']);
    expect(names('name', 'cannot reach')).to.deep.equal(['away']);
    expect(names('name', 'hooks.example')).to.deep.equal(['failing']);
    expect(names('name', 'nothing like it')).to.deep.equal([]);
  });
});

describe('the cells of the fleet', () => {
  it('tell spans of time shortly', () => {
    const spans = [0, 59_999, MINUTE, 59 * MINUTE, 60 * MINUTE, 47.9 * 60 * MINUTE, 49 * 60 * MINUTE];
    expect(spans.map(spanText)).to.deep.equal(['0 s', '59 s', '1 min', '59 min', '1 h', '47 h', '2 d']);
    expect([ageText('', FLEET_NOW), ageText(ago(-5_000), FLEET_NOW)]).to.deep.equal(['–', '0 s']);
  });

  it('tell what receivers answer, without a colour too', () => {
    expect(webhookText(webhookRow(), FLEET_NOW)).to.equal('✓ 200, 3 s ago');
    expect(webhookText(webhookRow({ last: REJECTED }), FLEET_NOW)).to.equal('✗ 401, 3 s ago');
    const unanswered = { ...REJECTED, outcome: 'failed', status: 0 } as const;
    expect(webhookText(webhookRow({ last: unanswered }), FLEET_NOW)).to.equal('! no answer, 3 s ago');
    expect(webhookText(webhookRow({ last: undefined }), FLEET_NOW)).to.equal('not called yet');
    expect(webhookText(webhookRow({ last: undefined, origin: '' }), FLEET_NOW)).to.equal('off');
  });

  it('tell of a node what is wrong with it', () => {
    expect(nodeText(nodeRow('node-1'), FLEET_NOW)).to.equal(
      'node-1 · 2026-11 · up 26 h · 120 MB · store sqlite ok, 2 ms · network ok',
    );
    const store = { name: 'mongodb', reachable: false, ms: 2_000 };
    const network = { name: 'whatsapp', state: 'down', lastStanzaAt: '' } as const;
    expect(nodeText(nodeRow('node-1', { store, network }), FLEET_NOW)).to.contain(
      'store mongodb UNREACHABLE · network DOWN',
    );
    const silent = { reachable: false, silentSeconds: 7, store: undefined, network: undefined } as const;
    expect(nodeText(nodeRow('node-1', { ...silent, memory: undefined }), FLEET_NOW)).to.equal(
      'node-1 · 2026-11 · up 26 h · DOES NOT ANSWER, last heard of 7 s ago',
    );
    expect(isNodeWell(nodeRow('a', { draining: true }))).to.equal(true);
    for (const trouble of [{ store }, { network }, silent]) {
      expect(isNodeWell(nodeRow('a', trouble))).to.equal(false);
    }
  });

  it('tell of one node of several what it holds, and that it is given up', () => {
    expect(nodeText(nodeRow('node-1', { draining: true }), FLEET_NOW, 2)).to.contain(
      'up 26 h · 3 sessions · DRAINING · 120 MB',
    );
  });
});
