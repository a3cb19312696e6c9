import { expect } from 'chai';
import { pino } from 'pino';
import { GatewayError } from '../../src/domain/errors.js';
import { createDeliveries } from '../../src/services/deliveries.js';
import { Listeners } from '../../src/services/listeners.js';
import type { ListenWish } from '../../src/services/services.js';
import { makeRig, type Rig, textEvent } from '../delivery/rig.js';
import {
  answering,
  type ReceivedCall,
  silent,
  startReceiver,
  type TestReceiver,
} from '../support/receiver.js';

const STATUS = { clientId: 'acme', type: 'session_status' };
const REGISTERED_TOKEN = 'token-of-the-webhook';

describe('listeners', () => {
  let rig: Rig;
  let webhook: TestReceiver;
  let listener: TestReceiver;
  let sessions: Map<string, { createdAt: number; webhookUrl: string }>;
  let listeners: Listeners;

  beforeEach(async () => {
    rig = await makeRig();
    webhook = await startReceiver();
    listener = await startReceiver();
    sessions = new Map([
      ['acme', { createdAt: 1, webhookUrl: webhook.url }],
      ['mute', { createdAt: 1, webhookUrl: '' }],
    ]);
    listeners = listenersOver(rig);
  });
  afterEach(async () => {
    await rig.close();
    await webhook.stop();
    await listener.stop();
  });

  const listenersOver = ({ dispatcher, clock }: Rig) =>
    new Listeners({
      sessions: {
        has: (clientId) => sessions.has(clientId),
        find(clientId) {
          const session = sessions.get(clientId);
          if (session) return session;
          throw new GatewayError('session_unknown', `unknown clientId ${clientId}`);
        },
      },
      dispatcher,
      clock,
      log: pino({ level: 'silent' }),
    });
  const wish = (changes: Partial<ListenWish> = {}): ListenWish => ({
    clientId: 'acme',
    webhookUrl: listener.url,
    webhookToken: 'token-of-the-listener',
    extraEvents: [],
    seconds: 30,
    takeOver: false,
    ...changes,
  });
  const registered = () => ({ url: webhook.url, token: REGISTERED_TOKEN });
  /** Announces a message and says where it went. */
  const announce = (messageId?: string) => {
    const event = textEvent(messageId);
    return rig.dispatcher.announce(event, listeners.inFront(event, registered()));
  };
  const typesOf = (calls: readonly ReceivedCall[]) => calls.map(({ headers }) => headers['x-sn-event']);
  const codeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'none',
      (error: unknown) => (error instanceof GatewayError ? error.code : String(error)),
    );

  it('take the events of a session, with their own token, once they have answered a call', async () => {
    const view = await listeners.listen(wish());
    expect(view).to.deep.equal({
      clientId: 'acme',
      webhookUrl: listener.url,
      registeredUrl: webhook.url,
      expiresAt: new Date(rig.clock.now() + 30_000).toISOString(),
      renewed: false,
    });
    expect(await announce()).to.include({ delivered: true });
    expect(typesOf(listener.calls)).to.deep.equal(['listen_check', 'text']);
    for (const { headers } of listener.calls) {
      expect(headers.authorization).to.equal('Bearer token-of-the-listener');
      expect(headers['webhook-signature']).to.match(/^v1,/);
    }
    expect(webhook.calls).to.deep.equal([]);
  });

  it('give them back when they end, whoever ends them', async () => {
    await listeners.listen(wish());
    expect(listeners.end('acme', 'token-of-somebody-else')).to.equal(false);
    expect(listeners.view('acme')).to.include({ webhookUrl: listener.url });
    expect(listeners.end('acme', 'token-of-the-listener')).to.equal(true);
    expect(listeners.end('acme')).to.equal(false);
    await announce();
    expect(webhook.calls[0]?.headers.authorization).to.equal(`Bearer ${REGISTERED_TOKEN}`);
    await listeners.listen(wish());
    expect(listeners.end('acme')).to.equal(true);
    expect(listeners.view('acme')).to.equal(undefined);
  });

  it('expire when they are not renewed', async () => {
    await listeners.listen(wish());
    rig.clock.advance(29_000);
    await listeners.listen(wish());
    rig.clock.advance(29_999);
    expect(listeners.view('acme')).to.include({ webhookUrl: listener.url });
    rig.clock.advance(1);
    expect(listeners.view('acme')).to.equal(undefined);
    await announce();
    expect(typesOf(webhook.calls)).to.deep.equal(['text']);
  });

  it('are asked once, not at each renewal', async () => {
    expect(await listeners.listen(wish())).to.include({ renewed: false });
    expect(await listeners.listen(wish())).to.include({ renewed: true });
    await listeners.listen(wish({ seconds: 60 }));
    expect(typesOf(listener.calls)).to.deep.equal(['listen_check']);
  });

  it('are not waited for where the session has left, and are as new ones when it is back', async () => {
    await listeners.listen(wish());
    listeners.forget('acme');
    await announce();
    expect(typesOf(webhook.calls)).to.deep.equal(['text']);
    expect(await listeners.listen(wish())).to.include({ renewed: false });
    listeners.forget('acme');
    await listeners.listen(wish({ webhookToken: 'token-of-another-one' }));
    expect(await codeOf(listeners.listen(wish()))).to.equal('webhook_taken');
  });

  it('lose what they do not answer to the webhook, and their place with it', async () => {
    await listeners.listen(wish());
    await listener.stop();
    const result = announce();
    for (const delay of [500, 1_000, 2_000]) {
      await rig.clock.scheduled(delay);
      rig.clock.advance(delay);
    }
    expect(await result).to.include({ delivered: true });
    expect(typesOf(webhook.calls)).to.deep.equal(['text']);
    expect(webhook.calls[0]?.headers).to.include({
      authorization: `Bearer ${REGISTERED_TOKEN}`,
      'x-sn-attempt': '1',
    });
    expect(await rig.store.failedDeliveries.list({ limit: 10 })).to.deep.equal([]);
    expect(listeners.view('acme')).to.equal(undefined);
  });

  it('do not hold up what waits for an answer once they are gone', async () => {
    await listeners.listen(wish());
    listener.respond(silent);
    const result = announce();
    await listener.received(2);
    rig.clock.advance(30_000);
    await rig.clock.scheduled(500);
    rig.clock.advance(500);
    expect(await result).to.include({ delivered: true });
    expect(typesOf(listener.calls)).to.deep.equal(['listen_check', 'text']);
    expect(typesOf(webhook.calls)).to.deep.equal(['text']);
  });

  it('keep what they have answered with an error, gone or not', async () => {
    await listeners.listen(wish());
    listener.respond(answering(500));
    const result = announce();
    await listener.received(2);
    listeners.end('acme');
    for (const delay of [500, 1_000, 2_000]) {
      await rig.clock.scheduled(delay);
      rig.clock.advance(delay);
    }
    expect(await result).to.include({ delivered: false, reason: 'answered 500' });
    expect(webhook.calls).to.deep.equal([]);
  });

  it('keep their place when they answer with an error: the event fails as anywhere', async () => {
    await listeners.listen(wish());
    listener.respond(answering(410));
    expect(await announce()).to.include({ delivered: false, reason: 'answered 410' });
    expect(webhook.calls).to.deep.equal([]);
    expect(await rig.store.failedDeliveries.list({ limit: 10 })).to.have.length(1);
    expect(listeners.view('acme')).to.include({ webhookUrl: listener.url });
  });

  it('do not begin when nobody answers, or somebody else', async () => {
    listener.respond(answering(401));
    expect(await codeOf(listeners.listen(wish()))).to.equal('webhook_unreachable');
    await listener.stop();
    expect(await codeOf(listeners.listen(wish()))).to.equal('webhook_unreachable');
    expect(listeners.view('acme')).to.equal(undefined);
  });

  it('do not begin inside a network that must not be called, and it is said how to permit it', async () => {
    const strict = await makeRig({ allowPrivate: false });
    const refused = listenersOver(strict).listen(wish());
    const message = await refused.then(
      () => 'none',
      (error: Error) => error.message,
    );
    await strict.close();
    expect(message).to.contain('127.0.0.1').and.contain('--allow-private-urls');
    expect(listener.calls).to.deep.equal([]);
  });

  it('are one at a time, unless the other is pushed aside', async () => {
    await listeners.listen(wish());
    const second = wish({ webhookToken: 'token-of-another-one' });
    expect(await codeOf(listeners.listen(second))).to.equal('webhook_taken');
    await listeners.listen({ ...second, takeOver: true });
    expect(await codeOf(listeners.listen(wish()))).to.equal('webhook_taken');
    expect(listeners.end('acme', 'token-of-the-listener')).to.equal(false);
  });

  it('get opt-in events when they or the session asked for them', async () => {
    expect(listeners.inFront(STATUS, undefined)).to.equal(undefined);
    await listeners.listen(wish());
    expect(listeners.inFront(STATUS, undefined)).to.equal(undefined);
    expect(listeners.inFront(STATUS, registered())).to.include({ url: listener.url });
    await listeners.listen(wish({ extraEvents: ['session_status'] }));
    expect(listeners.inFront(STATUS, undefined)).to.include({ url: listener.url });
  });

  it('get what is sent by hand, whatever they asked for', async () => {
    expect(listeners.inFrontByHand('mute', undefined)).to.equal(undefined);
    await listeners.listen(wish({ clientId: 'mute' }));
    const session = { webhookUrl: '', webhookToken: '', orgId: '', lid: '' };
    const deliveries = createDeliveries({
      sessions: { find: () => session },
      listening: listeners,
      dispatcher: rig.dispatcher,
      failed: rig.store.failedDeliveries,
      clock: rig.clock,
    });
    expect(await deliveries.sendTestEvent('mute', 'session_status')).to.include({ delivered: true });
    expect(typesOf(listener.calls)).to.deep.equal(['listen_check', 'session_status']);
  });

  it('do for a session without a webhook too', async () => {
    expect(await listeners.listen(wish({ clientId: 'mute' }))).to.include({ registeredUrl: '' });
    expect(listeners.inFront({ clientId: 'mute', type: 'text' }, undefined)).to.include({
      url: listener.url,
    });
  });

  it('go with their session', async () => {
    await listeners.listen(wish());
    sessions.set('acme', { createdAt: 2, webhookUrl: webhook.url });
    expect(listeners.view('acme')).to.equal(undefined);
    await listeners.listen(wish());
    sessions.delete('acme');
    expect(listeners.inFront({ clientId: 'acme', type: 'text' }, undefined)).to.equal(undefined);
    expect(await codeOf(listeners.listen(wish()))).to.equal('session_unknown');
  });
});
