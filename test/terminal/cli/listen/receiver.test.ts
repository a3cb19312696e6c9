import { request } from 'node:http';
import { expect } from 'chai';
import { type Reason, reason, textOf } from '../../../../src/domain/reasons.js';
import { webhookHeaders } from '../../../../src/domain/webhook-headers.js';
import { DaemonClient } from '../../../../src/terminal/cli/client.js';
import {
  type LocalReceiver,
  type RefusedCall,
  startReceiver,
  type WebhookCall,
} from '../../../../src/terminal/cli/listen/receiver.js';
import { Registration } from '../../../../src/terminal/cli/listen/registration.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { failureOf, refusal, textEvent } from '../support/entries.js';
import { FakeDaemon } from '../support/fake-daemon.js';

const TOKEN = 'token-of-this-run';
const BODY = JSON.stringify(Object.entries(textEvent()).find(([name]) => name === 'event')?.[1]);

describe('listen: the receiver', () => {
  let receiver: LocalReceiver;
  let calls: WebhookCall[];
  let refused: RefusedCall[];
  let status: number;

  beforeEach(async () => {
    calls = [];
    refused = [];
    status = 204;
    receiver = await startReceiver({
      host: '127.0.0.1',
      port: 0,
      token: TOKEN,
      async answer(call) {
        calls.push(call);
        return status;
      },
      refused: (call) => refused.push(call),
    });
  });
  afterEach(() => receiver.stop());

  const headersOf = (changes: { token?: string; type?: string; body?: string; now?: number } = {}) => {
    const { token = TOKEN, type = 'text', body = BODY, now = Date.now() } = changes;
    return webhookHeaders({ token, type, deliveryId: '01ARZ', attempt: 2, body: Buffer.from(body) }, now);
  };
  const post = (headers: Record<string, string>, body = BODY) =>
    fetch(receiver.url, { method: 'POST', headers, body }).then((answer) => answer.status);

  it('accepts calls with token and signature, and replies with the chosen status', async () => {
    expect(await post(headersOf())).to.equal(204);
    status = 503;
    expect(await post(headersOf())).to.equal(503);
    expect(calls[0]).to.deep.equal({ deliveryId: '01ARZ', attempt: 2, event: JSON.parse(BODY), body: BODY });
    expect(refused).to.deep.equal([]);
  });

  it('refuses everything else with 401, and logs why without a secret', async () => {
    const { authorization, ...unsigned } = headersOf();
    const wrong: [Record<string, string>, string][] = [
      [{}, 'authorization'],
      [unsigned, 'authorization'],
      [headersOf({ token: 'token-of-somebody' }), 'bearer token'],
      [{ ...headersOf({ token: 'token-of-somebody' }), authorization: `Bearer ${TOKEN}` }, 'signature'],
      [headersOf({ body: '{}' }), 'signature'],
      [headersOf({ now: Date.now() - 3_600_000 }), 'timestamp'],
    ];
    for (const [headers, reason] of wrong) {
      expect(await post(headers), reason).to.equal(401);
      expect(refused.at(-1)).to.include({ status: 401, from: '127.0.0.1' });
      expect(refused.at(-1)?.reason).to.contain(reason).and.not.contain(TOKEN);
    }
    expect(authorization).to.equal(`Bearer ${TOKEN}`);
    expect(calls).to.deep.equal([]);
  });

  it('answers the reachability check of its own daemon only', async () => {
    const body = '{"event":"listen.check","type":"listen_check"}';
    expect(await post(headersOf({ type: 'listen_check', body }), body)).to.equal(204);
    const strange = headersOf({ type: 'listen_check', body, token: 'token-of-somebody' });
    expect(await post(strange, body)).to.equal(401);
    expect(await post(headersOf({ body }), body)).to.equal(401);
    expect(calls).to.deep.equal([]);
  });

  it('refuses other methods and bodies over the limit', async () => {
    expect((await fetch(receiver.url)).status).to.equal(405);
    expect(await post(headersOf(), 'a'.repeat(8 * 1024 * 1024 + 1))).to.equal(413);
    expect(refused.map((call) => call.status)).to.deep.equal([405, 413]);
  });

  it('survives a caller that disconnects', async () => {
    const call = request(receiver.url, { method: 'POST', headers: { 'content-length': 100 } });
    const cut = new Promise((resolve) => call.on('error', resolve));
    call.flushHeaders();
    call.on('socket', (socket) => socket.once('connect', () => socket.destroy()));
    await cut;
    expect(await post(headersOf())).to.equal(204);
  });

  it('reports that its port is in use', async () => {
    const port = Number(new URL(receiver.url).port);
    const options = { host: '127.0.0.1', port, token: TOKEN, answer: async () => 204, refused: () => {} };
    const { message, suggestions } = await failureOf(startReceiver(options));
    expect(message).to.equal(`cannot listen on 127.0.0.1:${port}: another program listens there`);
    expect(suggestions[0]).to.contain('--port');
  });
});

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

