import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import { systemClock } from '../../src/domain/clock.js';
import { isGatewayError } from '../../src/domain/errors.js';
import { LIMITS } from '../../src/domain/limits.js';
import type { CloseReason } from '../../src/domain/session.js';
import { createBaileysLinks } from '../../src/link/baileys/index.js';
import { ManualClock } from '../support/manual-clock.js';
import { Rig, Session, textOf } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';
const BOB_PN = '15550000002@s.whatsapp.net';
/** The link's own bounds, in milliseconds. */
const PING_EVERY_MS = 25_000;
const PONG_MS = 10_000;
const CONNECT_MS = 30_000;
const DEVICE_QUERY_MS = 12_000;
const CLOSING_MS = 1_500;

const CLOSES: [fault: string, reason: CloseReason][] = [
  ['disconnect', 'connection_closed'],
  ['restart-required', 'restart_required'],
  ['service-unavailable', 'service_unavailable'],
  ['conflict', 'replaced'],
  ['logout', 'logged_out'],
  ['ban', 'account_locked'],
  ['garbage-frames', 'undecodable_frame'],
];

describe('faults over the wire', () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await Rig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
  });

  afterEach(() => rig.stop());

  for (const [kind, reason] of CLOSES) {
    it(`${kind} ends the link as ${reason}, and no other link`, async () => {
      const [session, other] = [await rig.connected(ALICE), await rig.connected(BOB)];
      await rig.network.fault({ kind, number: ALICE });
      const closed = await session.next('closed');
      expect(closed.reason).to.equal(reason);
      expect(closed.detail).to.match(/\.$/);
      await other.send('15550000001@s.whatsapp.net', 'still here');
      expect(other.all('closed')).to.deep.equal([]);
      expect(session.all('closed')).to.have.length(1);
      expect(session.events.at(-1)?.type).to.equal('closed');
    });
  }

  it('a device that was unlinked while it was away is logged out at its next connection', async () => {
    const session = await rig.paired(ALICE);
    await rig.network.unlink(ALICE);
    session.open();
    expect((await session.next('closed')).reason).to.equal('logged_out');
  });

  it('a refused upgrade ends the link at once', async () => {
    await rig.network.fault({ kind: 'refuse-upgrade' });
    const closed = await rig.session().open().next('closed');
    expect(closed).to.deep.include({ reason: 'network_unreachable' });
    expect(closed.detail).to.include('503');
  });

  it('a connection that ends during a send fails it', async () => {
    const session = await rig.connected(ALICE);
    await rig.network.fault({ kind: 'drop-acks', number: ALICE });
    const outcome = session.send(BOB_PN, 'cut').catch((reason: unknown) => reason);
    await rig.network.waitForMessage(BOB, ({ text }) => text === 'cut');
    await rig.network.fault({ kind: 'disconnect', number: ALICE });
    expect(isGatewayError(await outcome, 'send_cut_off')).to.equal(true);
  });

  it('a message that left is not said to be unsent, even if the library does not know yet that it left', async () => {
    const session = await rig.connected(ALICE);
    await session.send(BOB_PN, 'asks for what is needed');
    await rig.network.fault({ kind: 'drop-acks', number: ALICE });
    const restore = muteWrites();
    try {
      const outcome = session.send(BOB_PN, 'cut').catch((reason: unknown) => reason);
      await rig.network.waitForMessage(BOB, ({ text }) => text === 'cut');
      await rig.network.fault({ kind: 'disconnect', number: ALICE });
      expect(isGatewayError(await outcome, 'send_cut_off')).to.equal(true);
    } finally {
      restore();
    }
  });

  it('a send whose keys cannot be kept is cut off, not rejected', async () => {
    const session = await rig.connected(ALICE);
    session.keys.onCommit = ({ keys }) => {
      if (keys?.some(({ type }) => type === 'session')) throw new Error('disk full');
    };
    const error = await session.send(BOB_PN, 'cut').catch((reason: unknown) => reason);
    expect(isGatewayError(error, 'send_cut_off')).to.equal(true);
    expect((await session.next('closed')).reason).to.equal('store_unavailable');
  });

  it('a send that is cut while it is written down fails once that has ended', async () => {
    const session = await rig.connected(ALICE);
    const order: string[] = [];
    let finish = () => {};
    const begun = new Promise<void>((begin) => {
      const beforeSend = () => {
        begin();
        return new Promise<void>((resolve) => {
          finish = resolve;
        });
      };
      session.send(BOB_PN, 'cut', { beforeSend }).catch((error: unknown) => {
        order.push(isGatewayError(error, 'send_not_connected') ? 'not connected' : String(error));
        told();
      });
    });
    let told = () => {};
    const failed = new Promise<void>((resolve) => {
      told = resolve;
    });
    await begun;
    await rig.network.fault({ kind: 'disconnect', number: ALICE });
    await session.next('closed');
    expect(await rig.network.messages(BOB)).to.deep.equal([]);
    order.push('written');
    finish();
    await failed;
    expect(order).to.deep.equal(['written', 'not connected']);
  });

  it('close() is quiet, and so is a link that is closed before it is up', async () => {
    const session = await rig.connected(ALICE);
    await session.close();
    const early = rig.session().open();
    await early.close();
    expect([...session.all('closed'), ...early.events]).to.deep.equal([]);
    expect((await rig.network.phone(ALICE)).devices.map(({ connected }) => connected)).to.deep.equal([false]);
  });

  it('renew() ends it as a lost link ends, so that nothing is kept back', async () => {
    const session = await rig.connected(ALICE);
    session.link?.renew();
    expect((await session.next('closed')).reason).to.equal('renewed');
    await rig.network.write(BOB, { to: ALICE, text: 'meanwhile' });
    session.open();
    expect(textOf((await session.next('message')).message)).to.equal('meanwhile');
  });

  it('logout() unlinks the device, confirmed and quiet', async () => {
    const session = await rig.connected(ALICE);
    expect(await session.link?.logout()).to.equal(true);
    expect((await rig.network.phone(ALICE)).devices).to.deep.equal([]);
    expect(session.all('closed')).to.deep.equal([]);
  });

  it('nobody listening at the address is an unreachable network', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    server.close();
    const port = address instanceof Object ? address.port : 0;
    const factory = createBaileysLinks({
      network: { url: `ws://127.0.0.1:${port}/ws/chat` },
      log: pino({ level: 'silent' }),
      clock: systemClock,
    });
    expect((await new Session(factory).open().next('closed')).reason).to.equal('network_unreachable');
  });
});

