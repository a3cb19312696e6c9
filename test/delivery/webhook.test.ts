import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { answering, silent, startReceiver, type TestReceiver } from '../support/receiver.js';
import { makeRig, type Rig, textEvent } from './rig.js';

const TOKEN = 'webhook-token-of-acme';
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

describe('a webhook delivery', () => {
  let rig: Rig;
  let receiver: TestReceiver;

  beforeEach(async () => {
    rig = await makeRig();
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

  it("posts the event as it is, with the contract's headers", async () => {
    const result = await announce();
    expect(result).to.include({ delivered: true, reason: '' });
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

  it('signs it as Standard Webhooks asks', async () => {
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

  it('takes a token in the notation of Standard Webhooks for what it encodes', async () => {
    const key = Buffer.from('a key of twenty-four byte');
    const { deliveryId } = await announce(`whsec_${key.toString('base64')}`);
    const [call] = receiver.calls;
    const signed = `${deliveryId}.${rig.clock.now() / 1_000}.${call?.body}`;
    const expected = createHmac('sha256', key).update(signed).digest('base64');
    expect(call?.headers['webhook-signature']).to.equal(`v1,${expected}`);
  });

  it('sends neither authorization nor signature without a token', async () => {
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
      expect(result).to.include({ delivered: false, reason: `answered ${status}` });
      expect(receiver.calls).to.have.length(1);
      expect(rig.counted).to.deep.equal({ attempts: ['rejected'], drops: ['rejected'] });
      const kept = await rig.store.failedDeliveries.get(result.deliveryId);
      expect(kept).to.deep.include({
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
      expect(result).to.include({ delivered: false, reason: `answered ${status}` });
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

  it('arrives at the second attempt when the receiver has come round', async () => {
    receiver.respond(answering(503, 200));
    const announced = announce();
    await pass(500);
    expect(await announced).to.include({ delivered: true });
    expect(rig.counted).to.deep.equal({ attempts: ['failed', 'delivered'], drops: [] });
  });

  it('signs each attempt at its own time', async () => {
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

  it('tries again when nobody listens', async () => {
    const gone = await startReceiver();
    await gone.stop();
    const announced = rig.dispatcher.announce(textEvent(), { url: gone.url, token: '' });
    for (const ms of [500, 1_000, 2_000]) await pass(ms);
    const result = await announced;
    expect(result.delivered).to.equal(false);
    expect(result.reason).to.include('ECONNREFUSED');
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
      expect(result.reason).to.match(/redirects are not followed/);
      expect(receiver.calls).to.have.length(1);
      expect(elsewhere.calls).to.deep.equal([]);
      await elsewhere.stop();
    });
  }

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
    ['an address that is none', 'not a url', '', /no http\(s\) address/],
    ['another protocol', 'ftp://example.com/', '', /no http\(s\) address/],
    ['a token that no header can hold', 'http://127.0.0.1:9/', 'line\nbreak', /cannot be called/],
  ];
  for (const [what, url, token, reason] of impossible) {
    it(`rejects ${what} for good`, async () => {
      const result = await rig.dispatcher.announce(textEvent(), { url, token });
      expect(result.delivered).to.equal(false);
      expect(result.reason).to.match(reason);
      expect(rig.counted.drops).to.deep.equal(['rejected']);
    });
  }

  it('is only shown by the tail when there is no webhook', async () => {
    const result = await rig.dispatcher.announce(textEvent(), undefined);
    expect(result).to.deep.equal({ deliveryId: '', delivered: false, reason: 'no webhook' });
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

  it('goes on when the failed ones cannot be kept', async () => {
    receiver.respond(answering(400, 200));
    await rig.store.close();
    expect(await announce()).to.include({ delivered: false });
    expect(await announce()).to.include({ delivered: true });
    expect(rig.logged.join('')).to.include('failed delivery could not be kept');
  });
});
