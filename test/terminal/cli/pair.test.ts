import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { reason, toFields } from '../../../src/domain/reasons.js';
import { DaemonClient } from '../../../src/terminal/cli/client.js';
import { localLinkWarning, type PairItem, type PairOptions, pair } from '../../../src/terminal/cli/pair.js';
import { inTerminal } from '../../../src/terminal/cli/reason-text.js';
import { ManualClock } from '../../support/manual-clock.js';
import { makeTempDir } from '../../support/temp-dir.js';
import { statusEvent } from './support/entries.js';
import { FakeDaemon } from './support/fake-daemon.js';

const POLL_MS = 1_500;
/** Between two looks at the history. */
const LOOK_MS = 1_000;
const JID = '15550000001@s.whatsapp.net';

describe('pair', () => {
  let daemon: FakeDaemon;
  let clock: ManualClock;
  let end: AbortController;
  let shown: { status: string; qr: string; reason?: string };

  beforeEach(async () => {
    daemon = await FakeDaemon.start();
    clock = new ManualClock();
    end = new AbortController();
    shown = { status: 'initializing', qr: '' };
    daemon.on('GET /clients', { clients: [] });
    daemon.on('POST /disconnect', { ok: true, clientId: 'acme' });
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

  it('deletes the session that it created, unless the number was linked meanwhile', async () => {
    // the second one adds none
    for (const [jid, deleted] of [
      ['', 1],
      [JID, 1],
    ] as const) {
      let looks = 0;
      daemon.on('GET /clients', () => ({
        body: { clients: looks++ === 0 ? [] : [{ clientId: 'acme', jid }] },
      }));
      await rest(begin({ timeoutMs: 10_000 }));
      expect(daemon.callsOf('/disconnect'), jid).to.have.length(deleted);
    }
  });

  it('says what may be left behind when the daemon is gone', async () => {
    daemon.on('POST /disconnect', () => ({ status: 503, body: { error: 'stopping' } }));
    let looks = 0;
    daemon.on('GET /clients', () => ({
      body: { clients: looks++ === 0 ? [] : [{ clientId: 'acme', jid: '' }] },
    }));
    const end = (await rest(begin({ timeoutMs: 10_000 }))).at(-1);
    expect(end).to.include({ type: 'failed' });
    expect(JSON.stringify(end)).to.contain('switchboard sessions disconnect acme');
  });

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

  describe('pair in a workspace', () => {
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

    it('sets the workspace before linking, and shows the history import', async () => {
      const items = begin({ orgId: 'workspace1' });
      expect(await linked(items)).to.deep.equal({ type: 'history', progress: 0, messages: 0 });
      expect(daemon.calls.map(({ path }) => path).slice(0, 3)).to.deep.equal([
        '/clients',
        '/start',
        '/set-org-id',
      ]);
      expect(daemon.callsOf('/set-org-id')[0]?.body).to.deep.equal({ clientId: 'acme', orgId: 'workspace1' });
      history = { progress: 40, messages: 120 };
      expect(await next(items, LOOK_MS)).to.deep.equal({ type: 'history', progress: 40, messages: 120 });
      history = { progress: 100, messages: 300 };
      expect(await rest(items, LOOK_MS)).to.deep.equal([
        { type: 'history', progress: 100, messages: 300 },
        { type: 'connected', jid: JID },
      ]);
    });

    it('stops following an import that stalls, or at an interrupt', async () => {
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

    it('follows no import for a number that was already connected', async () => {
      shown = { status: 'connected', qr: '' };
      expect(await rest(begin({ orgId: 'workspace1' }))).to.deep.equal([
        { type: 'connected', jid: JID, already: true },
      ]);
    });
  });

  it('ends at once for a number that is already connected', async () => {
    shown = { status: 'connected', qr: '' };
    expect(await rest(begin())).to.deep.equal([{ type: 'connected', jid: JID, already: true }]);
  });

  it('says why there is no QR, once for each reason', async () => {
    const items = begin({ proxy: 'socks5://proxy.example.com:1080' });
    expect(await next(items)).to.deep.equal({ type: 'status', status: 'initializing' });
    expect(await next(items)).to.deep.equal({
      type: 'waiting',
      reason: 'no answer from the network through the proxy yet',
    });
    const why = reason('proxy_failed', { kind: 'unauthorized' });
    shown = { status: 'initializing', qr: '', ...toFields(why) };
    expect(await next(items)).to.deep.equal({
      type: 'waiting',
      reason: inTerminal(why, 'acme'),
    });
    shown = { status: 'connected', qr: '' };
    expect((await rest(items)).map(({ type }) => type)).to.deep.equal(['connected']);
  });

  it('requests a code once when it has a phone number', async () => {
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

  it('polls early at an event of the session', async () => {
    const items = begin();
    await next(items);
    const item = items.next();
    await daemon.called('/events');
    await clock.scheduled(POLL_MS);
    shown = { status: 'qr', qr: 'first' };
    daemon.publish(statusEvent('qr', 'initializing'));
    expect((await item).value).to.deep.equal({ type: 'status', status: 'qr' });
  });

  it("fails with the daemon's reason when the status does not change", async () => {
    const [, waiting, last, ...more] = await rest(begin());
    expect(waiting).to.deep.include({ type: 'waiting' });
    expect(last).to.deep.include({ type: 'failed', reason: 'because', code: 'failure' });
    expect(last).to.have.property('suggestions').that.includes('try again: switchboard pair acme');
    expect(more).to.deep.equal([]);
  });

  it('fails when the session reaches a terminal status', async () => {
    shown = { status: 'banned', qr: '' };
    expect((await rest(begin())).map(({ type }) => type)).to.deep.equal(['status', 'failed']);
  });

  it('fails when the number is not linked in time', async () => {
    shown = { status: 'qr', qr: 'first' };
    const last = (await rest(begin({ timeoutMs: 10_000 }))).at(-1);
    expect(last).to.include({ type: 'failed', reason: 'the number was not linked within 10 s' });
  });

  it("fails with the daemon's message when it refuses", async () => {
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

  it('fails when the network issues no code', async () => {
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

  it('fails without a daemon', async () => {
    await daemon.stop();
    expect((await rest(begin())).at(-1)).to.include({ type: 'failed', code: 'unreachable' });
    await daemon.listen();
  });

  it('survives a short outage of the daemon', async () => {
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

  it('tolerates 503 for a minute', async () => {
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

  describe('pair with a one-time address', () => {
    const link = { clientId: 'acme', url: 'https://gateway.example.com/pair/acme.abc', expiresAt: '2026' };
    beforeEach(() => daemon.on('POST /pair-link', link));

    it('shows the address instead of QR codes, and waits while they have expired', async () => {
      const items = begin({ link: true });
      expect(await next(items)).to.deep.equal({ type: 'status', status: 'initializing' });
      expect(await next(items)).to.deep.equal({ type: 'link', url: link.url, expiresAt: '2026' });
      const connected = next(items);
      for (let looks = daemon.callsOf('/qr').length; looks < 30; looks += 1)
        await daemon.called('/qr', looks);
      shown = { status: 'connected', qr: '' };
      expect(await connected).to.deep.equal({ type: 'connected', jid: JID });
      expect(daemon.callsOf('/pair-link')).to.have.lengthOf(1);
    });

    it('warns of an address that only this machine can open', () => {
      for (const url of [
        'http://127.0.0.1:3000/pair/a.b',
        'http://localhost/pair/a.b',
        'http://[::1]/pair/a.b',
      ])
        expect(localLinkWarning(url), url).to.contain('--public-url');
      for (const url of [link.url, 'http://10.0.0.7:3000/pair/a.b', ''])
        expect(localLinkWarning(url), url).to.equal('');
    });

    it('creates no address for a number that is linked', async () => {
      shown = { status: 'connected', qr: '' };
      expect(await rest(begin({ link: true }))).to.deep.equal([
        { type: 'connected', jid: JID, already: true },
      ]);
      expect(daemon.callsOf('/pair-link')).to.deep.equal([]);
    });
  });

  describe('pair when the network asks for a passkey', () => {
    const link = { clientId: 'acme', url: 'https://gateway.example.com/pair/acme.abc', expiresAt: '2026' };
    const options = { challenge: 'Y2hhbGxlbmdl', rpId: 'whatsapp.com' };
    let step: object;

    beforeEach(() => {
      step = { step: 'assertion_needed', options, secondsLeft: 300 };
      shown = { status: 'qr', qr: '' };
      daemon.on('POST /pair-link', link);
      daemon.on('GET /passkey', () => ({ body: { clientId: 'acme', ...step } }));
      daemon.on('POST /passkey', () => ({ body: { clientId: 'acme', step: 'sending', secondsLeft: 60 } }));
      daemon.on('POST /passkey/confirm', { clientId: 'acme', step: 'finishing', secondsLeft: 60 });
    });

    it('shows each step once, with the address and the script, and confirms the code', async () => {
      const items = begin();
      await next(items);
      const asked = await next(items);
      expect(asked).to.deep.include({ type: 'passkey', step: 'assertion_needed', options, url: link.url });
      expect(JSON.stringify(asked)).to.contain('navigator.credentials.get');
      step = { step: 'confirm_code', code: 'ABCD-EFGH', secondsLeft: 60 };
      const compare = await next(items);
      expect(compare).to.deep.include({ type: 'passkey', step: 'confirm_code', code: 'ABCD-EFGH' });
      if (compare?.type === 'passkey') await compare.confirm?.();
      expect(daemon.callsOf('/passkey/confirm').map(({ body }) => body)).to.deep.equal([
        { clientId: 'acme' },
      ]);
      step = { step: 'finishing', secondsLeft: 60 };
      expect(await next(items)).to.deep.include({ type: 'passkey', step: 'finishing' });
      shown = { status: 'connected', qr: '' };
      expect(await next(items)).to.deep.equal({ type: 'connected', jid: JID });
    });

    for (const given of [true, false]) {
      const whose = given ? 'the address that the owner was given' : 'its first address';
      it(`keeps ${whose} for each new challenge`, async () => {
        const items = begin({ link: given });
        await next(items);
        if (given) await next(items);
        expect(await next(items)).to.deep.include({ step: 'assertion_needed', url: link.url });
        step = {
          step: 'assertion_needed',
          options: { ...options, challenge: 'YW5vdGhlcg' },
          secondsLeft: 300,
        };
        expect(await next(items)).to.deep.include({ step: 'assertion_needed', url: link.url });
        expect(daemon.callsOf('/pair-link')).to.have.lengthOf(1);
      });
    }

    it('waits for the file with the answer, and sends it once', async () => {
      const folder = await makeTempDir();
      const file = join(folder.path, 'answer.json');
      const values = { clientDataJSON: 'e30', authenticatorData: 'AAAA', signature: 'AAAA' };
      const assertion = { id: 'YQ', rawId: 'YQ', type: 'public-key', response: values };
      await writeFile(file, '');
      const items = begin({ passkeyFile: file });
      await next(items);
      const asked = await next(items);
      expect(asked).to.deep.include({ step: 'assertion_needed', file }).and.not.to.have.any.keys('url');
      await writeFile(file, JSON.stringify(assertion));
      const sent = next(items);
      await daemon.called('/passkey', daemon.callsOf('/passkey').length + 6);
      const posts = daemon.callsOf('/passkey').filter(({ method }) => method === 'POST');
      expect(posts.map(({ body }) => body)).to.deep.equal([{ clientId: 'acme', assertion }]);
      step = { step: 'sending', secondsLeft: 60 };
      expect(await sent).to.deep.include({ step: 'sending' });
      await folder.remove();
    });

    for (const [what, text, reason] of [
      ['no JSON', 'not JSON', 'is not JSON'],
      ['no assertion', '{"id": 7}', 'contains no WebAuthn assertion'],
    ] as const) {
      it(`fails with a file that contains ${what}`, async () => {
        const folder = await makeTempDir();
        const file = join(folder.path, 'answer.json');
        await writeFile(file, text);
        const last = (await rest(begin({ passkeyFile: file }))).at(-1);
        expect(last).to.deep.include({ type: 'failed', code: 'usage', reason: `${file} ${reason}` });
        await folder.remove();
      });
    }

    it('pairs with a daemon that does not support passkeys', async () => {
      daemon.on('GET /passkey', () => ({ status: 404, body: { error: 'no route' } }));
      const items = begin();
      expect(await next(items)).to.deep.equal({ type: 'status', status: 'qr' });
      shown = { status: 'qr', qr: 'first' };
      expect(await next(items)).to.deep.equal({ type: 'qr', qr: 'first' });
    });
  });

  it('fails as interrupted when the signal aborts', async () => {
    const items = begin();
    await next(items);
    const item = items.next();
    await clock.scheduled(POLL_MS);
    end.abort();
    expect((await item).value).to.include({ type: 'failed', code: 'interrupted' });
    expect((await items.next()).done).to.equal(true);
  });
});
