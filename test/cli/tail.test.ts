import { expect } from 'chai';
import { DaemonClient } from '../../src/cli/client.js';
import { type TailItem, tail } from '../../src/cli/tail.js';
import { ManualClock } from '../support/manual-clock.js';
import { attempt, statusEvent, textEvent } from './support/entries.js';
import { failureOf } from './support/failure.js';
import { FakeDaemon } from './support/fake-daemon.js';

describe('the tail', () => {
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

  it('shows entries as they happen', async () => {
    const items = follow();
    expect(await next(items)).to.deep.equal({ type: 'open', resumed: false });
    daemon.publish(textEvent());
    expect(await next(items)).to.deep.equal({ type: 'entry', id: 'e-1', entry: textEvent() });
  });

  it('asks for one session when told', async () => {
    const items = follow({ clientId: 'acme' });
    await next(items);
    expect(daemon.callsOf('/events')[0]?.query.get('clientId')).to.equal('acme');
  });

  it('leaves out the types that nobody asked for, of events and of attempts', async () => {
    const items = follow({ types: ['image'] });
    await next(items);
    daemon.publish(textEvent());
    daemon.publish(attempt({ type: 'text' }));
    daemon.publish(attempt({ type: 'image' }));
    expect(await next(items)).to.deep.include({ id: 'e-3' });
  });

  it('comes back after the last entry when the connection is cut, and loses nothing', async () => {
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

  it('loses nothing either when the connection ends before the first entry', async () => {
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

  it('waits longer each time while the daemon is away, and comes back when it is', async () => {
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

  it('ends without an error when it is told to', async () => {
    const items = follow();
    await next(items);
    const last = items.next();
    end.abort();
    expect(await last).to.deep.equal({ value: undefined, done: true });
  });

  it('fails when there is no daemon at first', async () => {
    await daemon.stop();
    expect(await failureOf(follow().next())).to.include({ failure: 'unreachable' });
    await daemon.listen();
  });

  it('fails when the token is refused, also when it comes back', async () => {
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

  it('lets changes of a session through like any other event', async () => {
    const items = follow({ types: ['session_status'] });
    await next(items);
    daemon.publish(statusEvent('connected', 'qr'));
    expect(await next(items)).to.deep.include({ entry: statusEvent('connected', 'qr') });
  });
});
