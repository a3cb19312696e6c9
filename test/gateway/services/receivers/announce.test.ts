import { expect } from 'chai';
import { Deferred } from '../../../../src/domain/deferred.js';
import type { DeliveryResult, Receiver } from '../../../../src/gateway/delivery/dispatch.js';
import { createLog } from '../../../../src/gateway/log.js';
import { Announcements } from '../../../../src/gateway/services/receivers/announce.js';
import { writeReceivers } from '../../../../src/gateway/services/sessions/receiver-list.js';
import { Interrupted, StoreRetry } from '../../../../src/gateway/services/store-retry.js';
import type { SessionRecord } from '../../../../src/gateway/store/store.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { textEvent } from '../../../support/rig/deliveries.js';
import { SESSION } from '../../../support/rig/receiving.js';
import { until } from '../../../support/until.js';

const DELIVERED: DeliveryResult = { deliveryId: 'D', delivered: true };
const WRITTEN: DeliveryResult = { deliveryId: 'D', delivered: false, waiting: true };
const INTERRUPTED: DeliveryResult = { deliveryId: 'D', delivered: false, interrupted: true };

const settings = {
  ...{ name: '', token: '', previousToken: null, previousTokenUntil: 0, paused: '' },
  ...{ filter: {}, headers: {}, schedule: {} },
};

function withReceivers(...retries: ('contract' | 'durable')[]): SessionRecord {
  const receivers = retries.map((retry, n) => ({
    ...{ ...settings, retry, id: String(n + 2), url: `http://127.0.0.1/${n + 2}` },
  }));
  return { ...SESSION, receivers: writeReceivers({ lastId: 9, receivers }) };
}

const ORIGIN = { room: 'room', author: '', isSealed: false };

describe('Announcements: several receivers', () => {
  let clock: ManualClock;
  let retry: StoreRetry;
  /** Receivers that were asked to take the event, in order. */
  let asked: string[];
  let answers: Map<string, (() => Promise<DeliveryResult>)[]>;
  let announcements: Announcements;

  beforeEach(() => {
    clock = new ManualClock();
    asked = [];
    answers = new Map();
    const log = createLog({ level: 'silent', pretty: false });
    retry = new StoreRetry({ ping: async () => undefined }, clock);
    const answer = (name: string) => {
      asked.push(name);
      return (answers.get(name)?.shift() ?? (async () => DELIVERED))();
    };
    announcements = new Announcements({
      announcer: {
        announce: (_event, receiver: Receiver | undefined) => answer(receiver ? 'webhook' : 'none'),
        deliver: (_event, { receiverId = '' }) => answer(receiverId),
      },
      retry,
      observer: {
        received: () => undefined,
        withoutReceiver: () => undefined,
        disconnected: () => undefined,
      },
      clock,
      log,
    });
  });
  afterEach(() => retry.stop());

  const announce = (session: SessionRecord, written?: Deferred, abandoned = new AbortController()) =>
    announcements.message(session, textEvent(), {
      origin: ORIGIN,
      isKept: true,
      abandoned: abandoned.signal,
      written,
    });
  const answering = (name: string, ...results: DeliveryResult[]) => {
    const made = results.map((result) => async () => result);
    answers.set(name, made);
  };

  it('repeats an event after an outage only for the receiver that did not get it', async () => {
    answering('3', INTERRUPTED, INTERRUPTED);
    const done = announce(withReceivers('contract', 'durable'));
    let ended = false;
    void done.then(() => {
      ended = true;
    });
    await until('the repetitions', async () => {
      if (!ended) clock.advance(60_000);
      return ended;
    });
    await done;
    expect(asked).to.deep.equal(['webhook', '2', '3', '3', '3']);
  });

  it('ends once every receiver has or stores the event, and lets the next message continue before that', async () => {
    let accept: (result: DeliveryResult) => void = () => undefined;
    const accepted = new Promise<DeliveryResult>((resolve) => {
      accept = resolve;
    });
    answers.set('2', [() => accepted]);
    answering('3', WRITTEN);
    let ended = false;
    const written = new Deferred();
    const done = announce(withReceivers('contract', 'durable'), written).then(() => {
      ended = true;
    });
    // the next message of the chat may follow while the receiver 2 still makes attempts
    await written.promise;
    expect(asked).to.deep.equal(['webhook', '2', '3']);
    expect(ended).to.equal(false);
    accept(DELIVERED);
    await done;
  });

  it('lets the next message continue during attempts at the webhook when no durable receiver wants this one', async () => {
    const [receiver] = JSON.parse(withReceivers('durable').receivers ?? '').receivers;
    const calls = { ...receiver, filter: { types: ['call'] } };
    answers.set('webhook', [() => new Promise(() => undefined)]);
    const written = new Deferred();
    const receivers = writeReceivers({ lastId: 2, receivers: [calls] });
    void announce({ ...SESSION, receivers }, written);
    await written.promise;
    expect(asked).to.deep.equal(['webhook']);
  });

  it('fails when the session left before one receiver had the event, after the other receivers got it', async () => {
    const abandoned = new AbortController();
    answers.set('2', [
      async () => {
        abandoned.abort();
        return INTERRUPTED;
      },
    ]);
    const end = await announce(withReceivers('contract', 'contract'), undefined, abandoned).catch(
      (error: unknown) => error,
    );
    expect(end).to.be.instanceOf(Interrupted);
    expect(asked).to.deep.equal(['webhook', '2', '3']);
  });
});
