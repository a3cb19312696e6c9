import { once } from 'node:events';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { systemClock } from '../../src/domain/clock.js';
import { FAULTS } from '../../src/sandbox/state/faults.js';
import { child } from '../../src/sandbox/wire/stanza.js';
import type { BaileysDevice } from './support/baileys-device.js';
import { ALICE, BOB, CAROL, pnJid, SandboxWorld } from './support/world.js';

/** Faults that close the connection, with the code that a client sees. */
const CLOSING = {
  disconnect: 428,
  'restart-required': 515,
  'service-unavailable': 503,
  conflict: 440,
  logout: 401,
  ban: 403,
};

describe('Sandbox: faults that close connections', () => {
  const world = new SandboxWorld();
  let bob: BaileysDevice;

  before(async () => {
    await world.open();
    bob = await world.linked(BOB);
  });
  after(() => world.close());

  for (const [index, [kind, code]] of Object.entries(CLOSING).entries()) {
    it(`${kind} closes the connections of one number with ${code}, and no other connection`, async () => {
      const number = `+1555000010${index}`;
      await world.client.addPhone({ number });
      const closing = await world.linked(number);
      const closed = closing.closed();
      await world.client.fault({ kind, number });
      expect(await closed).to.equal(code);
      await bob.say(pnJid(CAROL), `still here after ${kind}`);
      await world.client.waitForMessage(CAROL, ({ text }) => text === `still here after ${kind}`);
    });
  }
});

