import { expect } from 'chai';
import { sampleEvent } from '../../../src/contract/events/sample.js';
import type { TailEntry } from '../../../src/contract/events/stream-entry.js';
import { DaemonClient } from '../../../src/terminal/cli/client.js';
import { painter } from '../../../src/terminal/cli/output.js';
import { ERRORS, passes, type TailFilter, type TailItem, tail } from '../../../src/terminal/cli/tail.js';
import { forwardLine, tailLine } from '../../../src/terminal/cli/tail-lines.js';
import { ManualClock } from '../../support/manual-clock.js';
import { AT, attempt, failureOf, statusEvent, textEvent } from './support/entries.js';
import { FakeDaemon } from './support/fake-daemon.js';

describe('tail()', () => {
  let daemon: FakeDaemon;
  let clock: ManualClock;
  let end: AbortController;

  beforeEach(async () => {
    daemon = await FakeDaemon.start();
    clock = new ManualClock();
    end = new AbortController();
  });
  afterEach(async () => {
    end.abort();
    await daemon.stop();
  });

  const follow = (options: { clientId?: string; types?: string[] } = {}) => {
    const client = new DaemonClient({ url: daemon.url, token: 't' });
    return tail(client, { signal: end.signal, clock, ...options });
  };
  const next = async (items: AsyncGenerator<TailItem>) => {
    const { value } = await items.next();
    return value;
  };

  it('shows entries live', async () => {
    const items = follow();
    expect(await next(items)).to.deep.equal({ type: 'open', resumed: false });
    daemon.publish(textEvent());
    expect(await next(items)).to.deep.equal({ type: 'entry', id: 'e-1', entry: textEvent() });
  });

  it('follows one session on request', async () => {
    const items = follow({ clientId: 'acme' });
    await next(items);
    expect(daemon.callsOf('/events')[0]?.query.get('clientId')).to.equal('acme');
  });

  it('filters events and attempts by type', async () => {
    const items = follow({ types: ['image'] });
    await next(items);
    daemon.publish(textEvent());
    daemon.publish(attempt({ type: 'text' }));
    daemon.publish(attempt({ type: 'image' }));
    expect(await next(items)).to.deep.include({ id: 'e-3' });
  });

  it('resumes after the last entry when the connection breaks', async () => {
    const items = follow();
    await next(items);
    daemon.publish(textEvent({ messageId: 'A' }));
    await next(items);
    daemon.cutStreams();
    expect(await next(items)).to.include({ type: 'reconnecting', delayMs: 500 });
    daemon.publish(textEvent({ messageId: 'B' }));
    const back = next(items);
    await clock.scheduled(500);
    clock.advance(500);
    expect(await back).to.deep.equal({ type: 'open', resumed: true });
    expect(await next(items)).to.deep.include({ id: 'e-2' });
    expect(daemon.callsOf('/events')[1]?.headers['last-event-id']).to.equal('e-1');
  });

  it('loses no entry when the connection breaks before the first one', async () => {
    daemon.publish(textEvent({ messageId: 'of before' }));
    const items = follow();
    await next(items);
    daemon.endStreams();
    expect(await next(items)).to.include({ type: 'reconnecting', delayMs: 500 });
    daemon.publish(textEvent({ messageId: 'in between' }));
    const back = next(items);
    await clock.scheduled(500);
    clock.advance(500);
    expect(await back).to.deep.equal({ type: 'open', resumed: true });
    expect(await next(items)).to.deep.include({ id: 'e-2' });
  });

  it('reconnects with backoff', async () => {
    const items = follow();
    await next(items);
    await daemon.stop();
    expect(await next(items)).to.include({ type: 'reconnecting', delayMs: 500 });
    for (const [waited, delayMs] of [
      [500, 1_000],
      [1_000, 2_000],
    ] as const) {
      const again = next(items);
      await clock.scheduled(waited);
      clock.advance(waited);
      expect(await again).to.include({ type: 'reconnecting', delayMs });
    }
    await daemon.listen();
    const back = next(items);
    await clock.scheduled(2_000);
    clock.advance(2_000);
    expect(await back).to.deep.equal({ type: 'open', resumed: true });
  });

  it('ends without an error when the signal aborts', async () => {
    const items = follow();
    await next(items);
    const last = items.next();
    end.abort();
    expect(await last).to.deep.equal({ value: undefined, done: true });
  });

  it('fails without a daemon at the first connection', async () => {
    await daemon.stop();
    expect(await failureOf(follow().next())).to.include({ failure: 'unreachable' });
    await daemon.listen();
  });

  it('fails when the daemon refuses the token, at the first connection or at a reconnect', async () => {
    const items = follow();
    await next(items);
    daemon.token = 'another';
    daemon.cutStreams();
    await next(items);
    const refused = failureOf(items.next());
    await clock.scheduled(500);
    clock.advance(500);
    expect(await refused).to.include({ failure: 'unauthorized' });
  });

  it('shows changes of sessions like any other event', async () => {
    const items = follow({ types: ['session_status'] });
    await next(items);
    daemon.publish(statusEvent('connected', 'qr'));
    expect(await next(items)).to.deep.include({ entry: statusEvent('connected', 'qr') });
  });
});

