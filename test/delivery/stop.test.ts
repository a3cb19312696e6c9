import { expect } from 'chai';
import { answering, silent, startReceiver, type TestReceiver } from '../support/receiver.js';
import { makeRig, type Rig, textEvent } from './rig.js';

const GRACE_MS = 8_000;

describe('the end of all deliveries', () => {
  let rig: Rig;
  let receiver: TestReceiver;

  beforeEach(async () => {
    rig = await makeRig({ limits: { inFlight: 1, waiting: 10 } });
    receiver = await startReceiver();
  });

  afterEach(async () => {
    await rig.close();
    await receiver.stop();
  });

  const announce = (messageId?: string) => {
    return rig.dispatcher.announce(textEvent(messageId), { url: receiver.url, token: '' });
  };

  it('is immediate when nothing is under way', async () => {
    await announce();
    await rig.dispatcher.stop(GRACE_MS);
    expect(rig.clock.pending()).to.deep.equal([]);
  });

  it('waits for what is in flight and what waits behind it', async () => {
    let answer = () => {};
    receiver.respond((response) => {
      answer = () => response.end();
    });
    const announced = [announce('m1'), announce('m2')];
    await receiver.received(1);
    const stopped = rig.dispatcher.stop(GRACE_MS);
    receiver.respond(answering(200));
    answer();
    await stopped;
    expect((await Promise.all(announced)).map(({ delivered }) => delivered)).to.deep.equal([true, true]);
  });

  it('lets a retry that is due within the grace happen', async () => {
    receiver.respond(answering(503, 200));
    const announced = announce();
    await rig.clock.scheduled(500);
    const stopped = rig.dispatcher.stop(GRACE_MS);
    rig.clock.advance(500);
    await stopped;
    expect(await announced).to.include({ delivered: true });
  });

  it('breaks off what takes longer, and keeps it and all that waits', async () => {
    receiver.respond(silent);
    const announced = [announce('in flight'), announce('waiting')];
    await receiver.received(1);
    const stopped = rig.dispatcher.stop(GRACE_MS);
    rig.clock.advance(GRACE_MS);
    await stopped;
    for (const { delivered, reason } of await Promise.all(announced)) {
      expect(delivered).to.equal(false);
      expect(reason).to.match(/^the gateway stopped before the event was delivered/);
    }
    const kept = await rig.store.failedDeliveries.list({ limit: 10 });
    expect(kept.map(({ messageId }) => messageId)).to.have.members(['in flight', 'waiting']);
    expect(rig.counted.drops).to.deep.equal(['stopping', 'stopping']);
    expect(rig.clock.pending()).to.deep.equal([]);
  });

  it('breaks a last attempt off like any other: it is the caller that goes on with it', async () => {
    receiver.respond(answering(503));
    const announced = rig.dispatcher.announce(
      textEvent(),
      { url: receiver.url, token: '' },
      { keptByCaller: true },
    );
    for (const delay of [500, 1_000, 2_000]) {
      await rig.clock.scheduled(delay);
      if (delay === 2_000) receiver.respond(silent);
      rig.clock.advance(delay);
    }
    await receiver.received(4);
    await rig.dispatcher.stop(0);
    expect(await announced).to.include({ delivered: false, interrupted: true });
    expect(await rig.store.failedDeliveries.list({ limit: 10 })).to.deep.equal([]);
    expect(rig.counted.drops).to.deep.equal([]);
  });

  it('comes, with all results, even if those who watch fail', async () => {
    const fail = () => {
      throw new Error('a watcher fails');
    };
    const watched = await makeRig({
      limits: { inFlight: 1, waiting: 10 },
      observe: { attempt: fail, dropped: fail },
    });
    watched.tail.listen(fail);
    receiver.respond(answering(200, 400));
    const results = ['m1', 'm2'].map((id) =>
      watched.dispatcher.announce(textEvent(id), { url: receiver.url, token: '' }),
    );
    expect((await Promise.all(results)).map(({ delivered }) => delivered)).to.deep.equal([true, false]);
    expect(watched.dispatcher.inFlight()).to.equal(0);
    await watched.dispatcher.stop(GRACE_MS);
    expect(watched.shown.map(({ kind }) => kind)).to.include.members(['event', 'attempt', 'dropped']);
    await watched.close();
  });

  it('keeps what rests between two attempts', async () => {
    receiver.respond(answering(503));
    const announced = announce();
    await rig.clock.scheduled(500);
    await rig.dispatcher.stop(0);
    const { deliveryId, reason } = await announced;
    expect(reason).to.include('last attempt: answered 503');
    expect(await rig.store.failedDeliveries.get(deliveryId)).to.include({ attempts: 1 });
  });

  it('keeps what is announced afterwards', async () => {
    await rig.dispatcher.stop(GRACE_MS);
    const { delivered, deliveryId } = await announce();
    expect(delivered).to.equal(false);
    expect(await rig.store.failedDeliveries.get(deliveryId)).to.include({ attempts: 0 });
    expect(receiver.calls).to.deep.equal([]);
  });

  it('is the same end for all who ask', async () => {
    await Promise.all([rig.dispatcher.stop(GRACE_MS), rig.dispatcher.stop(GRACE_MS)]);
  });

  it('does not post for a session that another node has, which delivers what its journal keeps', async () => {
    let serves = true;
    const moved = await makeRig({ serves: () => serves });
    try {
      receiver.respond(answering(503, 200, 200));
      const receiverOf = { url: receiver.url, token: '' };
      const kept = moved.dispatcher.announce(textEvent('kept'), receiverOf, { keptByCaller: true });
      await moved.clock.scheduled(500);
      serves = false;
      moved.clock.advance(500);
      expect(await kept).to.include({ delivered: false, interrupted: true });
      expect(await moved.dispatcher.announce(textEvent('not kept'), receiverOf)).to.include({
        delivered: true,
      });
      expect(await moved.store.failedDeliveries.list({ limit: 10 })).to.deep.equal([]);
      expect(receiver.calls.length).to.equal(2);
    } finally {
      await moved.close();
    }
  });
});
