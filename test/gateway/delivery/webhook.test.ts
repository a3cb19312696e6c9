import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { pauseAfter } from '../../../src/domain/retry.js';
import { outcomeOf, RETRY } from '../../../src/gateway/delivery/webhook.js';
import { inWords, storedInWords } from '../../support/reasons.js';
import { answering, silent, startReceiver, type TestReceiver } from '../../support/receiver.js';
import { type PlayedDeliveries, textEvent } from '../../support/rig/deliveries.js';
import { Rig } from '../../support/rig/rig.js';

const TOKEN = 'webhook-token-of-acme';
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

describe('a webhook delivery', () => {
  let rig: PlayedDeliveries;
  let receiver: TestReceiver;

  beforeEach(async () => {
    rig = (await Rig.start()).deliveries();
    receiver = await startReceiver();
  });

  afterEach(async () => {
    await rig.close();
    await receiver.stop();
  });

  const announce = (token = TOKEN) => {
    return rig.dispatcher.announce(textEvent(), { url: `${receiver.url}/hook?key=1`, token });
  };

  /** Moves time on over one wait between attempts. */
  const pass = async (ms: number) => {
    await rig.clock.scheduled(ms);
    rig.clock.advance(ms);
  };

  const attempts = () => rig.shown.filter((entry) => entry.kind === 'attempt');

  it('posts the event unchanged, with the headers of the contract', async () => {
    const result = await announce();
    expect(inWords(result)).to.include({ delivered: true, reason: '' });
    expect(result.deliveryId).to.match(ULID);
    const [call] = receiver.calls;
    expect(call).to.include({ method: 'POST', path: '/hook?key=1' });
    expect(JSON.parse(call?.body ?? '')).to.deep.equal(textEvent());
    expect(call?.headers).to.include({
      'content-type': 'application/json',
      authorization: `Bearer ${TOKEN}`,
      'user-agent': 'Switchboard/1',
      'x-sn-event': 'text',
      'x-sn-delivery': result.deliveryId,
      'x-sn-attempt': '1',
    });
  });

  it('is signed as Standard Webhooks demands', async () => {
    const { deliveryId } = await announce();
    const [call] = receiver.calls;
    const timestamp = String(rig.clock.now() / 1_000);
    const expected = createHmac('sha256', TOKEN)
      .update(`${deliveryId}.${timestamp}.${call?.body}`)
      .digest('base64');
    expect(call?.headers).to.include({
      'webhook-id': deliveryId,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${expected}`,
    });
  });

  it('is signed with the key that a token in the notation of Standard Webhooks encodes', async () => {
    const key = Buffer.from('a key of twenty-four byte');
    const { deliveryId } = await announce(`whsec_${key.toString('base64')}`);
    const [call] = receiver.calls;
    const signed = `${deliveryId}.${rig.clock.now() / 1_000}.${call?.body}`;
    const expected = createHmac('sha256', key).update(signed).digest('base64');
    expect(call?.headers['webhook-signature']).to.equal(`v1,${expected}`);
  });

  it('has neither authorization nor signature without a token', async () => {
    await announce('');
    expect(receiver.calls[0]?.headers).to.not.have.any.keys(
      'authorization',
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    );
  });

  for (const status of [200, 201, 204]) {
    it(`is done with ${status}`, async () => {
      receiver.respond(answering(status));
      expect(await announce()).to.include({ delivered: true });
      expect(rig.counted).to.deep.equal({ attempts: ['delivered'], drops: [] });
      expect(await rig.store.failedDeliveries.list({ limit: 10 })).to.deep.equal([]);
    });
  }

  for (const status of [400, 401, 403, 404, 410, 422]) {
    it(`is rejected for good with ${status}, and kept`, async () => {
      receiver.respond(answering(status));
      const result = await announce();
      expect(inWords(result)).to.include({ delivered: false, reason: `answered ${status}` });
      expect(receiver.calls).to.have.length(1);
      expect(rig.counted).to.deep.equal({ attempts: ['rejected'], drops: ['rejected'] });
      const kept = await rig.store.failedDeliveries.get(result.deliveryId);
      expect(kept && storedInWords(kept)).to.deep.include({
        clientId: 'acme',
        type: 'text',
        attempts: 1,
        reason: `answered ${status}`,
      });
      expect(JSON.parse(kept?.body ?? '')).to.deep.equal(textEvent());
    });
  }

  for (const status of [429, 500, 502, 503]) {
    it(`is tried four times with ${status}, then dropped, logged, shown and kept`, async () => {
      receiver.respond(answering(status));
      const announced = announce();
      await pass(500);
      await pass(1_000);
      await pass(2_000);
      const result = await announced;
      expect(inWords(result)).to.include({ delivered: false, reason: `answered ${status}` });
      expect(receiver.calls.map(({ headers }) => headers['x-sn-attempt'])).to.deep.equal([
        '1',
        '2',
        '3',
        '4',
      ]);
      const ids = new Set(receiver.calls.map(({ headers }) => headers['x-sn-delivery']));
      expect([...ids]).to.deep.equal([result.deliveryId]);
      expect(rig.counted.drops).to.deep.equal(['exhausted']);
      expect(rig.shown.at(-1)).to.include({
        kind: 'dropped',
        deliveryId: result.deliveryId,
        clientId: 'acme',
      });
      expect(rig.logged.join(''))
        .to.include(result.deliveryId)
        .and.not.include('Grüße')
        .and.not.include(TOKEN);
      const kept = await rig.store.failedDeliveries.get(result.deliveryId);
      expect(kept).to.include({ attempts: 4, url: `${receiver.url}/hook?key=1` });
    });
  }

  it('arrives at the second attempt when the receiver has recovered', async () => {
    receiver.respond(answering(503, 200));
    const announced = announce();
    await pass(500);
    expect(await announced).to.include({ delivered: true });
    expect(rig.counted).to.deep.equal({ attempts: ['failed', 'delivered'], drops: [] });
  });

  it('is signed at each attempt with the time of that attempt', async () => {
    receiver.respond(answering(500, 500, 200));
    const announced = announce();
    await pass(500);
    await pass(1_000);
    await announced;
    const times = receiver.calls.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect((times[2] ?? 0) - (times[0] ?? 0)).to.equal(1);
  });

  it('waits 15 s for an answer, then tries again', async () => {
    receiver.respond((response, call, index) =>
      (index === 0 ? silent : answering(200))(response, call, index),
    );
    const announced = announce();
    await receiver.received(1);
    rig.clock.advance(14_999);
    expect(attempts()).to.deep.equal([]);
    rig.clock.advance(1);
    await pass(500);
    expect(await announced).to.include({ delivered: true });
    expect(attempts()[0]).to.include({
      outcome: 'failed',
      status: 0,
      reason: 'no answer within 15 s',
      durationMs: 15_000,
    });
  });

  it('tries again when the connection is refused', async () => {
    const gone = await startReceiver();
    await gone.stop();
    const announced = rig.dispatcher.announce(textEvent(), { url: gone.url, token: '' });
    for (const ms of [500, 1_000, 2_000]) await pass(ms);
    const result = await announced;
    expect(result.delivered).to.equal(false);
    expect(inWords(result).reason).to.include('ECONNREFUSED');
    expect(rig.counted.attempts).to.have.length(4);
  });

  it('tries again when the connection is cut', async () => {
    receiver.respond((response, call, index) => {
      if (index === 0) response.socket?.destroy();
      else answering(200)(response, call, index);
    });
    const announced = announce();
    await pass(500);
    expect(await announced).to.include({ delivered: true });
  });

  for (const status of [301, 302, 303, 307, 308]) {
    it(`does not follow a ${status}`, async () => {
      const elsewhere = await startReceiver();
      receiver.respond((response) => response.writeHead(status, { location: elsewhere.url }).end());
      const result = await announce();
      expect(result.delivered).to.equal(false);
      expect(inWords(result).reason).to.match(/redirects are not followed/);
      expect(receiver.calls).to.have.length(1);
      expect(elsewhere.calls).to.deep.equal([]);
      await elsewhere.stop();
    });
  }

  it('becomes a failed delivery without a call while the receiver is paused', async () => {
    const receiverPaused = { url: receiver.url, token: TOKEN, paused: 'an operator paused it' };
    const result = await rig.dispatcher.announce(textEvent(), receiverPaused);
    expect(inWords(result)).to.include({
      delivered: false,
      reason: 'the webhook is paused: an operator paused it',
    });
    expect(await rig.store.failedDeliveries.get(result.deliveryId)).to.include({ attempts: 0 });
    expect(rig.counted).to.deep.equal({ attempts: [], drops: ['paused'] });
    expect(receiver.calls).to.deep.equal([]);
  });

  it('reads at most 1 MiB of an answer', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    let cut = (_sent: number) => {};
    const sent = new Promise<number>((resolve) => {
      cut = resolve;
    });
    receiver.respond((response) => {
      const pour = () => {
        while (!response.destroyed && response.write(chunk));
      };
      const socket = response.socket;
      response.on('drain', pour);
      response.on('close', () => cut(socket?.bytesWritten ?? 0));
      pour();
    });
    expect(await announce()).to.include({ delivered: true });
    // what was read, and what the sockets' buffers took besides
    expect(await sent).to.be.within(1024 * 1024, 16 * 1024 * 1024);
  });

  it('counts a 2xx whose body breaks off as delivered', async () => {
    receiver.respond((response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('half', () => response.socket?.end());
    });
    expect(await announce()).to.include({ delivered: true });
    expect(receiver.calls).to.have.length(1);
  });

  const impossible: [string, string, string, RegExp][] = [
    ['an invalid address', 'not a url', '', /no http\(s\) address/],
    ['another protocol', 'ftp://example.com/', '', /no http\(s\) address/],
    ['a token that no header can hold', 'http://127.0.0.1:9/', 'line\nbreak', /cannot be called/],
  ];
  for (const [what, url, token, reason] of impossible) {
    it(`rejects ${what} for good`, async () => {
      const result = await rig.dispatcher.announce(textEvent(), { url, token });
      expect(result.delivered).to.equal(false);
      expect(inWords(result).reason).to.match(reason);
      expect(rig.counted.drops).to.deep.equal(['rejected']);
    });
  }

  it('is only shown by the tail when there is no webhook', async () => {
    const result = await rig.dispatcher.announce(textEvent(), undefined);
    expect(inWords(result)).to.deep.equal({ deliveryId: '', delivered: false, reason: 'no webhook' });
    expect(rig.shown).to.deep.equal([
      { kind: 'event', at: new Date(rig.clock.now()).toISOString(), clientId: 'acme', event: textEvent() },
    ]);
  });

  it('is shown by the tail before it is delivered', async () => {
    receiver.respond(silent);
    void announce();
    expect(rig.shown.map((entry) => entry.kind)).to.deep.equal(['event']);
    await receiver.received(1);
  });

  it('continues when a failed delivery cannot be stored', async () => {
    receiver.respond(answering(400, 200));
    await rig.store.close();
    expect(await announce()).to.include({ delivered: false });
    expect(await announce()).to.include({ delivered: true });
    expect(rig.logged.join('')).to.include('failed delivery could not be kept');
  });
});

describe('the retry policy', () => {
  const outcomes: [number, string][] = [
    [200, 'delivered'],
    [201, 'delivered'],
    [204, 'delivered'],
    [299, 'delivered'],
    [301, 'rejected'],
    [307, 'rejected'],
    [400, 'rejected'],
    [401, 'rejected'],
    [404, 'rejected'],
    [408, 'rejected'],
    [410, 'rejected'],
    [428, 'rejected'],
    [429, 'failed'],
    [430, 'rejected'],
    [499, 'rejected'],
    [500, 'failed'],
    [503, 'failed'],
    [599, 'failed'],
  ];
  for (const [status, outcome] of outcomes) {
    it(`counts ${status} as ${outcome}`, () => {
      expect(outcomeOf(status)).to.equal(outcome);
    });
  }

  const delays: [attempt: number, random: number, delay: number | undefined][] = [
    [1, 0, 400],
    [1, 0.5, 500],
    [1, 1, 600],
    [2, 0, 800],
    [2, 1, 1_200],
    [3, 0, 1_600],
    [3, 1, 2_400],
    [4, 0.5, undefined],
  ];
  for (const [attempt, random, delay] of delays) {
    it(`waits ${delay ?? 'no more'} after attempt ${attempt} when ${random} is drawn`, () => {
      expect(pauseAfter(RETRY, attempt, () => random)).to.equal(delay);
    });
  }
});

const GRACE_MS = 8_000;

describe('the end of all deliveries', () => {
  let rig: PlayedDeliveries;
  let receiver: TestReceiver;

  beforeEach(async () => {
    rig = (await Rig.start()).deliveries({ limits: { inFlight: 1, waiting: 10 } });
    receiver = await startReceiver();
  });

  afterEach(async () => {
    await rig.close();
    await receiver.stop();
  });

  const announce = (messageId?: string) => {
    return rig.dispatcher.announce(textEvent(messageId), { url: receiver.url, token: '' });
  };

  it('is immediate when no delivery is in flight', async () => {
    await announce();
    await rig.dispatcher.stop(GRACE_MS);
    expect(rig.clock.pending()).to.deep.equal([]);
  });

  it('waits for deliveries in flight, and for those queued behind them', async () => {
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

  it('waits for a retry that is due within the grace period', async () => {
    receiver.respond(answering(503, 200));
    const announced = announce();
    await rig.clock.scheduled(500);
    const stopped = rig.dispatcher.stop(GRACE_MS);
    rig.clock.advance(500);
    await stopped;
    expect(await announced).to.include({ delivered: true });
  });

  it('aborts deliveries that take longer, and stores them and all waiting ones as failed', async () => {
    receiver.respond(silent);
    const announced = [announce('in flight'), announce('waiting')];
    await receiver.received(1);
    const stopped = rig.dispatcher.stop(GRACE_MS);
    rig.clock.advance(GRACE_MS);
    await stopped;
    for (const { delivered, reason } of (await Promise.all(announced)).map(inWords)) {
      expect(delivered).to.equal(false);
      expect(reason).to.match(/^the gateway stopped before the event was delivered/);
    }
    const kept = await rig.store.failedDeliveries.list({ limit: 10 });
    expect(kept.map(({ messageId }) => messageId)).to.have.members(['in flight', 'waiting']);
    expect(rig.counted.drops).to.deep.equal(['stopping', 'stopping']);
    expect(rig.clock.pending()).to.deep.equal([]);
  });

  it('aborts a last attempt like any other: the caller continues it', async () => {
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

  it('is reached, with all results, even if observers fail', async () => {
    const fail = () => {
      throw new Error('a watcher fails');
    };
    const watched = (await Rig.start()).deliveries({
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

  it('stores deliveries that pause between two attempts as failed', async () => {
    receiver.respond(answering(503));
    const announced = announce();
    await rig.clock.scheduled(500);
    await rig.dispatcher.stop(0);
    const { deliveryId, reason } = inWords(await announced);
    expect(reason).to.include('last attempt: answered 503');
    expect(await rig.store.failedDeliveries.get(deliveryId)).to.include({ attempts: 1 });
  });

  it('stores events that are announced afterwards as failed', async () => {
    await rig.dispatcher.stop(GRACE_MS);
    const { delivered, deliveryId } = await announce();
    expect(delivered).to.equal(false);
    expect(await rig.store.failedDeliveries.get(deliveryId)).to.include({ attempts: 0 });
    expect(receiver.calls).to.deep.equal([]);
  });

  it('is shared by concurrent stops', async () => {
    await Promise.all([rig.dispatcher.stop(GRACE_MS), rig.dispatcher.stop(GRACE_MS)]);
  });

  it('posts no event of a session that another node holds, which delivers the events of its journal', async () => {
    let serves = true;
    const moved = (await Rig.start()).deliveries({ serves: () => serves });
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
