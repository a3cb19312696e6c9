import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import { systemClock } from '../../../src/domain/clock.js';
import { isGatewayError } from '../../../src/domain/errors.js';
import { LIMITS } from '../../../src/domain/limits.js';
import { textOf as wordsOf } from '../../../src/domain/reasons.js';
import type { CloseReason } from '../../../src/domain/session.js';
import { createBaileysLinks } from '../../../src/gateway/link/baileys/index.js';
import { ManualClock } from '../../support/manual-clock.js';
import { LinkRig, Session, textOf } from './rig.js';

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

describe('a link that the network closes', () => {
  let rig: LinkRig;
  let other: Session;

  before(async () => {
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
    other = await rig.connected(BOB);
  });

  after(() => rig.stop());

  for (const [index, [kind, reason]] of CLOSES.entries()) {
    it(`ends as ${reason} after ${kind}, without effect on other links`, async () => {
      const number = `+1555000010${index}`;
      await rig.network.addPhone({ number });
      const session = await rig.connected(number);
      await rig.network.fault({ kind, number });
      const closed = await session.next('closed');
      expect(closed.reason.code).to.equal(reason);
      expect(wordsOf(closed.reason)).to.match(/\.$/);
      await other.send(`${number.slice(1)}@s.whatsapp.net`, 'still here');
      expect(other.all('closed')).to.deep.equal([]);
      expect(session.all('closed')).to.have.length(1);
      expect(session.events.at(-1)?.type).to.equal('closed');
    });
  }
});

