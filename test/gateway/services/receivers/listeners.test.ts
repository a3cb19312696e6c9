import { expect } from 'chai';
import { pino } from 'pino';
import type { ListenWish } from '../../../../src/contract/index.js';
import { GatewayError } from '../../../../src/domain/errors.js';
import { createDeliveries } from '../../../../src/gateway/services/receivers/deliveries.js';
import { Listeners } from '../../../../src/gateway/services/receivers/listeners.js';
import { inWords } from '../../../support/reasons.js';
import {
  answering,
  type ReceivedCall,
  silent,
  startReceiver,
  type TestReceiver,
} from '../../../support/receiver.js';
import { type PlayedDeliveries, textEvent } from '../../../support/rig/deliveries.js';
import { Rig } from '../../../support/rig/rig.js';

const STATUS = { clientId: 'acme', type: 'session_status' };
const REGISTERED_TOKEN = 'token-of-the-webhook';

describe('listeners', () => {
  let rig: PlayedDeliveries;
  let webhook: TestReceiver;
  let listener: TestReceiver;
  let sessions: Map<string, { createdAt: number; webhookUrl: string }>;
  let listeners: Listeners;

  beforeEach(async () => {
    rig = (await Rig.start()).deliveries();
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

  const listenersOver = ({ dispatcher, clock }: PlayedDeliveries) =>
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

  it('receives the events of a session, with its own token, once it has answered a call', async () => {
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

  it('returns the events to the webhook, however it ends', async () => {
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

  it('a listener expires when it is not renewed', async () => {
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

  it('a listener is probed once, not at each renewal', async () => {
    expect(await listeners.listen(wish())).to.include({ renewed: false });
    expect(await listeners.listen(wish())).to.include({ renewed: true });
    await listeners.listen(wish({ seconds: 60 }));
    expect(typesOf(listener.calls)).to.deep.equal(['listen_check']);
  });

  it('does not delay a session that has left, and is probed again when the session is back', async () => {
    await listeners.listen(wish());
    listeners.forget('acme');
    await announce();
    expect(typesOf(webhook.calls)).to.deep.equal(['text']);
    expect(await listeners.listen(wish())).to.include({ renewed: false });
    listeners.forget('acme');
    await listeners.listen(wish({ webhookToken: 'token-of-another-one' }));
    expect(await codeOf(listeners.listen(wish()))).to.equal('webhook_taken');
  });

  it('loses unanswered events to the webhook, and its registration', async () => {
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

  it('does not delay waiting events once it has disconnected', async () => {
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

  it('keeps an event that it answered with an error, whether or not it is connected', async () => {
    await listeners.listen(wish());
    listener.respond(answering(500));
    const result = announce();
    await listener.received(2);
    listeners.end('acme');
    for (const delay of [500, 1_000, 2_000]) {
      await rig.clock.scheduled(delay);
      rig.clock.advance(delay);
    }
    expect(inWords(await result)).to.include({ delivered: false, reason: 'answered 500' });
    expect(webhook.calls).to.deep.equal([]);
  });

  it('a listener stays registered when it answers with an error, and the event fails', async () => {
    await listeners.listen(wish());
    listener.respond(answering(410));
    expect(inWords(await announce())).to.include({ delivered: false, reason: 'answered 410' });
    expect(webhook.calls).to.deep.equal([]);
    expect(await rig.store.failedDeliveries.list({ limit: 10 })).to.have.length(1);
    expect(listeners.view('acme')).to.include({ webhookUrl: listener.url });
  });

  it('a listener is refused when no program or another one answers the probe', async () => {
    listener.respond(answering(401));
    expect(await codeOf(listeners.listen(wish()))).to.equal('webhook_unreachable');
    await listener.stop();
    expect(await codeOf(listeners.listen(wish()))).to.equal('webhook_unreachable');
    expect(listeners.view('acme')).to.equal(undefined);
  });

  it('a listener is refused in a private network, and the error names the setting that permits it', async () => {
    const strict = (await Rig.start()).deliveries({ allowPrivate: false });
    const refused = listenersOver(strict).listen(wish());
    const message = await refused.then(
      () => 'none',
      (error: Error) => error.message,
    );
    await strict.close();
    expect(message).to.contain('127.0.0.1').and.contain('--allow-private-urls');
    expect(listener.calls).to.deep.equal([]);
  });

  it('a listener is the only listener of its session, unless it takes over', async () => {
    await listeners.listen(wish());
    const second = wish({ webhookToken: 'token-of-another-one' });
    expect(await codeOf(listeners.listen(second))).to.equal('webhook_taken');
    await listeners.listen({ ...second, takeOver: true });
    expect(await codeOf(listeners.listen(wish()))).to.equal('webhook_taken');
    expect(listeners.end('acme', 'token-of-the-listener')).to.equal(false);
  });

  it('receives opt-in events if it or the session subscribed to them', async () => {
    expect(listeners.inFront(STATUS, undefined)).to.equal(undefined);
    await listeners.listen(wish());
    expect(listeners.inFront(STATUS, undefined)).to.equal(undefined);
    expect(listeners.inFront(STATUS, registered())).to.include({ url: listener.url });
    await listeners.listen(wish({ extraEvents: ['session_status'] }));
    expect(listeners.inFront(STATUS, undefined)).to.include({ url: listener.url });
  });

  it('receives events that are sent by hand, whatever it subscribed to', async () => {
    expect(listeners.inFrontByHand('mute', undefined)).to.equal(undefined);
    await listeners.listen(wish({ clientId: 'mute' }));
    const noToken = { webhookToken: '', previousToken: null, previousTokenUntil: 0 };
    const session = { webhookUrl: '', ...noToken, receivers: null, orgId: '', lid: '' };
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

  it('works for a session without a webhook', async () => {
    expect(await listeners.listen(wish({ clientId: 'mute' }))).to.include({ registeredUrl: '' });
    expect(listeners.inFront({ clientId: 'mute', type: 'text' }, undefined)).to.include({
      url: listener.url,
    });
  });

  it('a listener ends with its session', async () => {
    await listeners.listen(wish());
    sessions.set('acme', { createdAt: 2, webhookUrl: webhook.url });
    expect(listeners.view('acme')).to.equal(undefined);
    await listeners.listen(wish());
    sessions.delete('acme');
    expect(listeners.inFront({ clientId: 'acme', type: 'text' }, undefined)).to.equal(undefined);
    expect(await codeOf(listeners.listen(wish()))).to.equal('session_unknown');
  });
});
