import { expect } from 'chai';
import { DaemonClient } from '../../src/cli/client.js';
import { type PairItem, type PairOptions, pair } from '../../src/cli/pair.js';
import { ManualClock } from '../support/manual-clock.js';
import { statusEvent } from './support/entries.js';
import { FakeDaemon } from './support/fake-daemon.js';

const POLL_MS = 1_500;
/** Between two looks at the history. */
const LOOK_MS = 1_000;
const JID = '15550000001@s.whatsapp.net';

describe('a pairing', () => {
  let daemon: FakeDaemon;
  let clock: ManualClock;
  let end: AbortController;
  let shown: { status: string; qr: string };

  beforeEach(async () => {
    daemon = await FakeDaemon.start();
    clock = new ManualClock();
    end = new AbortController();
    shown = { status: 'initializing', qr: '' };
    daemon.on('POST /start', () => ({ body: { clientId: 'acme', status: shown.status } }));
    daemon.on('GET /qr', () => ({ body: { clientId: 'acme', ...shown } }));
    daemon.on('POST /check-state', { status: true, state: JID });
    daemon.on('GET /health/clients', {
      clients: [{ clientId: 'acme', status: 'initializing', reason: 'because' }],
    });
  });
  afterEach(async () => {
    end.abort();
    await daemon.stop();
  });

  const begin = (options: Partial<PairOptions> = {}) => {
    const client = new DaemonClient({ url: daemon.url, signal: end.signal });
    return pair(client, { clientId: 'acme', signal: end.signal, clock, ...options });
  };
  /** The next item, moving time from one look to the next until there is one. */
  const next = async (items: AsyncGenerator<PairItem, void>, pollMs = POLL_MS) => {
    const result = items.next();
    let settled = false;
    void result.then(() => {
      settled = true;
    });
    while (!settled) {
      await Promise.race([result, clock.scheduled(pollMs)]);
      if (!settled) clock.advance(pollMs);
    }
    return (await result).value;
  };
  const rest = async (items: AsyncGenerator<PairItem, void>, pollMs?: number) => {
    const all: PairItem[] = [];
    for (let item = await next(items, pollMs); item; item = await next(items, pollMs)) all.push(item);
    return all;
  };

  it('shows each QR once and ends when the number is connected', async () => {
    const items = begin({ webhook: { webhookUrl: 'https://example.com/' } });
    expect(await next(items)).to.deep.equal({ type: 'status', status: 'initializing' });
    shown = { status: 'qr', qr: 'first' };
    expect(await next(items)).to.deep.equal({ type: 'status', status: 'qr' });
    expect(await next(items)).to.deep.equal({ type: 'qr', qr: 'first' });
    shown = { status: 'qr', qr: 'second' };
    expect(await next(items)).to.deep.equal({ type: 'qr', qr: 'second' });
    shown = { status: 'connected', qr: '' };
    expect(await rest(items)).to.deep.equal([{ type: 'connected', jid: JID }]);
    expect(daemon.callsOf('/start')[0]?.body).to.deep.equal({ webhookUrl: 'https://example.com/' });
  });

  describe('in a workspace', () => {
    let history: { progress: number; messages: number } | undefined;
    beforeEach(() => {
      history = undefined;
      daemon.on('POST /set-org-id', { ok: true });
      daemon.on('GET /clients', { clients: [{ clientId: 'acme', orgId: 'workspace1' }] });
      daemon.on('GET /health/clients', () => ({ body: { clients: [{ clientId: 'acme', history }] } }));
    });
    /** Up to the first word of the history. */
    const linked = async (items: AsyncGenerator<PairItem, void>) => {
      shown = { status: 'qr', qr: 'first' };
      await next(items);
      await next(items);
      shown = { status: 'connected', qr: '' };
      return next(items);
    };

    it('sets it before the number is linked, and shows how its past comes in', async () => {
      const items = begin({ orgId: 'workspace1' });
      expect(await linked(items)).to.deep.equal({ type: 'history', progress: 0, messages: 0 });
      expect(daemon.calls.map(({ path }) => path).slice(0, 2)).to.deep.equal(['/start', '/set-org-id']);
      expect(daemon.callsOf('/set-org-id')[0]?.body).to.deep.equal({ clientId: 'acme', orgId: 'workspace1' });
      history = { progress: 40, messages: 120 };
      expect(await next(items, LOOK_MS)).to.deep.equal({ type: 'history', progress: 40, messages: 120 });
      history = { progress: 100, messages: 300 };
      expect(await rest(items, LOOK_MS)).to.deep.equal([
        { type: 'history', progress: 100, messages: 300 },
        { type: 'connected', jid: JID },
      ]);
    });

    it('leaves the rest to the daemon when nothing more is heard, or when it is interrupted', async () => {
      expect(await rest(await linkedItems(), LOOK_MS)).to.deep.equal([{ type: 'connected', jid: JID }]);
      const items = await linkedItems();
      end.abort();
      expect(await rest(items, LOOK_MS)).to.deep.equal([{ type: 'connected', jid: JID }]);
    });
    const linkedItems = async () => {
      const items = begin();
      await linked(items);
      return items;
    };

    it('has nothing to wait for when the number was connected already', async () => {
      shown = { status: 'connected', qr: '' };
      expect(await rest(begin({ orgId: 'workspace1' }))).to.deep.equal([{ type: 'connected', jid: JID }]);
    });
  });

  it('ends at once for a number that is connected already', async () => {
    shown = { status: 'connected', qr: '' };
    expect(await rest(begin())).to.deep.equal([{ type: 'connected', jid: JID }]);
  });

  it('asks for a code once when it has a phone number', async () => {
    daemon.on('POST /pair-phone', { code: 'ABCD-EFGH' });
    shown = { status: 'qr', qr: 'first' };
    const items = begin({ phone: '+1 (555) 000-0001' });
    expect(await next(items)).to.deep.equal({ type: 'status', status: 'qr' });
    expect(await next(items)).to.deep.equal({ type: 'code', code: 'ABCD-EFGH' });
    shown = { status: 'qr', qr: 'second' };
    const last = rest(items);
    await daemon.called('/qr', 3);
    shown = { status: 'connected', qr: '' };
    expect(await last).to.deep.equal([{ type: 'connected', jid: JID }]);
    expect(daemon.callsOf('/pair-phone').map(({ body }) => body)).to.deep.equal([
      { clientId: 'acme', phone: '15550000001' },
    ]);
  });

  it('looks at once when the session says that something changed', async () => {
    const items = begin();
    await next(items);
    const item = items.next();
    await daemon.called('/events');
    await clock.scheduled(POLL_MS);
    shown = { status: 'qr', qr: 'first' };
    daemon.publish(statusEvent('qr', 'initializing'));
    expect((await item).value).to.deep.equal({ type: 'status', status: 'qr' });
  });

  it("fails with the daemon's reason when nothing moves", async () => {
    const [, last, ...more] = await rest(begin());
    expect(last).to.deep.include({ type: 'failed', reason: 'because', code: 'failure' });
    expect(last).to.have.property('suggestions').that.includes('try again: switchboard pair acme');
    expect(more).to.deep.equal([]);
  });

  it('fails when the session has come to an end', async () => {
    shown = { status: 'banned', qr: '' };
    expect((await rest(begin())).map(({ type }) => type)).to.deep.equal(['status', 'failed']);
  });

  it('fails when nobody links the number in time', async () => {
    shown = { status: 'qr', qr: 'first' };
    const last = (await rest(begin({ timeoutMs: 10_000 }))).at(-1);
    expect(last).to.include({ type: 'failed', reason: 'nobody linked the number within 10 s' });
  });

  it('fails with what the daemon says when it refuses', async () => {
    daemon.on('POST /start', () => ({
      status: 400,
      body: { error: 'clientId may hold letters and digits only' },
    }));
    const items = await rest(begin());
    expect(items).to.have.length(1);
    expect(items[0]).to.include({
      type: 'failed',
      code: 'usage',
      reason: 'clientId may hold letters and digits only',
    });
  });

  it('fails when the network gives no code', async () => {
    shown = { status: 'qr', qr: 'first' };
    daemon.on('POST /pair-phone', () => ({
      status: 502,
      body: { error: 'the network did not issue a code' },
    }));
    expect((await rest(begin({ phone: '15550000001' }))).at(-1)).to.include({
      type: 'failed',
      code: 'refused',
    });
  });

  it('fails when there is no daemon', async () => {
    await daemon.stop();
    expect((await rest(begin())).at(-1)).to.include({ type: 'failed', code: 'unreachable' });
    await daemon.listen();
  });

  it('outlives a daemon that is away for a moment', async () => {
    const items = begin();
    await next(items);
    await daemon.stop();
    const item = items.next();
    await clock.scheduled(POLL_MS);
    clock.advance(POLL_MS);
    await clock.scheduled(POLL_MS);
    await daemon.listen();
    shown = { status: 'qr', qr: 'first' };
    clock.advance(POLL_MS);
    expect((await item).value).to.deep.equal({ type: 'status', status: 'qr' });
  });

  it('outlives the node of its session, but not for ever', async () => {
    const away = { status: 503, body: { error: 'node a cannot be reached: nothing was done' } };
    let refusals = 20;
    daemon.on('GET /qr', () =>
      refusals-- > 0 ? away : { body: { clientId: 'acme', status: 'qr', qr: 'of another node' } },
    );
    const items = begin();
    expect(await next(items)).to.deep.equal({ type: 'status', status: 'qr' });
    expect(await next(items)).to.deep.equal({ type: 'qr', qr: 'of another node' });
    refusals = Number.POSITIVE_INFINITY;
    const failed = { type: 'failed', code: 'failure', reason: away.body.error };
    expect((await rest(items)).at(-1)).to.include(failed);
  });

  it('fails as interrupted when it is told to end', async () => {
    const items = begin();
    await next(items);
    const item = items.next();
    await clock.scheduled(POLL_MS);
    end.abort();
    expect((await item).value).to.include({ type: 'failed', code: 'interrupted' });
    expect((await items.next()).done).to.equal(true);
  });
});