describe('Sandbox: faults', () => {
  const world = new SandboxWorld();

  beforeEach(() => world.open());
  afterEach(() => world.close());

  it('a fault without a count lets the client reconnect after one failure', async () => {
    const alice = await world.linked(ALICE);
    for (const kind of ['disconnect', 'restart-required', 'service-unavailable', 'conflict']) {
      const closed = alice.closed();
      await world.client.fault({ kind });
      await closed;
      await alice.connect();
    }
    await alice.say(pnJid(BOB), 'back');
    await world.client.waitForMessage(BOB, ({ text }) => text === 'back');
    expect((await world.client.stats()).conflicts).to.equal(1);
  });

  it('a fault with a count repeats at the next logins', async () => {
    const alice = await world.linked(ALICE);
    let closed = alice.closed();
    await world.client.fault({ kind: 'service-unavailable', count: 3 });
    expect(await closed).to.equal(503);
    for (let time = 0; time < 2; time++) {
      alice.start();
      closed = alice.closed();
      expect(await closed).to.equal(503);
    }
    await alice.connect();
  });

  it('logout is permanent, and a ban lasts until it is cleared', async () => {
    const [alice, bob] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
    const closed = Promise.all([alice.closed(), bob.closed()]);
    await world.client.fault({ kind: 'logout', number: ALICE });
    await world.client.fault({ kind: 'ban', number: BOB });
    await closed;
    expect(await reconnected(alice)).to.equal(401);
    expect(await reconnected(bob)).to.equal(403);
    await world.client.clearFaults();
    expect(await reconnected(alice)).to.equal(401);
    await bob.connect();
  });

  it('temporary-ban refuses logins with 402 and the time left, until it has passed', async () => {
    await world.close();
    let late = 0;
    await world.open({ clock: { ...systemClock, now: () => Date.now() + late } });
    const alice = await world.linked(ALICE);
    const closed = alice.closed();
    await world.client.fault({ kind: 'temporary-ban', number: ALICE, ms: 60_000 });
    expect(await closed).to.equal(402);
    late = 20_000;
    const socket = alice.start();
    const failure = new Promise<BinaryNode>((resolve) => socket.ws.once('CB:failure', resolve));
    expect(await alice.closed()).to.equal(402);
    const { attrs } = await failure;
    expect(attrs).to.include({ reason: '402', code: '101' });
    expect(Number(attrs.expire)).to.be.within(35, 40);
    late = 60_000;
    await alice.connect();
  });

  for (const [kind, reason] of Object.entries({
    'login-bad-request': 400,
    'account-banned': 406,
    'login-user-agent': 409,
    'login-client-unknown': 418,
    'login-server-error': 500,
    'login-experimental': 501,
  })) {
    it(`${kind} refuses a login with ${reason}, and the device stays linked`, async () => {
      const alice = await world.linked(ALICE);
      await alice.stop();
      await world.client.fault({ kind, number: ALICE });
      alice.start();
      expect(await alice.closed()).to.equal(reason);
      await world.client.clearFaults();
      await alice.connect();
    });
  }

  for (const [kind, reason] of Object.entries({
    'ban-with-unlink': 403,
    'account-banned-with-unlink': 406,
  })) {
    it(`${kind} ends with ${reason}, and all devices of the account are unlinked`, async () => {
      const [alice, tablet] = [await world.linked(ALICE), await world.linked(ALICE)];
      await tablet.stop();
      const closed = alice.closed();
      await world.client.fault({ kind, number: ALICE });
      expect(await closed).to.equal(reason);
      expect((await world.client.phone(ALICE)).devices).to.deep.equal([]);
      for (const device of [alice, tablet]) expect(await reconnected(device)).to.equal(401);
    });

    it(`${kind} refuses the login of a device that was away with ${reason}`, async () => {
      const alice = await world.linked(ALICE);
      await alice.stop();
      await world.client.fault({ kind, number: ALICE });
      expect(await reconnected(alice)).to.equal(reason);
      expect((await world.client.phone(ALICE)).devices).to.deep.equal([]);
      expect(await reconnected(alice)).to.equal(401);
    });
  }

  it('device-removed unlinks with a conflict and no code', async () => {
    const alice = await world.linked(ALICE);
    const ended = new Promise<BinaryNode>((resolve) => alice.socket.ws.once('CB:stream:error', resolve));
    await world.client.fault({ kind: 'device-removed', number: ALICE });
    const error = await ended;
    expect(error.attrs).to.deep.equal({});
    expect(child(error, 'conflict')?.attrs).to.deep.equal({ type: 'device_removed' });
    expect((await world.client.phone(ALICE)).devices).to.deep.equal([]);
  });

  it('reject-sends answers with a negative ack, and delivers nothing', async () => {
    const alice = await world.linked(ALICE);
    await world.client.fault({ kind: 'reject-sends', number: ALICE, count: 1 });
    const ack = nextAck(alice);
    const id = await alice.say(pnJid(BOB), 'no');
    expect(await ack).to.include({ id, error: '479' });
    await alice.say(pnJid(BOB), 'yes');
    await world.client.waitForMessage(BOB, ({ text }) => text === 'yes');
    expect((await world.client.messages(BOB)).map(({ text }) => text)).to.deep.equal(['yes']);
  });

  it('drop-acks delivers the message, but sends no ack', async () => {
    const alice = await world.linked(ALICE);
    await world.client.fault({ kind: 'drop-acks', count: 1 });
    const ack = nextAck(alice);
    await alice.say(pnJid(BOB), 'silent');
    await world.client.waitForMessage(BOB, ({ text }) => text === 'silent');
    const heard = await alice.say(pnJid(BOB), 'heard');
    expect(await ack).to.include({ id: heard });
  });

  it('no-pairing-code refuses a client that shows a code', async () => {
    const device = world.device();
    await device.qr();
    await world.client.fault({ kind: 'no-pairing-code' });
    const refused = new Promise<object>((resolve) => {
      device.socket.ws.on('CB:iq,type:error', ({ content }) => resolve(content[0].attrs));
    });
    const code = await device.socket.requestPairingCode(ALICE.slice(1));
    expect(await refused).to.include({ code: '429' });
    const error: unknown = await world.client.enterCode(ALICE, code).catch((reason: unknown) => reason);
    expect(error).to.have.property('status', 400);
  });

  it('delay delivers the stanzas of a client late and in order', async () => {
    const alice = await world.linked(ALICE);
    await world.client.fault({ kind: 'delay', number: ALICE, ms: 150 });
    const begun = performance.now();
    await ping(alice);
    expect(performance.now() - begun).to.be.greaterThan(140);
    await Promise.all(['1', '2', '3'].map((text) => alice.say(pnJid(BOB), text)));
    await world.client.waitForMessage(BOB, ({ text }) => text === '3');
    expect((await world.client.messages(BOB)).map(({ text }) => text)).to.deep.equal(['1', '2', '3']);
  });

  it('delay delivers reactions and edits late and in order too', async () => {
    const alice = await world.linked(ALICE);
    await world.client.fault({ kind: 'delay', number: ALICE, ms: 100 });
    const { id, key } = await alice.send(pnJid(BOB), { text: 'frist' });
    await alice.send(pnJid(BOB), { text: 'first', edit: key });
    await alice.send(pnJid(BOB), { delete: key });
    const { history, revoked } = await world.client.waitForMessage(BOB, (message) => message.revoked);
    expect({ history, revoked }).to.deep.equal({ history: undefined, revoked: true });
    const changes = await world.client.changes(BOB);
    expect(changes.map(({ type, targetId, applied }) => [type, targetId, applied])).to.deep.equal([
      ['edit', id, true],
      ['revoke', id, true],
    ]);
  });

  it('reject-sends and drop-acks apply to reactions and polls too', async () => {
    const alice = await world.linked(ALICE);
    const { messageId } = await world.client.write(BOB, { to: ALICE, text: 'nice?' });
    const { key } = await alice.message(messageId);
    await world.client.fault({ kind: 'reject-sends', count: 1 });
    const rejected = nextAck(alice);
    const reaction = await alice.send(pnJid(BOB), { react: { text: '👍', key } });
    expect(await rejected).to.include({ id: reaction.id, error: '479' });
    await world.client.fault({ kind: 'drop-acks', count: 1 });
    const next = nextAck(alice);
    const poll = await alice.send(pnJid(BOB), {
      poll: { name: '?', values: ['a', 'b'], selectableCount: 1 },
    });
    await world.client.waitForMessage(BOB, (message) => message.messageId === poll.id);
    const heard = await alice.say(pnJid(BOB), 'heard');
    expect(await next).to.include({ id: heard });
    expect(await world.client.changes(BOB)).to.deep.equal([]);
  });

  it('ignore-queries leaves device queries unanswered, and refuses a message without recipients', async () => {
    const alice = await world.linked(ALICE, { defaultQueryTimeoutMs: 300 });
    await world.client.fault({ kind: 'ignore-queries', count: 1 });
    const ack = nextAck(alice);
    const id = await alice.say(pnJid(BOB), 'to whom?');
    expect(await ack).to.include({ id, error: '479' });
  });

  it('silence keeps the connection open, but neither reads nor sends', async () => {
    const alice = await world.linked(ALICE);
    await world.client.fault({ kind: 'silence', number: ALICE });
    const answer = await ping(alice, 200).catch((error: unknown) => error);
    expect(answer).not.to.have.property('attrs');
    await world.client.write(BOB, { to: ALICE, text: 'anybody there?' });
    expect((await world.client.stats()).waitingOffline).to.equal(1);
    expect(alice.socket.ws.isOpen).to.equal(true);
    await alice.connect();
    await alice.text('anybody there?');
  });

  it('refuse-upgrade answers the WebSocket upgrade with 503', async () => {
    await world.client.fault({ kind: 'refuse-upgrade', count: 1 });
    const refused = new WebSocket(world.sandbox.wsUrl);
    const [, response] = await once(refused, 'unexpected-response');
    expect(response).to.have.property('statusCode', 503);
    refused.on('error', () => undefined);
    refused.terminate();
    const accepted = new WebSocket(world.sandbox.wsUrl);
    await once(accepted, 'open');
    accepted.terminate();
  });

  it('garbage-frames sends a frame that no client can decode', async () => {
    await world.linked(ALICE);
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    const broken = once(process, 'unhandledRejection');
    await world.client.fault({ kind: 'garbage-frames' });
    const [error] = await broken;
    for (const listener of others) process.on('unhandledRejection', listener);
    expect(error).to.be.instanceOf(Error);
  });

  it('lists every fault with a name and a description', () => {
    const kinds = Object.keys(FAULTS);
    expect(new Set(kinds)).to.have.property('size', kinds.length);
    for (const { description } of Object.values(FAULTS)) expect(description).to.match(/\w+ \w+/);
  });
});

async function reconnected(device: BaileysDevice): Promise<number | undefined> {
  device.start();
  return device.closed();
}

function ping({ socket }: BaileysDevice, timeoutMs?: number): Promise<unknown> {
  const attrs = { to: '@s.whatsapp.net', type: 'get', xmlns: 'w:p' };
  return socket.query({ tag: 'iq', attrs, content: [{ tag: 'ping', attrs: {} }] }, timeoutMs);
}

function nextAck(device: BaileysDevice): Promise<object> {
  return new Promise((resolve) => {
    device.socket.ws.on('CB:ack,class:message', ({ attrs }) => resolve(attrs));
  });
}
