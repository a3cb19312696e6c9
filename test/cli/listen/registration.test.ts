import { expect } from 'chai';
import { DaemonClient } from '../../../src/cli/client.js';
import { Registration } from '../../../src/cli/listen/registration.js';
import { ManualClock } from '../../support/manual-clock.js';
import { failureOf } from '../support/failure.js';
import { FakeDaemon } from '../support/fake-daemon.js';

const WISH = {
  clientId: 'acme',
  webhookUrl: 'http://127.0.0.1:4000/webhook',
  webhookToken: 'token-of-this-run',
  extraEvents: [],
  takeOver: true,
};
const ANSWER = { registeredUrl: 'https://example.com/hook', expiresAt: '2026-11-21T10:00:30.000Z' };
const RENEW_MS = 5_000;
const RETRY_MS = 500;

describe('the registration of a listener', () => {
  let daemon: FakeDaemon;
  let clock: ManualClock;
  let client: DaemonClient;
  let end: AbortController;
  let told: string[];
  let change: AbortController;

  beforeEach(async () => {
    daemon = await FakeDaemon.start();
    daemon.on('POST /listen-webhook', ANSWER);
    clock = new ManualClock();
    client = new DaemonClient({ url: daemon.url, token: 't' });
    end = new AbortController();
    told = [];
    change = new AbortController();
  });
  afterEach(async () => {
    end.abort();
    await daemon.stop();
  });

  const watch = {
    lost: () => told.push('lost'),
    back: () => told.push('back'),
    retaken: () => told.push('retaken'),
    nextChange: () => change.signal,
  };
  const tick = async (ms: number) => {
    await clock.scheduled(ms);
    clock.advance(ms);
  };
  const refuse = (status: number, error: string) =>
    daemon.on('POST /listen-webhook', () => ({ status, body: { error } }));

  it('is renewed again and again, without taking over a second time', async () => {
    const registration = new Registration(client, WISH, clock);
    expect(await registration.begin()).to.deep.equal(ANSWER);
    const kept = registration.keepUp(end.signal, watch);
    await tick(RENEW_MS);
    await daemon.called('/listen-webhook', 2);
    await tick(RENEW_MS);
    await daemon.called('/listen-webhook', 3);
    end.abort();
    await kept;
    const { takeOver, ...wish } = WISH;
    const [first, second] = daemon.callsOf('/listen-webhook').map(({ body }) => body);
    expect(first).to.deep.equal({ ...wish, takeOver, seconds: 30 });
    expect(second).to.deep.equal({ ...wish, takeOver: false, seconds: 30 });
    expect(told).to.deep.equal([]);
  });

  it('goes on asking while the daemon is away', async () => {
    const registration = new Registration(client, WISH, clock);
    await registration.begin();
    const kept = registration.keepUp(end.signal, watch);
    await daemon.stop();
    await tick(RENEW_MS);
    await tick(RETRY_MS);
    await clock.scheduled(RETRY_MS);
    expect(told).to.deep.equal(['lost']);
    await daemon.listen();
    clock.advance(RETRY_MS);
    await clock.scheduled(RENEW_MS);
    expect(told).to.deep.equal(['lost', 'back']);
    end.abort();
    await kept;
  });

  it('is renewed at once when something happens to the session, and says when the daemon had lost it', async () => {
    const registration = new Registration(client, WISH, clock);
    await registration.begin();
    daemon.on('POST /listen-webhook', { ...ANSWER, renewed: false });
    const kept = registration.keepUp(end.signal, watch);
    const moved = change;
    change = new AbortController();
    moved.abort();
    await daemon.called('/listen-webhook', 2);
    await tick(RENEW_MS);
    await daemon.called('/listen-webhook', 3);
    expect(told[0]).to.equal('retaken');
    end.abort();
    await kept;
  });

  it('ends when somebody else has taken its place', async () => {
    const registration = new Registration(client, WISH, clock);
    await registration.begin();
    const kept = failureOf(registration.keepUp(end.signal, watch));
    refuse(409, 'somebody listens to session acme already');
    await tick(RENEW_MS);
    expect((await kept).failure).to.equal('conflict');
  });

  it('says what to do when it is refused', async () => {
    const advice = async (status: number, error: string) => {
      refuse(status, error);
      const { message, suggestions } = await failureOf(new Registration(client, WISH, clock).begin());
      expect(message).to.equal(error);
      return suggestions.join('\n');
    };
    expect(await advice(409, 'somebody listens')).to.contain('--take-over');
    const guarded = '127.0.0.1 is a loopback address; --allow-private-urls permits it';
    expect(await advice(502, guarded)).to.contain('SWITCHBOARD_ALLOW_PRIVATE_URLS=true');
    expect(await advice(502, 'no answer within 15 s')).to.contain('--public-url');
    expect(await advice(404, 'unknown clientId acme')).to.contain('sessions list');
  });

  it('is taken back, also when the daemon only answers after a while', async () => {
    daemon.on('POST /unlisten-webhook', { ok: true, ended: true, webhookUrl: 'https://example.com/hook' });
    const registration = new Registration(client, WISH, clock);
    await registration.begin();
    await daemon.stop();
    const ended = registration.end(client);
    await clock.scheduled(RETRY_MS);
    await daemon.listen();
    clock.advance(RETRY_MS);
    expect(await ended).to.equal('https://example.com/hook');
    expect(daemon.callsOf('/unlisten-webhook')[0]?.body).to.deep.equal({
      clientId: 'acme',
      webhookToken: WISH.webhookToken,
    });
  });

  it('says how to put the webhook back when the daemon stays away', async () => {
    const registration = new Registration(client, WISH, clock);
    await registration.begin();
    await daemon.stop();
    const ended = failureOf(registration.end(client));
    for (let n = 0; n < 10; n += 1) await tick(RETRY_MS);
    const { failure, message, suggestions } = await ended;
    expect(failure).to.equal('unreachable');
    expect(message).to.contain('comes back by itself').and.not.contain(WISH.webhookToken);
    expect(suggestions[0]).to.contain('switchboard api POST /unlisten-webhook -f clientId=acme');
    await daemon.listen();
  });

  it('says so too when the daemon takes the call and never answers', async () => {
    daemon.on('POST /unlisten-webhook', () => new Promise(() => undefined));
    const lastCalls = new AbortController();
    const last = new DaemonClient({ url: daemon.url, token: 't', signal: lastCalls.signal });
    const ended = failureOf(new Registration(client, WISH, clock).end(last));
    await daemon.called('/unlisten-webhook');
    lastCalls.abort();
    const { failure, message } = await ended;
    expect(failure).to.equal('unreachable');
    expect(message).to.contain('was not put back: the daemon does not answer within 5 s');
  });

  it('has nothing to put back in a session that is gone', async () => {
    daemon.on('POST /unlisten-webhook', () => ({ status: 404, body: { error: 'unknown clientId acme' } }));
    expect(await new Registration(client, WISH, clock).end(client)).to.equal('');
  });
});
