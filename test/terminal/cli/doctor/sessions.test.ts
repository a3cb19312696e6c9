import { expect } from 'chai';
import { type Reason, reason, toFields } from '../../../../src/domain/reasons.js';
import type { CheckResult } from '../../../../src/terminal/cli/doctor/check.js';
import { inTerminal } from '../../../../src/terminal/cli/reason-text.js';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';
import { diagnose, type Patient } from './support/diagnose.js';
import { TOKEN, WellDaemon, wellClient, wellSession } from './support/well.js';

const MINUTE_MS = 60_000;

const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

describe('doctor, of sessions', () => {
  let daemon: WellDaemon;
  let folder: TempDir;

  before(async () => {
    daemon = await WellDaemon.start();
    folder = await makeTempDir();
  });
  beforeEach(() => {
    daemon.client = wellClient('acme');
    daemon.session = wellSession('acme');
    daemon.failed = [];
  });
  after(async () => {
    await daemon.http.stop();
    await folder.remove();
  });

  const look = (changes: Partial<Patient> = {}) =>
    diagnose({ url: daemon.http.url, token: TOKEN, dataDir: folder.path, ...changes });
  const lookAt = async (id: string, session: Record<string, unknown>): Promise<CheckResult> => {
    daemon.session = wellSession('acme', session);
    return (await look()).of(id, 'acme');
  };

  const cases: [what: string, session: Record<string, unknown>, trouble: string | undefined][] = [
    ['is well', {}, undefined],
    ['has not been heard of', { connected: false }, 'session-silent'],
    ['is restricted', { restriction: { until: '', reason: 'no new chats' } }, 'session-restricted'],
    ['is warned', { warning: 'FIRST_WARNING' }, 'session-warned'],
    ['is being paired', { status: 'qr', since: ago(1_000), loggedIn: false }, 'session-unpaired'],
    ['was never paired', { status: 'initializing', loggedIn: false }, 'session-unpaired'],
    ['is paired and never connects', { status: 'initializing' }, 'session-stuck'],
    ['has just lost its connection', { status: 'reconnecting', since: ago(5_000) }, 'session-reconnecting'],
    ['lost its connection long ago', { status: 'reconnecting', since: ago(60 * MINUTE_MS) }, 'session-stuck'],
    ['reconnects all the time', { reconnects: 300, lastDisconnect: 'why' }, 'session-looping'],
    ['reconnects now and then', { reconnects: 20 }, undefined],
    [
      'reconnects all the time, and does just now',
      { status: 'reconnecting', since: ago(5_000), reconnects: 300 },
      'session-looping',
    ],
    ['was unlinked', { status: 'logged_out' }, 'session-logged-out'],
    ['was replaced', { status: 'replaced' }, 'session-replaced'],
    ['is banned', { status: 'banned' }, 'session-banned'],
    ['is in a state of another version', { status: 'asleep' }, 'session-status-unknown'],
  ];
  const advised: [policy: Record<string, unknown> | undefined, advice: RegExp][] = [
    [undefined, /start the daemon with --policy gentle/],
    [{ name: 'slow', mode: 'off' }, /start the daemon with --policy gentle/],
    [{ name: 'slow', mode: 'observe' }, /set `mode: enforce` in its policy/],
    [{ name: 'slow', mode: 'enforce' }, /^((?!polic).)*$/],
  ];
  for (const [policy, advice] of advised) {
    it(`gives advice about new chats for a number at risk with ${policy ? `a policy that has the mode ${policy.mode}` : 'no policy'}`, async () => {
      for (const risk of [
        { restriction: { until: '', reason: 'no new chats' } },
        { warning: 'FIRST_WARNING' },
      ]) {
        const found = await lookAt('session', { ...risk, ...(policy && { policy }) });
        expect(found.advice).to.match(advice);
      }
    });
  }

  const outdated = reason('client_outdated', { kind: 'no_page', version: '2.3000.1' });
  const damage = 'A stored value of session acme (sessions) cannot be decrypted: it is damaged.';
  const damaged = reason('data_damaged', { kind: 'found_at_load', damage });
  const late = reason('proxy_failed', { kind: 'late' });
  const asked = reason('passkey', { kind: 'assertion_needed' });
  const explained: [what: string, why: Reason, trouble: string, advice: string][] = [
    ['waits for a passkey', asked, 'session-passkey', 'pair acme --link'],
    ['reports an old version', outdated, 'client-outdated', '--wa-version'],
    ['has a proxy that does not answer', late, 'session-proxy', 'switchboard sessions proxy acme'],
    ['cannot be read', damaged, 'session-damaged', 'restore a backup'],
  ];
  it('does not advise to connect a session that another Switchboard uses', async () => {
    const { trouble, advice } = await lookAt('session', { status: 'replaced', exportedAt: ago(1_000) });
    expect(trouble).to.equal('session-replaced');
    expect(advice).to.contain('switchboard sessions export acme --delete').and.not.contain('reconnect');
  });
  for (const [what, why, trouble, advice] of explained) {
    it(`suggests what to do about a session that ${what}`, async () => {
      const pairing = { status: 'qr', since: ago(1_000), loggedIn: false };
      const found = await lookAt('session', { ...pairing, ...toFields(why) });
      expect(found.trouble).to.equal(trouble);
      expect(found.detail).to.contain(inTerminal(why, 'acme'));
      expect(found.advice).to.contain(advice);
    });
  }
  for (const [status, advice] of [
    ['logged_out', 'switchboard pair acme'],
    ['replaced', 'switchboard sessions reconnect acme'],
    ['banned', 'switchboard sessions reconnect acme'],
  ] as const) {
    it(`explains how a session that is ${status} reconnects`, async () => {
      expect((await lookAt('session', { status, reason: '' })).advice).to.contain(advice);
    });
  }
  for (const [what, session] of [
    ['loops', { reconnects: 300 }],
    ['is down', { status: 'reconnecting', since: ago(5_000) }],
    ['is down for long', { status: 'reconnecting', since: ago(60 * MINUTE_MS) }],
  ] as const) {
    it(`blames the store, and no other client, for a session that ${what} because of a full disk`, async () => {
      const lastDisconnect = 'The store failed while the link needed it.';
      const full = { ...session, lastDisconnect, lastDisconnectCode: 'store_unavailable' };
      const { advice } = await lookAt('session', full);
      expect(advice).to.contain('the daemon cannot write to its store').and.contain('see the disk');
      expect(advice).to.not.match(/another client|second daemon/);
    });
  }

  for (const [what, session, trouble] of cases) {
    it(`reports ${trouble ?? 'nothing'} for a session that ${what}`, async () => {
      const found = await lookAt('session', { ...session, reason: 'the reason' });
      expect(found.trouble).to.equal(trouble);
      if (trouble) expect(found.advice).to.be.a('string').that.is.not.empty;
      if (trouble && trouble !== 'session-looping' && session.status)
        expect(found.detail).to.contain('the reason');
    });
  }

  it('skips a session that another node holds', async () => {
    daemon.client = wellClient('acme', { webhookUrl: 'http://127.0.0.1:1' });
    daemon.session = undefined;
    const diagnosis = await look();
    expect(diagnosis.of('session', 'acme')).to.include({ level: 'skipped' });
    expect(diagnosis.of('session', 'acme').detail).to.contain('node n');
    expect(diagnosis.of('webhook', 'acme').level).to.equal('skipped');
  });

  it('names the sessions that share an API secret', async () => {
    expect((await look()).of('secrets')).to.include({ level: 'ok' });
    daemon.client = wellClient('acme', { secretSharedWith: ['beta'] });
    expect((await look()).of('secrets')).to.deep.include({
      level: 'warning',
      trouble: 'secret-shared',
      detail: 'one API secret opens several sessions: acme, beta',
      advice: 'give each its own: switchboard sessions secret acme',
    });
  });

  it('passes a session without a webhook', async () => {
    expect((await look()).of('webhook', 'acme')).to.include({ level: 'ok' });
  });

  it('skips the webhook while a listener replaces it', async () => {
    daemon.client = wellClient('acme', {
      webhookUrl: 'http://127.0.0.1:1',
      listener: { url: 'http://127.0.0.1:2/?key=secret' },
    });
    const found = (await look()).of('webhook', 'acme');
    expect(found.level).to.equal('skipped');
    expect(found.detail).to.contain('127.0.0.1:2').and.not.to.contain('secret');
    expect(daemon.http.callsOf('/send-test-event')).to.deep.equal([]);
  });

  it('counts the events that could not be delivered', async () => {
    daemon.failed = [{ url: 'http://127.0.0.1:1', reason: 'answered 500', failedAt: ago(MINUTE_MS) }];
    const found = (await look()).of('deliveries', 'acme');
    expect(found).to.include({ level: 'warning', trouble: 'deliveries-failed' });
    expect(found.facts).to.deep.include({ count: 1, reason: 'answered 500' });
  });

  it('finds a paused webhook, and says how to resume it', async () => {
    daemon.session = wellSession('acme', { webhookPaused: 'it answered 410' });
    const found = (await look()).of('deliveries', 'acme');
    expect(found).to.include({ level: 'warning', trouble: 'webhook-paused' });
    expect(found.detail).to.contain('it answered 410');
  });

  it('finds a receiver that is down while events wait for it, but not one that is only behind', async () => {
    const waiting = { events: 12, bytes: 9_000, since: ago(MINUTE_MS), circuit: 'open' };
    daemon.session = wellSession('acme', { waiting });
    const found = (await look()).of('deliveries', 'acme');
    expect(found).to.include({ level: 'warning', trouble: 'deliveries-waiting' });
    expect(found.detail).to.contain('12 events wait for the receiver');
    daemon.session = wellSession('acme', { waiting: { ...waiting, circuit: 'closed' } });
    expect((await look()).of('deliveries', 'acme')).to.include({ level: 'ok' });
  });

  it('finds receivers beside the webhook that are paused or down', async () => {
    const waiting = { events: 12, bytes: 9_000, since: ago(MINUTE_MS), circuit: 'open' };
    const receiver = { id: '3', name: '', origin: 'http://a', inFlight: 0, delivered: 0, dropped: 0 };
    daemon.session = wellSession('acme', { receivers: [{ ...receiver, paused: 'it answered 410' }] });
    const paused = (await look()).of('deliveries', 'acme');
    expect(paused).to.include({ level: 'warning', trouble: 'webhook-paused' });
    expect(paused.detail).to.equal('receiver 3 gets no calls: it answered 410');
    expect(paused.advice).to.contain('switchboard receivers resume acme 3');
    daemon.session = wellSession('acme', { receivers: [{ ...receiver, waiting }] });
    const down = (await look()).of('deliveries', 'acme');
    expect(down).to.include({ level: 'warning', trouble: 'deliveries-waiting' });
    expect(down.detail).to.contain('receiver 3: 12 events wait for the receiver');
    daemon.session = wellSession('acme', {
      receivers: [{ ...receiver, waiting: { ...waiting, circuit: 'closed' } }],
    });
    expect((await look()).of('deliveries', 'acme')).to.include({ level: 'ok' });
  });

  it('finds a receiver that is paused because its broker crashed or flooded the client', async () => {
    const receiver = { id: '3', name: '', origin: 'redis://a', inFlight: 0, delivered: 0, dropped: 0 };
    const pause = { paused: 'the broker sent far more than it was asked for', pauseCode: 'broker_flood' };
    daemon.session = wellSession('acme', { receivers: [{ ...receiver, ...pause }] });
    const found = (await look()).of('deliveries', 'acme');
    expect(found).to.include({ level: 'warning', trouble: 'broker-paused' });
    expect(found.advice).to.contain('switchboard receivers resume acme 3');
    expect(found.facts).to.deep.include({ receiver: '3', pauseCode: 'broker_flood' });
  });

  it('names each receiver that refuses its waiting events, even if only one chat is affected', async () => {
    const waiting = { events: 1, bytes: 900, since: ago(MINUTE_MS), circuit: 'closed' };
    const counts = { inFlight: 0, delivered: 0, dropped: 0 };
    const last = {
      ...{ at: ago(1_000), origin: 'http://a', type: 'text', attempt: 6, outcome: 'failed', status: 0 },
      ...{ reason: 'connect ECONNREFUSED', durationMs: 2 },
    };
    const receivers = ['3', '5'].map((id) => ({
      id,
      name: '',
      origin: 'http://a',
      ...counts,
      waiting,
      last,
    }));
    daemon.session = wellSession('acme', { receivers });
    const found = (await look()).of('deliveries', 'acme');
    expect(found).to.include({ level: 'warning', trouble: 'deliveries-waiting' });
    expect(found.detail).to.match(
      /^receiver 3: 1 event waits .* \(connect ECONNREFUSED\); receiver 5: 1 event/,
    );
    expect(found.advice).to.contain('switchboard receivers resume acme 3');
    const { webhook } = wellSession('acme');
    daemon.session = wellSession('acme', { waiting, webhook: { ...webhook, last } });
    const ofWebhook = (await look()).of('deliveries', 'acme');
    expect(ofWebhook).to.include({ level: 'warning', trouble: 'deliveries-waiting' });
    expect(ofWebhook.detail).to.contain('(connect ECONNREFUSED)');
  });

  it('names the receivers with waiting events, beside the events that failed', async () => {
    const waiting = { events: 2, bytes: 900, since: ago(MINUTE_MS), circuit: 'open' };
    const receiver = { id: '3', name: '', origin: 'http://a', inFlight: 0, delivered: 0, dropped: 0 };
    daemon.session = wellSession('acme', { receivers: [{ ...receiver, waiting }] });
    daemon.failed = [{ url: 'http://127.0.0.1:1', reason: 'answered 500', failedAt: ago(MINUTE_MS) }];
    const [failed, behind, ...others] = (await look()).all('deliveries', 'acme');
    expect(failed).to.include({ level: 'warning', trouble: 'deliveries-failed' });
    expect(failed?.detail).to.match(/answered 500$/);
    expect(behind).to.include({ level: 'warning', trouble: 'deliveries-waiting' });
    expect(behind?.detail).to.match(/^receiver 3: 2 events wait for the receiver .* is down$/);
    expect(others).to.deep.equal([]);
  });

  it('reports every kind of trouble beside a receiver that an operator paused, the worst first', async () => {
    const waiting = { events: 2, bytes: 900, since: ago(MINUTE_MS), circuit: 'open' };
    const counts = { name: '', origin: 'http://a', inFlight: 0, delivered: 0, dropped: 0 };
    const receivers = [
      { ...counts, id: '3', waiting },
      { ...counts, id: '5', waiting, paused: 'an operator paused it' },
      { ...counts, id: '7', waiting },
      { ...counts, id: '9', paused: 'the broker sent too much', pauseCode: 'broker_flood' },
    ];
    daemon.session = wellSession('acme', { receivers, waiting, webhookPaused: 'it answered 410' });
    daemon.failed = [{ url: 'http://127.0.0.1:1', reason: 'answered 500', failedAt: ago(MINUTE_MS) }];
    const found = (await look()).all('deliveries', 'acme');
    expect(found.map(({ trouble }) => trouble)).to.deep.equal([
      'deliveries-failed',
      'broker-paused',
      'deliveries-waiting',
      'webhook-paused',
      'webhook-paused',
    ]);
    const [failed, broker, behind, webhook, paused] = found;
    expect(failed?.advice).to.contain('switchboard failed resend --all --session acme');
    expect(broker?.facts).to.include({ receivers: '9' });
    expect(behind?.facts).to.include({ receivers: '3, 7' });
    expect(behind?.advice).to.contain(
      'switchboard receivers resume acme 3; switchboard receivers resume acme 7',
    );
    expect(webhook?.detail).to.equal('the webhook gets no calls: it answered 410');
    expect(paused?.detail).to.equal('receiver 5 gets no calls: an operator paused it');
  });

  it('finds a history import that stopped', async () => {
    const history = { progress: 40, messages: 1_000 };
    expect((await lookAt('history', { history })).trouble).to.equal('history-stuck');
    expect((await lookAt('history', { history, connectedAt: ago(MINUTE_MS) })).level).to.equal('ok');
    expect((await lookAt('history', { history: { ...history, progress: 100 } })).level).to.equal('ok');
  });

  it('rates a webhook without a call by its last failed delivery, also by one that was given up', async () => {
    const [url, last] = ['http://127.0.0.1:1/hook', reason('answered', { status: '503' })];
    const gaveUp = reason('after_attempt', { why: reason('expired', { time: '72 hours' }), last });
    daemon.client = wellClient('acme', { webhookUrl: url });
    daemon.session = wellSession('acme', { webhook: { waiting: 0 } });
    for (const why of [last, gaveUp]) {
      daemon.failed = [{ url, failedAt: ago(MINUTE_MS), ...toFields(why) }];
      const found = (await look({ sendsEvents: false })).of('webhook', 'acme');
      expect(found).to.include({ level: 'failed', trouble: 'webhook-error' });
      expect(found.facts).to.include({ status: 503 });
    }
  });

  it('checks only the session given with --session', async () => {
    const other = await look({ session: 'other' });
    expect(other.of('sessions')).to.include({ level: 'failed', trouble: 'session-unknown' });
    const acme = await look({ session: 'acme' });
    expect(acme.of('session', 'acme').level).to.equal('ok');
  });

  describe('doctor, of sessions with --no-send', () => {
    const URL_SET = 'http://127.0.0.1:9/hook';
    const LATE = reason('call_failed', { kind: 'timeout', error: 'no answer within 15 s' });
    const quiet = async (last?: Record<string, unknown>) => {
      daemon.client = wellClient('acme', { webhookUrl: URL_SET });
      daemon.session = wellSession('acme', { webhook: { waiting: 0, last } });
      const found = (await look({ sendsEvents: false })).of('webhook', 'acme');
      expect(daemon.http.callsOf('/send-test-event')).to.deep.equal([]);
      return found;
    };

    it('rates a webhook by its last call', async () => {
      const at = ago(MINUTE_MS);
      expect((await quiet({ at, outcome: 'delivered', reason: '' })).level).to.equal('ok');
      const refusal = toFields(reason('answered', { status: '403' }));
      const refused = await quiet({ at, outcome: 'rejected', ...refusal });
      expect(refused).to.include({ level: 'failed', trouble: 'webhook-unauthorized' });
    });

    it('rates a webhook that was never called by its last failed delivery', async () => {
      daemon.failed = [
        { url: 'http://127.0.0.1:8/former', reason: 'answered 404', failedAt: ago(1_000) },
        { url: URL_SET, ...toFields(LATE), failedAt: ago(2_000) },
      ];
      expect((await quiet()).trouble).to.equal('webhook-slow');
    });

    it('rates a webhook without deliveries by a connection from this machine', async () => {
      daemon.failed = [];
      expect((await quiet()).trouble).to.equal('webhook-refused');
    });
  });
});