const DROPPED: TailEntry = {
  kind: 'dropped',
  at: AT,
  clientId: 'acme',
  deliveryId: '01ARZ',
  type: 'text',
  reason: 'answered 410',
};
const ENTRIES: Readonly<Record<string, TailEntry>> = {
  text: textEvent(),
  status: statusEvent('connected', 'reconnecting'),
  delivered: attempt(),
  failed: attempt({ outcome: 'failed', status: 500 }),
  rejected: attempt({ outcome: 'rejected', status: 410, type: 'image' }),
  dropped: DROPPED,
};

describe('the filter of tail()', () => {
  const shown = (filter: TailFilter) =>
    Object.entries(ENTRIES).flatMap(([name, entry]) => (passes(entry, filter) ? [name] : []));

  it('passes everything without a filter', () => {
    expect(shown({})).to.deep.equal(Object.keys(ENTRIES));
    expect(shown({ types: [], outcomes: [] })).to.deep.equal(Object.keys(ENTRIES));
  });

  it('filters by the type of events, attempts and drops', () => {
    expect(shown({ types: ['image', 'session_status'] })).to.deep.equal(['status', 'rejected']);
  });

  it('filters by outcome, which drops events', () => {
    expect(shown({ outcomes: ['delivered'] })).to.deep.equal(['delivered']);
    expect(shown({ outcomes: ERRORS })).to.deep.equal(['failed', 'rejected', 'dropped']);
    expect(shown({ outcomes: ERRORS, types: ['text'] })).to.deep.equal(['failed', 'dropped']);
  });

  it('handles entries of unknown kinds', () => {
    const unknown: TailEntry = JSON.parse('{"kind":"novelty","at":"","clientId":"acme"}');
    expect(passes(unknown, {})).to.equal(true);
    expect(passes(unknown, { types: ['text'] })).to.equal(false);
    expect(passes(unknown, { outcomes: ERRORS })).to.equal(false);
  });
});