describe('an unanswering network', () => {
  const clock = new ManualClock(Date.now());
  let rig: Rig;

  beforeEach(async () => {
    rig = await Rig.start({ clock });
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
  });

  afterEach(() => rig.stop());

  it('pings prove the connection, and a peer that stops answering ends it without waiting for a handshake', async () => {
    const session = await rig.connected(ALICE);
    await clock.scheduled(PING_EVERY_MS);
    expect(session.link?.vitals().lastPongAt).to.equal(clock.now());
    await rig.network.fault({ kind: 'silence', number: ALICE });
    clock.advance(PING_EVERY_MS);
    clock.advance(PONG_MS);
    expect((await session.next('closed')).reason).to.equal('connection_silent');
  });

  it('an answered ping proves the connection, but is no news of the account', async () => {
    const session = await rig.connected(ALICE);
    await clock.scheduled(PING_EVERY_MS);
    const before = session.link?.vitals().lastStanzaAt;
    clock.advance(PING_EVERY_MS);
    await clock.scheduled(PING_EVERY_MS);
    expect(session.link?.vitals()).to.deep.equal({ lastPongAt: clock.now(), lastStanzaAt: before });
    await rig.network.write(BOB, { to: ALICE, text: 'news' });
    await session.next('message');
    expect(session.link?.vitals().lastStanzaAt).to.equal(clock.now());
  });

  it('a link ends even if its library never tells of the end', async () => {
    const session = await rig.connected(ALICE);
    const restore = numbSockets();
    try {
      const closed = session.close();
      await clock.scheduled(CLOSING_MS);
      clock.advance(CLOSING_MS);
      await clock.scheduled(CLOSING_MS);
      clock.advance(CLOSING_MS);
      await closed;
    } finally {
      restore();
    }
    expect(session.all('closed')).to.deep.equal([]);
  });

  it('so does one that has failed and is closed then', async () => {
    const session = await rig.connected(ALICE);
    await clock.scheduled(PING_EVERY_MS);
    await rig.network.fault({ kind: 'silence', number: ALICE });
    const restore = numbSockets();
    try {
      clock.advance(PING_EVERY_MS);
      clock.advance(PONG_MS);
      const closed = session.close();
      clock.advance(CLOSING_MS);
      await closed;
    } finally {
      restore();
    }
  });

  it('a send that nobody acknowledges fails in time', async () => {
    const session = await rig.connected(ALICE);
    await rig.network.fault({ kind: 'drop-acks', number: ALICE });
    const outcome = session.send(BOB_PN, 'into the dark').catch((reason: unknown) => reason);
    await clock.scheduled(LIMITS.sendAckMs);
    clock.advance(LIMITS.sendAckMs);
    expect(isGatewayError(await outcome, 'send_unacknowledged')).to.equal(true);
  });

  it('an unanswered device query fails the send and sends nothing', async () => {
    const session = await rig.connected(ALICE);
    await rig.network.fault({ kind: 'ignore-queries', number: ALICE });
    const outcome = session.send(BOB_PN, 'lost').catch((reason: unknown) => reason);
    await clock.scheduled(DEVICE_QUERY_MS);
    clock.advance(DEVICE_QUERY_MS);
    expect(isGatewayError(await outcome, 'device_query_unanswered')).to.equal(true);
    expect(session.sent.size).to.equal(0);
    await rig.network.clearFaults();
    await session.send(BOB_PN, 'found');
    expect((await rig.network.messages(BOB)).map(({ text }) => text)).to.deep.equal(['found']);
  });

  it('an upgrade that is never answered ends the link', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = address instanceof Object ? address.port : 0;
    const factory = createBaileysLinks({
      network: { url: `ws://127.0.0.1:${port}/ws/chat` },
      log: pino({ level: 'silent' }),
      clock,
    });
    const session = new Session(factory).open();
    const [socket] = await once(server, 'connection');
    clock.advance(CONNECT_MS);
    expect((await session.next('closed')).reason).to.equal('connect_timeout');
    socket.destroy();
    server.close();
  });
});

/** Makes all sockets deaf to their ends; the returned function gives them their ends back. */
function numbSockets(): () => void {
  const { close, terminate } = WebSocket.prototype;
  const numbed = new Set<WebSocket>();
  const numb = function (this: WebSocket) {
    numbed.add(this);
  };
  Object.assign(WebSocket.prototype, { close: numb, terminate: numb });
  return () => {
    Object.assign(WebSocket.prototype, { close, terminate });
    for (const socket of numbed) socket.terminate();
  };
}

/** Keeps from whoever writes to a socket that it was written; the returned function ends that. */
function muteWrites(): () => void {
  const { send } = WebSocket.prototype;
  const muted = function (this: WebSocket, data: Uint8Array) {
    send.call(this, data, {}, undefined);
  };
  Object.assign(WebSocket.prototype, { send: muted });
  return () => Object.assign(WebSocket.prototype, { send });
}