describe('a link on a network with faults', () => {
  let rig: LinkRig;

  beforeEach(async () => {
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
  });

  afterEach(() => rig.stop());

  it('reports a device that was unlinked while offline as logged out when it connects', async () => {
    const session = await rig.paired(ALICE);
    await rig.network.unlink(ALICE);
    session.open();
    expect((await session.next('closed')).reason.code).to.equal('logged_out');
  });

  it('ends at once after a refused upgrade', async () => {
    await rig.network.fault({ kind: 'refuse-upgrade' });
    const closed = await rig.session().open().next('closed');
    expect(closed.reason.code).to.equal('network_unreachable');
    expect(wordsOf(closed.reason)).to.include('503');
  });

  it('fails a send when the connection ends during it', async () => {
    const session = await rig.connected(ALICE);
    await rig.network.fault({ kind: 'drop-acks', number: ALICE });
    await rig.network.fault({ kind: 'drop-receipts', number: ALICE });
    const outcome = session.send(BOB_PN, 'cut').catch((reason: unknown) => reason);
    await rig.network.waitForMessage(BOB, ({ text }) => text === 'cut');
    await rig.network.fault({ kind: 'disconnect', number: ALICE });
    expect(isGatewayError(await outcome, 'send_cut_off')).to.equal(true);
  });

  it('reports a message that may have left as cut off, not as unsent', async () => {
    const session = await rig.connected(ALICE);
    await session.send(BOB_PN, 'asks for what is needed');
    await rig.network.fault({ kind: 'drop-acks', number: ALICE });
    await rig.network.fault({ kind: 'drop-receipts', number: ALICE });
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

  for (const [when, isKnown, code] of [
    ['before it leaves', false, 'send_not_connected'],
    ['while it leaves', true, 'send_cut_off'],
  ] as const) {
    it(`reports a send as ${code}, not as rejected, when its keys cannot be stored ${when}`, async () => {
      const session = await rig.connected(ALICE);
      // the first message to a device stores a session for it already when the message is prepared
      if (isKnown) await session.send(BOB_PN, 'hello');
      session.keys.onCommit = ({ keys }) => {
        if (keys?.some(({ type }) => type === 'session')) throw new Error('disk full');
      };
      const error = await session.send(BOB_PN, 'cut').catch((reason: unknown) => reason);
      expect(isGatewayError(error) && error.code).to.equal(code);
      expect((await session.next('closed')).reason.code).to.equal('store_unavailable');
    });
  }

  it('sends nothing over a connection that ended while the record of the message was written', async () => {
    const session = await rig.connected(ALICE);
    const order: string[] = [];
    let finish = () => {};
    const begun = new Promise<void>((begin) => {
      const record = () => {
        begin();
        return new Promise<void>((resolve) => {
          finish = resolve;
        });
      };
      session.send(BOB_PN, 'cut', { record }).catch((error: unknown) => {
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

  it('emits nothing after close(), even before the connection is open', async () => {
    const session = await rig.connected(ALICE);
    await session.close();
    const early = rig.session().open();
    await early.close();
    expect([...session.all('closed'), ...early.events]).to.deep.equal([]);
    expect((await rig.network.phone(ALICE)).devices.map(({ connected }) => connected)).to.deep.equal([false]);
  });

  it('emits the remaining events and `closed` after renew()', async () => {
    const session = await rig.connected(ALICE);
    session.link?.renew();
    expect((await session.next('closed')).reason.code).to.equal('renewed');
    await rig.network.write(BOB, { to: ALICE, text: 'meanwhile' });
    session.open();
    expect(textOf((await session.next('message')).message)).to.equal('meanwhile');
  });

  it('unlinks the device with logout(), and emits nothing after it', async () => {
    const session = await rig.connected(ALICE);
    expect(await session.link?.logout()).to.equal(true);
    expect((await rig.network.phone(ALICE)).devices).to.deep.equal([]);
    expect(session.all('closed')).to.deep.equal([]);
  });

  it('reports an address without a listener as an unreachable network', async () => {
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
    expect((await new Session(factory).open().next('closed')).reason.code).to.equal('network_unreachable');
  });
});

describe('a link on a network that does not answer', () => {
  const clock = new ManualClock(Date.now());
  let rig: LinkRig;

  beforeEach(async () => {
    rig = await LinkRig.start({ clock });
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
  });

  afterEach(() => rig.stop());

  it('ends without a closing handshake when pings are no longer answered', async () => {
    const session = await rig.connected(ALICE);
    await clock.scheduled(PING_EVERY_MS);
    expect(session.link?.vitals().lastPongAt).to.equal(clock.now());
    await rig.network.fault({ kind: 'silence', number: ALICE });
    clock.advance(PING_EVERY_MS);
    clock.advance(PONG_MS);
    expect((await session.next('closed')).reason.code).to.equal('connection_silent');
  });

  it('counts an answered ping as a sign of the connection, not of the account', async () => {
    const session = await rig.connected(ALICE);
    await clock.scheduled(PING_EVERY_MS);
    const before = session.link?.vitals().lastStanzaAt;
    clock.advance(PING_EVERY_MS);
    await clock.scheduled(PING_EVERY_MS);
    expect(session.link?.vitals()).to.deep.equal({
      lastPongAt: clock.now(),
      lastStanzaAt: before,
      silentMs: 0,
    });
    await rig.network.write(BOB, { to: ALICE, text: 'news' });
    await session.next('message');
    expect(session.link?.vitals().lastStanzaAt).to.equal(clock.now());
  });

  it('ends even if the library never reports it', async () => {
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

  it('ends when it is closed after a failure that the library never reports', async () => {
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

  it('fails an unacknowledged send at its deadline', async () => {
    const session = await rig.connected(ALICE);
    await rig.network.fault({ kind: 'drop-acks', number: ALICE });
    await rig.network.fault({ kind: 'drop-receipts', number: ALICE });
    const outcome = session.send(BOB_PN, 'into the dark').catch((reason: unknown) => reason);
    await clock.scheduled(LIMITS.sendAckMs);
    clock.advance(LIMITS.sendAckMs);
    expect(isGatewayError(await outcome, 'send_unacknowledged')).to.equal(true);
  });

  it('sends nothing when the device query is not answered', async () => {
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

  it('ends when the upgrade is never answered', async () => {
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
    expect((await session.next('closed')).reason.code).to.equal('connect_timeout');
    socket.destroy();
    server.close();
  });
});

/** Disables `close()` and `terminate()` of all sockets until the returned function is called. */
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

/** Suppresses the write callbacks of sockets until the returned function is called. */
function muteWrites(): () => void {
  const { send } = WebSocket.prototype;
  const muted = function (this: WebSocket, data: Uint8Array) {
    send.call(this, data, {}, undefined);
  };
  Object.assign(WebSocket.prototype, { send: muted });
  return () => Object.assign(WebSocket.prototype, { send });
}
