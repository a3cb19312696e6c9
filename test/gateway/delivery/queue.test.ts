import { expect } from 'chai';
import { inWords } from '../../support/reasons.js';
import { answering, type Respond, silent, startReceiver, type TestReceiver } from '../../support/receiver.js';
import { type PlayedDeliveries, textEvent } from '../../support/rig/deliveries.js';
import { Rig } from '../../support/rig/rig.js';

describe('the queues of deliveries', () => {
  let rig: PlayedDeliveries;
  let slow: TestReceiver;
  let quick: TestReceiver;

  beforeEach(async () => {
    slow = await startReceiver(silent);
    quick = await startReceiver();
  });

  afterEach(async () => {
    await rig.close();
    await slow.stop();
    await quick.stop();
  });

  const announce = (receiver: TestReceiver, messageId?: string) => {
    return rig.dispatcher.announce(textEvent(messageId), { url: receiver.url, token: '' });
  };

  it('holds 32 calls to one origin in flight, and lets another origin pass', async () => {
    rig = (await Rig.start()).deliveries();
    for (let i = 0; i < 40; i++) void announce(slow);
    await slow.received(32);
    expect(rig.dispatcher.inFlight()).to.equal(32);
    expect(rig.dispatcher.waiting()).to.equal(8);
    expect(await announce(quick)).to.include({ delivered: true });
    expect(slow.calls).to.have.length(32);
  });

  it('counts different paths of one origin together, different ports apart', async () => {
    rig = (await Rig.start()).deliveries({ limits: { inFlight: 1, waiting: 10 } });
    void rig.dispatcher.announce(textEvent(), { url: `${slow.url}/a`, token: '' });
    void rig.dispatcher.announce(textEvent(), { url: `${slow.url}/b`, token: '' });
    expect(rig.dispatcher.inFlight()).to.equal(1);
    expect(rig.dispatcher.waiting()).to.equal(1);
    expect(await announce(quick)).to.include({ delivered: true });
  });

  it('delivers waiting events in order once there is room', async () => {
    rig = (await Rig.start()).deliveries({ limits: { inFlight: 1, waiting: 10 } });
    const ids = ['m1', 'm2', 'm3', 'm4'];
    const results = await Promise.all(ids.map((id) => announce(quick, id)));
    expect(results.map(({ delivered }) => delivered)).to.deep.equal([true, true, true, true]);
    expect(quick.calls.map(({ body }) => JSON.parse(body).messageId)).to.deep.equal(ids);
    expect(rig.dispatcher.inFlight() + rig.dispatcher.waiting()).to.equal(0);
  });

  it('drops the oldest waiting event when too many wait', async () => {
    rig = (await Rig.start()).deliveries({ limits: { inFlight: 1, waiting: 2 } });
    void announce(slow, 'under way');
    const first = announce(slow, 'first');
    void announce(slow, 'second');
    void announce(slow, 'third');
    const result = await first;
    expect(inWords(result)).to.include({
      delivered: false,
      reason: 'too many events were waiting for this receiver',
    });
    expect(rig.counted.drops).to.deep.equal(['queue_full']);
    expect(rig.dispatcher.waiting()).to.equal(2);
    const kept = await rig.store.failedDeliveries.list({ limit: 10 });
    expect(kept.map(({ messageId, attempts }) => [messageId, attempts])).to.deep.equal([['first', 0]]);
    expect(rig.shown.at(-1)).to.include({ kind: 'dropped', deliveryId: result.deliveryId });
  });

  it('counts a pause between two attempts as waiting, not as in flight', async () => {
    rig = (await Rig.start()).deliveries({ limits: { inFlight: 1, waiting: 10 } });
    slow.respond(failingFirst('failing'));
    const failing = announce(slow, 'failing');
    await rig.clock.scheduled(500);
    expect([rig.dispatcher.inFlight(), rig.dispatcher.waiting()]).to.deep.equal([0, 1]);
    expect(await announce(slow, 'another')).to.include({ delivered: true });
    rig.clock.advance(500);
    expect(await failing).to.include({ delivered: true });
    expect(slow.calls.map(({ body }) => JSON.parse(body).messageId)).to.deep.equal([
      'failing',
      'another',
      'failing',
    ]);
  });

  it('bounds the events that pause between attempts too', async () => {
    rig = (await Rig.start()).deliveries({ limits: { inFlight: 4, waiting: 2 } });
    slow.respond(answering(503));
    const results = ['m1', 'm2', 'm3'].map((id) => announce(slow, id));
    const first = await Promise.race(results);
    expect(inWords(first).reason).to.equal(
      'too many events were waiting for this receiver (last attempt: answered 503)',
    );
    expect(rig.dispatcher.waiting()).to.equal(2);
  });

  it('keeps the order of thousands of waiting events', async () => {
    rig = (await Rig.start()).deliveries({ limits: { inFlight: 1, waiting: 5_000 } });
    const ids = Array.from({ length: 3_000 }, (_, index) => `m${index}`);
    await Promise.all(ids.map((id) => announce(quick, id)));
    expect(quick.calls.map(({ body }) => JSON.parse(body).messageId)).to.deep.equal(ids);
  });
});

/** 503 to the first call with this message, 200 to all others. */
function failingFirst(messageId: string): Respond {
  return (response, { body }, index) => {
    response.statusCode = index === 0 && JSON.parse(body).messageId === messageId ? 503 : 200;
    response.end();
  };
}