describe('listen: the registration', () => {
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
  const refuse = (status: number, error: string | Reason) =>
    daemon.on('POST /listen-webhook', () => {
      return typeof error === 'string' ? { status, body: { error } } : refusal(status, error);
    });

  it('renews at an interval, and takes over only at the start', async () => {
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

  it('keeps retrying while the daemon does not answer', async () => {
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

  it('renews at an event of the session, and reports a lost registration', async () => {
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

  it('ends when another listener takes over', async () => {
    const registration = new Registration(client, WISH, clock);
    await registration.begin();
    const kept = failureOf(registration.keepUp(end.signal, watch));
    refuse(409, 'somebody listens to session acme already');
    await tick(RENEW_MS);
    expect((await kept).failure).to.equal('conflict');
  });

  it('suggests what to do after a refusal', async () => {
    const advice = async (status: number, error: string | Reason, shown = wordsOf(error)) => {
      refuse(status, error);
      const { message, suggestions } = await failureOf(new Registration(client, WISH, clock).begin());
      expect(message).to.equal(shown);
      return suggestions.join('\n');
    };
    expect(await advice(409, 'somebody listens')).to.contain('--take-over');
    const why = reason('address_private', { where: '127.0.0.1' });
    const guarded = reason('receiver_refuses', { url: 'http://127.0.0.1/', why });
    expect(await advice(502, guarded)).to.contain('SWITCHBOARD_ALLOW_PRIVATE_URLS=true');
    expect(await advice(502, 'no answer within 15 s')).to.contain('--public-url');
    const unknown = reason('session_unknown', { clientId: 'acme' });
    expect(await advice(404, unknown, 'there is no session acme')).to.contain('sessions list');
  });

  it('ends the registration, with retries until the daemon answers', async () => {
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

  it('prints how to restore the webhook if the daemon does not answer', async () => {
    const registration = new Registration(client, WISH, clock);
    await registration.begin();
    await daemon.stop();
    const ended = failureOf(registration.end(client));
    for (let n = 0; n < 10; n += 1) await tick(RETRY_MS);
    const { failure, message, suggestions } = await ended;
    expect(failure).to.equal('unreachable');
    expect(message).to.contain('is restored automatically').and.not.contain(WISH.webhookToken);
    expect(suggestions[0]).to.contain('switchboard api POST /unlisten-webhook -f clientId=acme');
    await daemon.listen();
  });

  it('prints how to restore the webhook if the daemon accepts the call but never answers', async () => {
    daemon.on('POST /unlisten-webhook', () => new Promise(() => undefined));
    const lastCalls = new AbortController();
    const last = new DaemonClient({ url: daemon.url, token: 't', signal: lastCalls.signal });
    const ended = failureOf(new Registration(client, WISH, clock).end(last));
    await daemon.called('/unlisten-webhook');
    lastCalls.abort();
    const { failure, message } = await ended;
    expect(failure).to.equal('unreachable');
    expect(message).to.contain('was not restored: the daemon does not answer within 5 s');
  });

  it('ends without an error if the session was deleted', async () => {
    daemon.on('POST /unlisten-webhook', () => ({ status: 404, body: { error: 'unknown clientId acme' } }));
    expect(await new Registration(client, WISH, clock).end(client)).to.equal('');
  });
});

const wordsOf = (error: string | Reason) => (typeof error === 'string' ? error : textOf(error));
