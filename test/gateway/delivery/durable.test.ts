import { expect } from 'chai';
import type { EventEnvelope } from '../../../src/contract/events/envelope.js';
import { GatewayError } from '../../../src/domain/errors.js';
import type { Receiver } from '../../../src/gateway/delivery/dispatch.js';
import type { DispatcherOptions } from '../../../src/gateway/delivery/dispatcher-options.js';
import type { DurableLimits } from '../../../src/gateway/delivery/durable-queue.js';
import { messageIdentity } from '../../../src/gateway/delivery/event-id.js';
import { Chance } from '../../support/chance.js';
import { inWords, storedInWords } from '../../support/reasons.js';
import { answering, eventIn, silent, startReceiver, type TestReceiver } from '../../support/receiver.js';
import { type PlayedDeliveries, textEvent } from '../../support/rig/deliveries.js';
import { Rig } from '../../support/rig/rig.js';
import { until } from '../../support/until.js';

/** More than the first pauses. */
const STEP_MS = 10_000;
const EVENTS = 100;
const HALF_DAY_MS = 12 * 60 * 60_000;

describe('a receiver with durable retries', () => {
  let rig: PlayedDeliveries;
  let receiver: TestReceiver;
  let other: TestReceiver;

  beforeEach(async () => {
    pauses.clear();
    receiver = await startReceiver();
    other = await startReceiver();
  });

  afterEach(async () => {
    await rig.close();
    await receiver.stop();
    await other.stop();
  });

  /** Why sessions are paused. */
  const pauses = new Map<string, string>();
  const durably = (clientId: string): Receiver => {
    const paused = pauses.get(clientId);
    const url = clientId === 'acme' ? receiver.url : other.url;
    return { url, token: 'secret', retry: 'durable', ...(paused && { paused }) };
  };
  const start = async (durable: Partial<DurableLimits> = {}) => {
    const receivers: DispatcherOptions['receivers'] = {
      receiverOf: durably,
      pause: async ({ clientId }, code) => pauses.set(clientId, code),
    };
    rig = (await Rig.start()).deliveries({ receivers, durable });
  };
  /** @returns ids of events that cannot be read from the store */
  const startDamageable = async () => {
    const damaged = new Set<string>();
    const base = await Rig.start();
    const get = async (id: string) => {
      if (damaged.has(id)) throw new GatewayError('store_damaged', 'it was changed');
      return base.store.waitingDeliveries.get(id);
    };
    rig = base.deliveries({
      receivers: { receiverOf: durably },
      waiting: { ...base.store.waitingDeliveries, get },
    });
    return damaged;
  };
  const identityOf = (event: EventEnvelope) =>
    messageIdentity(event, { room: event.chatRoomId, author: '', isSealed: false });
  const announce = (messageId: string, chat = 'chat-1', clientId = 'acme') => {
    const event = { ...textEvent(messageId, clientId), chatRoomId: chat };
    return rig.dispatcher.announce(event, durably(clientId), {
      identity: identityOf(event),
      keptByCaller: true,
    });
  };
  const accepted = () =>
    receiver.calls.flatMap((call) => {
      const event = eventIn(call);
      return event ? [event] : [];
    });
  const waiting = async () =>
    (await rig.store.waitingDeliveries.list('acme')).map(({ messageId }) => messageId);
  const failed = async () =>
    (await rig.store.failedDeliveries.list({ clientId: 'acme', limit: 99 })).map(
      ({ messageId }) => messageId,
    );
  const nothingWaits = () => until('an empty queue', async () => (await waiting()).length === 0);
  /** Moves the clock whenever no call is in flight, until that holds. */
  const passTime = (ms: number, done: () => boolean | Promise<boolean>) =>
    until('the end of the wait', async () => {
      if (await done()) return true;
      if (rig.dispatcher.inFlight() === 0) rig.clock.advance(ms);
      return false;
    });

  it('gets everything after it was down for more than a minute, in the order of each chat', async () => {
    await start();
    receiver.respond(answering(503));
    const began = rig.clock.now();
    for (let n = 1; n <= 4; n++) {
      for (const chat of ['a', 'b', 'c']) {
        expect(await announce(`${chat}${n}`, chat)).to.include({ delivered: false, waiting: true });
      }
    }
    await passTime(STEP_MS, () => rig.clock.now() - began > 90_000);
    expect(await waiting()).to.have.length(12);
    const down = receiver.calls.length;
    receiver.respond(answering(200));
    await passTime(STEP_MS, async () => (await waiting()).length === 0);
    const got = accepted().slice(down);
    for (const chat of ['a', 'b', 'c']) {
      const ids = got.filter(({ chatRoomId }) => chatRoomId === chat).map(({ messageId }) => messageId);
      expect(ids).to.deep.equal([1, 2, 3, 4].map((n) => `${chat}${n}`));
    }
    expect(await failed()).to.deep.equal([]);
  });

  it('is called once at a time while it is down, for one chat after the other', async () => {
    await start();
    receiver.respond(answering(503));
    for (const chat of ['a', 'b', 'c']) await announce(`${chat}1`, chat);
    await passTime(STEP_MS, () => rig.dispatcher.durable.waiting('acme')?.circuit === 'open');
    await until('the calls', async () => rig.dispatcher.inFlight() === 0);
    let inFlight = 0;
    let most = 0;
    const chats = new Set<string>();
    receiver.respond((response, call) => {
      most = Math.max(most, ++inFlight);
      chats.add(eventIn(call)?.chatRoomId ?? '');
      response.on('finish', () => inFlight--);
      response.writeHead(503).end();
    });
    await passTime(STEP_MS, () => chats.size === 3);
    expect(most).to.equal(1);
    expect(rig.dispatcher.durable.waiting('acme')).to.include({ events: 3, circuit: 'open' });
    expect(rig.dispatcher.figures('acme')).to.include({ delivered: 0, dropped: 0 });
  });

  const chance = new Chance();
  it(`is tried at once for each new chat while it fails half of its calls (seed ${chance.seed})`, async () => {
    await start();
    const tried = new Set<string>();
    // one of each two calls: eight failures in a row mean that a receiver is down
    let statuses: number[] = [];
    receiver.respond((response, call) => {
      tried.add(eventIn(call)?.messageId ?? '');
      if (statuses.length === 0) statuses = chance.pick([200, 500], [500, 200]);
      response.writeHead(statuses.shift() ?? 500).end();
    });
    const idle = () => until('the calls', async () => rig.dispatcher.inFlight() === 0);
    let late = 0;
    for (let n = 1; n <= EVENTS; n++) {
      await announce(`m${n}`, `chat-${n}`);
      await idle();
      if (!tried.has(`m${n}`)) late += 1;
      rig.clock.advance(100);
    }
    expect(late).to.be.below(EVENTS / 20);
    await passTime(STEP_MS, async () => (await waiting()).length === 0);
    expect(await failed()).to.deep.equal([]);
  });

  it('gets the events of other chats at once while it refuses those of a few', async () => {
    await start();
    const refused = (chat: string | undefined) => chat?.startsWith('refused') === true;
    receiver.respond((response, call) =>
      response.writeHead(refused(eventIn(call)?.chatRoomId) ? 500 : 200).end(),
    );
    for (const chat of ['refused-1', 'refused-2', 'refused-3']) await announce(chat, chat);
    await passTime(STEP_MS, () => rig.dispatcher.durable.waiting('acme')?.circuit === 'open');
    await until('the calls', async () => rig.dispatcher.inFlight() === 0);
    const began = rig.clock.now();
    await announce('healthy', 'healthy');
    await until('the event', async () => !(await waiting()).includes('healthy'));
    expect(rig.clock.now()).to.equal(began);
    expect(rig.dispatcher.durable.waiting('acme')).to.include({ circuit: 'closed' });
  });

  it('gets few calls while it is down, however many events arrive', async () => {
    await start();
    receiver.respond(answering(503));
    const announced = async (n: number) => announce(`m${n}`, `chat-${n}`);
    for (let n = 0; n < 100; n++) await announced(n);
    await passTime(1_000, () => rig.dispatcher.durable.waiting('acme')?.circuit === 'open');
    await until('the calls', async () => rig.dispatcher.inFlight() === 0);
    const [began, before] = [rig.clock.now(), receiver.calls.length];
    let n = 100;
    await passTime(1_000, async () => {
      await announced(n++);
      return rig.clock.now() - began >= 60_000;
    });
    // pauses of 1, 2, 5, 10, 20 and 30 s, each a fifth shorter at most
    expect(receiver.calls.length - before).to.be.within(4, 7);
  });

  it('shows the age of its waiting events, even while its one failing chat opens no circuit', async () => {
    await start();
    expect(rig.dispatcher.durable.totals().waitedMs).to.equal(0);
    receiver.respond(answering(503));
    await announce('m1');
    const began = rig.clock.now();
    await passTime(STEP_MS, () => rig.clock.now() - began > 90_000);
    const { waitedMs, open } = rig.dispatcher.durable.totals();
    expect([waitedMs, open]).to.deep.equal([rig.clock.now() - began, 0]);
    receiver.respond(answering(200));
    await passTime(STEP_MS, async () => (await waiting()).length === 0);
    await until('the end of the call', async () => rig.dispatcher.inFlight() === 0);
    expect(rig.dispatcher.durable.totals().waitedMs).to.equal(0);
  });

  it('does not delay the receiver of another session when it does not answer', async () => {
    await start();
    receiver.respond(silent);
    for (let n = 0; n < 50; n++) await announce(`m${n}`, `chat-${n}`);
    await announce('quick', 'chat-1', 'globex');
    expect(eventIn(await other.find(() => true))?.messageId).to.equal('quick');
    expect(rig.dispatcher.figures('acme').inFlight).to.equal(8);
  });

  it('gets its waiting events under the same ids when the gateway starts again', async () => {
    await start();
    receiver.respond(answering(503));
    const { deliveryId } = await announce('m1');
    await announce('m2');
    await receiver.received(1);
    await until('the note', async () => (await rig.store.waitingDeliveries.get(deliveryId))?.attempts === 1);
    await rig.dispatcher.stop(0);
    receiver.respond(answering(200));
    const before = receiver.calls.length;
    const next = rig.restarted();
    await next.durable.resume('acme');
    await nothingWaits();
    await next.stop(0);
    expect(
      accepted()
        .slice(before)
        .map(({ messageId }) => messageId),
    ).to.deep.equal(['m1', 'm2']);
    const [again] = receiver.calls.slice(before);
    expect(again?.headers).to.include({ 'x-sn-delivery': deliveryId, 'x-sn-attempt': '2' });
  });

  it('gets no waiting event from a node that releases the session, and all of them in order from the next node', async () => {
    await start();
    receiver.respond(answering(503));
    await announce('m1');
    await rig.clock.scheduled(1_000);
    await rig.dispatcher.durable.finish('acme');
    await announce('m2');
    rig.clock.advance(STEP_MS);
    expect(receiver.calls).to.have.length(1);
    receiver.respond(answering(200));
    const next = rig.restarted();
    await next.durable.resume('acme');
    await nothingWaits();
    await next.stop(0);
    expect(accepted().map(({ messageId }) => messageId)).to.deep.equal(['m1', 'm1', 'm2']);
  });

  it('has the oldest events beyond its limit moved to the failed deliveries, and counted', async () => {
    await start({ bytes: 4_000 });
    receiver.respond(answering(503));
    await announce('m0');
    await receiver.received(1);
    await until('the calls', async () => rig.dispatcher.inFlight() === 0);
    for (let n = 1; n < 6; n++) await announce(`m${n}`);
    const kept = await waiting();
    const lost = await failed();
    expect(kept.length).to.be.within(1, 5);
    expect([...lost.sort(), ...kept]).to.deep.equal(['m0', 'm1', 'm2', 'm3', 'm4', 'm5']);
    expect(rig.counted.drops).to.deep.equal(lost.map(() => 'queue_full'));
    expect(rig.dispatcher.durable.waiting('acme')?.bytes).to.be.at.most(4_000);
  });

  it('is given up for an event after 72 hours, which is then a failed delivery', async () => {
    await start();
    receiver.respond(answering(503));
    const { deliveryId } = await announce('m1');
    await receiver.received(1);
    await passTime(HALF_DAY_MS, async () => (await waiting()).length === 0);
    const kept = await rig.store.failedDeliveries.get(deliveryId);
    expect(kept && storedInWords(kept).reason).to.equal(
      'not delivered within 72 hours (last attempt: answered 503)',
    );
    expect(kept?.attempts).to.be.greaterThan(1);
    expect(rig.counted.drops).to.deep.equal(['exhausted']);
  });

  it('loses an event that it refuses, and gets the next one of the chat', async () => {
    await start();
    receiver.respond(answering(422, 200));
    await announce('m1');
    await announce('m2');
    await nothingWaits();
    expect(await failed()).to.deep.equal(['m1']);
    expect(accepted().map(({ messageId }) => messageId)).to.deep.equal(['m1', 'm2']);
  });

  it('gets an event again that it refused for its token or its address', async () => {
    await start();
    receiver.respond(answering(401, 404, 302, 200));
    await announce('m1');
    await passTime(STEP_MS, async () => (await waiting()).length === 0);
    expect(receiver.calls.map(({ headers }) => headers['x-sn-attempt'])).to.deep.equal(['1', '2', '3', '4']);
    expect(await failed()).to.deep.equal([]);
  });

  it('gets the events that follow a damaged one in the store', async () => {
    const damaged = await startDamageable();
    receiver.respond(answering(503, 200));
    const { deliveryId } = await announce('m1');
    damaged.add(deliveryId);
    await announce('m2');
    await passTime(STEP_MS, async () => accepted().some(({ messageId }) => messageId === 'm2'));
    await until('the removal', async () => (await waiting()).length === 1);
    expect(await waiting()).to.deep.equal(['m1']);
    expect(rig.dispatcher.durable.waiting('acme')).to.equal(undefined);
  });

  it('stays down after an event that is damaged in the store', async () => {
    const damaged = await startDamageable();
    receiver.respond(answering(503));
    const { deliveryId } = await announce('a1', 'a');
    for (const chat of ['b', 'c']) await announce(`${chat}1`, chat);
    const state = () => rig.dispatcher.durable.waiting('acme');
    await passTime(STEP_MS, () => state()?.circuit === 'open');
    damaged.add(deliveryId);
    await passTime(STEP_MS, () => state()?.events === 2);
    expect(state()?.circuit).to.equal('open');
  });

  it('is tried at once when its address or token has changed', async () => {
    await start();
    receiver.respond(answering(503, 503, 200));
    await announce('m1');
    await rig.clock.scheduled(1_000);
    rig.clock.advance(1_000);
    await rig.clock.scheduled(2_000);
    rig.dispatcher.durable.retryNow('acme');
    await nothingWaits();
    expect(receiver.calls).to.have.length(3);
  });

  it('is paused by its 410, gets no call while it is paused, and then gets all events in order', async () => {
    await start();
    receiver.respond(answering(410));
    await announce('m1');
    await until('the pause', async () => pauses.get('acme') === 'gone');
    await until('the end of the call', async () => rig.dispatcher.inFlight() === 0);
    await announce('m2', 'chat-2');
    await announce('m3');
    rig.clock.advance(HALF_DAY_MS);
    await announce('m1', 'chat-1', 'other');
    expect(receiver.calls).to.have.length(1);
    expect(await waiting()).to.deep.equal(['m1', 'm2', 'm3']);
    expect(await failed()).to.deep.equal([]);
    const next = rig.restarted();
    await next.durable.resume('acme');
    expect(receiver.calls).to.have.length(1);
    receiver.respond(answering(200));
    pauses.clear();
    next.durable.retryNow('acme');
    await nothingWaits();
    await next.stop(0);
    const chat = accepted().filter(({ chatRoomId }) => chatRoomId === 'chat-1');
    expect(chat.map(({ messageId }) => messageId)).to.deep.equal(['m1', 'm1', 'm3']);
  });

  it('has events that waited for 72 hours moved to the failed deliveries, even while it is paused', async () => {
    await start();
    pauses.set('acme', 'an operator paused it');
    await announce('m1');
    rig.clock.advance(7 * HALF_DAY_MS);
    await announce('m2');
    expect(await waiting()).to.deep.equal(['m2']);
    expect(await failed()).to.deep.equal(['m1']);
    expect(receiver.calls).to.deep.equal([]);
  });

  it('gets an event under one id, even if it is announced again after a crash', async () => {
    await start();
    receiver.respond(silent);
    const first = await announce('m1');
    const again = await announce('m1');
    const different = await announce('m2');
    expect(again.deliveryId).to.equal(first.deliveryId);
    expect(different.deliveryId).to.not.equal(first.deliveryId);
    expect(await waiting()).to.deep.equal(['m1', 'm2']);
  });

  it('gets four attempts for an event that the store refuses, unless the caller keeps the event', async () => {
    const base = await Rig.start();
    const refuse = async () => {
      throw new GatewayError('store_unavailable', 'the store is away');
    };
    const store = { ...base.store.waitingDeliveries, add: refuse };
    rig = base.deliveries({ receivers: { receiverOf: durably }, waiting: store });
    expect(await announce('m1')).to.include({ delivered: false, interrupted: true });
    expect(receiver.calls).to.deep.equal([]);
    expect(await rig.dispatcher.announce(textEvent('m2'), durably('acme'))).to.include({ delivered: true });
  });

  describe('a receiver with durable retries, beside other receivers of its session', () => {
    /** Receivers beside the webhook; those that are not here were removed. */
    const others = new Map<string, Receiver>();
    const startWith = async () => {
      others.clear();
      others.set('2', { receiverId: '2', url: other.url, token: 'other', retry: 'durable' });
      rig = (await Rig.start()).deliveries({
        receivers: {
          receiverOf: (clientId, id) => (id === undefined ? durably(clientId) : others.get(id)),
          isRemoved: (_clientId, id) => !others.has(id),
          pause: async ({ receiverId = 'webhook' }, code) => pauses.set(receiverId, code),
        },
      });
    };
    const toOther = (messageId: string) => {
      const receiver = others.get('2');
      if (!receiver) throw new Error('it was removed');
      const event = textEvent(messageId);
      return rig.dispatcher.deliver(event, receiver, { identity: identityOf(event), keptByCaller: true });
    };

    it('has its own queue, figures, circuit and delivery ids', async () => {
      await startWith();
      other.respond(answering(503));
      const webhook = await announce('m1');
      const second = await toOther('m1');
      expect(second).to.include({ waiting: true });
      expect(second.deliveryId).not.to.equal(webhook.deliveryId);
      expect((await toOther('m1')).deliveryId).to.equal(second.deliveryId);
      await until('the webhook', async () => (await waiting()).length === 1);
      await other.received(1);
      await until('the calls', async () => rig.dispatcher.inFlight() === 0);
      expect(rig.dispatcher.durable.waiting('acme')).to.equal(undefined);
      expect(rig.dispatcher.durable.waiting('acme', '2')).to.include({ events: 1 });
      expect(rig.dispatcher.figures('acme')).to.include({ delivered: 1, waiting: 0 });
      expect(rig.dispatcher.figures('acme', '2')).to.include({ delivered: 0, waiting: 1 });
      other.respond(answering(200));
      rig.dispatcher.durable.retryNow('acme', '2');
      await nothingWaits();
      expect(rig.dispatcher.figures('acme', '2')).to.include({ delivered: 1 });
      expect(other.calls.at(-1)?.headers['x-sn-delivery']).to.equal(second.deliveryId);
    });

    it('is paused by its own 410, and no other receiver is', async () => {
      await startWith();
      other.respond(answering(410));
      await toOther('m1');
      await until('the pause', async () => pauses.size > 0);
      expect([...pauses]).to.deep.equal([['2', 'gone']]);
    });

    it('is tried by its own schedule, and given up after its own time', async () => {
      await startWith();
      const schedule = { pausesMs: [60_000], giveUpMs: HALF_DAY_MS / 12 };
      others.set('2', { receiverId: '2', url: other.url, token: '', retry: 'durable', schedule });
      other.respond(answering(503));
      const { deliveryId } = await toOther('m1');
      await rig.clock.scheduled(60_000);
      expect(other.calls).to.have.length(1);
      await passTime(HALF_DAY_MS, async () => (await waiting()).length === 0);
      const kept = await rig.store.failedDeliveries.get(deliveryId);
      expect(kept && storedInWords(kept)).to.include({
        receiver: '2',
        reason: 'not delivered within 1 hour (last attempt: answered 503)',
      });
    });

    it('gets no event after it was removed, and its waiting events from before a crash are dropped', async () => {
      await startWith();
      other.respond(answering(503));
      await toOther('m1');
      await other.received(1);
      await rig.dispatcher.stop(0);
      others.clear();
      const before = other.calls.length;
      const next = rig.restarted();
      await next.durable.resume('acme');
      await nothingWaits();
      await next.stop(0);
      expect(other.calls).to.have.length(before);
      expect(await failed()).to.deep.equal([]);
    });
  });

  it('is opt-in: by default no delivery is stored', async () => {
    await start();
    receiver.respond(answering(500));
    const { url, token } = durably('acme');
    const result = rig.dispatcher.announce(textEvent('m1'), { url, token });
    for (const pauseMs of [500, 1_000, 2_000]) {
      await rig.clock.scheduled(pauseMs);
      expect(await waiting()).to.deep.equal([]);
      rig.clock.advance(pauseMs);
    }
    expect(inWords(await result)).to.include({ delivered: false, reason: 'answered 500' });
    expect(receiver.calls).to.have.length(4);
  });
});