describe('tailLine()', () => {
  const paint = painter({}, {});
  /** Without the local time. */
  const line = (entry: TailEntry) => tailLine(entry, paint).slice('00:00:00 '.length);

  it('shows a received message', () => {
    expect(line(textEvent())).to.equal('acme ← text Bob: hello 3EB0AAAA');
  });

  it('shows in words that a message could not be read', () => {
    const context = { clientId: 'acme', orgId: '', myLid: '', at: Date.parse(AT) };
    const event = sampleEvent('message_unreadable', context);
    expect(line({ kind: 'event', at: AT, clientId: 'acme', event })).to.match(
      /^acme ← unreadable Test person: this message could not be decrypted; open it on the phone /,
    );
  });

  it('names the settings of a group that changed', () => {
    const context = { clientId: 'acme', orgId: '', myLid: '', at: Date.parse(AT) };
    const sample = sampleEvent('group_update', context);
    const settings = { announce: true, disappearingSeconds: 86_400 };
    const event = { ...sample, change: 'settings' as const, members: [], settings };
    expect(line({ kind: 'event', at: AT, clientId: 'acme', event })).to.match(
      /group settings 120363000000000001@g.us by Test person: announce true, disappearingSeconds 86400$/,
    );
  });

  it('shows a post of a channel, and its deletion', () => {
    const context = { clientId: 'acme', orgId: '', myLid: '', at: Date.parse(AT) };
    const sample = sampleEvent('channel_post', context);
    if (sample.event !== 'channel.post') throw new Error('the sample is a post of a channel');
    const event = { ...sample, messageId: 'P1' };
    const entry = { kind: 'event', at: AT, clientId: 'acme' } as const;
    const deletion = { action: 'deleted' as const, kind: '' as const, body: '' };
    const lines = [event, { ...event, ...deletion }].map((one) => line({ ...entry, event: one }));
    expect(lines).to.deep.equal([
      'acme ← post text 120363040000000001@newsletter: This is a test event from Switchboard P1',
      'acme ← post deleted 120363040000000001@newsletter:  P1',
    ]);
  });

  it('shows a status, and which one was deleted', () => {
    const context = { clientId: 'acme', orgId: '', myLid: '', at: Date.parse(AT) };
    const sample = sampleEvent('status_post', context);
    if (sample.event !== 'status.post') throw new Error('the sample is a status');
    const event = { ...sample, messageId: 'S1', body: 'At the lake' };
    const revoke = { ...event, kind: 'revoke' as const, body: '', messageId: 'S2', targetId: 'S1' };
    const events = [event, revoke, { ...revoke, fromMe: true }];
    const lines = events.map((one) => line({ kind: 'event', at: AT, clientId: 'acme', event: one }));
    expect(lines).to.deep.equal([
      'acme ← status text Test person: At the lake S1',
      'acme ← status revoke Test person: of S1 S2',
      'acme → status revoke: of S1 S2',
    ]);
  });

  it('shows calls, presence, new security codes and changes of groups', () => {
    for (const [type, shown] of [
      ['call', 'acme ☎ call missed Test person C0FFEE00000000000000000000000001'],
      ['presence', 'acme … Test person composing'],
      ['identity_change', 'acme ● Test person has a new security code'],
      ['group_update', 'acme ● group added 120363000000000001@g.us by Test person: Ada Example'],
    ] as const) {
      const context = { clientId: 'acme', orgId: '', myLid: '', at: Date.parse(AT) };
      expect(line({ kind: 'event', at: AT, clientId: 'acme', event: sampleEvent(type, context) })).to.equal(
        shown,
      );
    }
  });

  it('shows a sent message', () => {
    expect(line(textEvent({ fromMe: true, event: 'message.sent' }))).to.equal(
      'acme → text Bob: hello 3EB0AAAA',
    );
  });

  it('a line names the author in a group', () => {
    const event = { isGroup: true, remoteName: 'Team', pushName: 'Bob' };
    expect(line(textEvent(event))).to.equal('acme ← text Team Bob: hello 3EB0AAAA');
  });

  it('shows phone number or jid of a person without a name', () => {
    expect(line(textEvent({ remoteName: '' }))).to.contain(' 15550000002: ');
    expect(line(textEvent({ remoteName: '', remotePhone: '' }))).to.contain(' 200@lid: ');
  });

  it('a line cannot be forged by a message', () => {
    const body = 'x\n12:00:00 acme ✓ webhook delivered\u001b[2K';
    expect(line(textEvent({ body }))).not.to.match(/\p{Cc}/u);
    expect(line(textEvent({ messageId: body }))).not.to.match(/\p{Cc}/u);
  });

  it('shows a delivery without the secrets in its address', () => {
    expect(line(attempt())).to.equal(
      'acme   ✓ webhook delivered 200 text (attempt 1, 12 ms, https://example.com/hook)',
    );
  });

  it('shows why a delivery failed', () => {
    const failed = attempt({ outcome: 'failed', status: 0, reason: 'no answer within 15 s', attempt: 2 });
    expect(line(failed)).to.contain('! webhook failed text no answer within 15 s (attempt 2');
  });

  it('shows a drop with its reason', () => {
    const dropped: TailEntry = {
      kind: 'dropped',
      at: AT,
      clientId: 'acme',
      deliveryId: '01A',
      type: 'text',
      reason: 'four attempts failed',
    };
    expect(line(dropped)).to.equal('acme ✗ dropped text four attempts failed 01A');
  });

  it("shows a session's change with its reason", () => {
    expect(line(statusEvent('logged_out', 'connected', 'unlinked on the phone'))).to.equal(
      'acme ● connected → logged_out: unlinked on the phone',
    );
  });

  it('prints an entry of an unknown kind as JSON', () => {
    expect(line(JSON.parse('{"kind":"novelty","at":"2026-01-02T03:04:05Z"}'))).to.contain('"kind":"novelty"');
  });

  it('shows the result of a forwarded event', () => {
    const report = { kind: 'forward', at: AT, clientId: 'acme', type: 'text', messageId: '3EB0' } as const;
    const url = 'http://localhost:4000/hook';
    const forwarded = {
      ...report,
      outcome: 'delivered',
      status: 204,
      reason: '',
      url,
      durationMs: 7,
    } as const;
    const rest = (shown: string) => shown.slice('00:00:00 '.length);
    expect(rest(forwardLine(forwarded, paint))).to.equal(
      'acme   ✓ forwarded 204 text (7 ms, http://localhost:4000/hook)',
    );
    const failed = { ...forwarded, outcome: 'failed', status: 500, reason: 'answered 500' } as const;
    expect(rest(forwardLine(failed, paint))).to.equal(
      'acme   ✗ not forwarded text answered 500 (7 ms, http://localhost:4000/hook)',
    );
  });

  it('survives an invalid time', () => {
    expect(tailLine({ ...textEvent(), at: 'soon' }, paint)).to.match(/^--:--:-- acme/);
  });
});
