import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { ManualClock } from '../support/manual-clock.js';
import { ALICE, BOB, pnJid, SandboxWorld } from './support/world.js';

const HEADER = Buffer.from([0x57, 0x41, 6, 3]);

const GARBAGE: [string, Buffer][] = [
  ['random bytes', randomBytes(500)],
  ['a header and then random bytes', Buffer.concat([HEADER, Buffer.from([0, 0, 40]), randomBytes(40)])],
  ['an empty hello', Buffer.concat([HEADER, Buffer.from([0, 0, 0])])],
  ['a hello whose key is no key', Buffer.concat([HEADER, Buffer.from([0, 0, 6, 0x12, 4, 0x0a, 2, 1, 2])])],
];

describe('Sandbox: garbage from a client', () => {
  const world = new SandboxWorld();

  beforeEach(() => world.open());
  afterEach(() => world.close());

  for (const [name, bytes] of GARBAGE) {
    it(`closes only that socket on ${name}`, async () => {
      const alice = await world.linked(ALICE);
      const stranger = new WebSocket(world.sandbox.wsUrl);
      await once(stranger, 'open');
      stranger.send(bytes);
      await once(stranger, 'close');
      await alice.say(pnJid(BOB), 'unharmed');
      await world.client.waitForMessage(BOB, ({ text }) => text === 'unharmed');
    });
  }

  it('closes the socket on garbage after the handshake, and the client can reconnect', async () => {
    const [alice, bob] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
    const closed = alice.closed();
    await alice.socket.sendRawMessage(randomBytes(100));
    expect(await closed).to.equal(428);
    await alice.connect();
    await bob.say(pnJid(ALICE), 'unharmed');
    await alice.text('unharmed');
  });

  it('survives strange but well-formed stanzas', async () => {
    const alice = await world.linked(ALICE);
    const { socket } = alice;
    for (const tag of [
      'message',
      'receipt',
      'ack',
      'chatstate',
      'ib',
      'call',
      'presence',
      'notification',
      'nonsense',
    ]) {
      await socket.sendNode({ tag, attrs: { id: '1', to: 'nobody@nowhere', type: 'retry', class: 'x' } });
      await socket.sendNode({ tag, attrs: {}, content: [{ tag: 'participants', attrs: {}, content: [] }] });
      await socket.sendNode({ tag, attrs: {}, content: Buffer.from('x') });
    }
    const refused: unknown = await socket
      .query({ tag: 'iq', attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'no:such' } })
      .catch((error: unknown) => error);
    expect(refused).to.have.property('message', 'feature-not-implemented');
    await alice.say(pnJid(BOB), 'unharmed');
    await world.client.waitForMessage(BOB, ({ text }) => text === 'unharmed');
  });

  it('drops a ciphertext that cannot be decrypted, and delivers the next message', async () => {
    const alice = await world.linked(ALICE);
    const enc = { tag: 'enc', attrs: { v: '2', type: 'msg' }, content: randomBytes(80) };
    await alice.socket.sendNode({
      tag: 'message',
      attrs: { id: 'GARBAGE', to: pnJid(BOB), type: 'text' },
      content: [
        {
          tag: 'participants',
          attrs: {},
          content: [{ tag: 'to', attrs: { jid: pnJid(BOB) }, content: [enc] }],
        },
      ],
    });
    await alice.say(pnJid(BOB), 'unharmed');
    await world.client.waitForMessage(BOB, ({ text }) => text === 'unharmed');
    expect(await world.client.messages(BOB)).to.have.length(1);
  });

  it('refuses bytes that are not HTTP', async () => {
    const socket = connect(world.sandbox.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume();
    socket.write('hello?\r\n\r\n');
    await once(socket, 'close');
    expect(await world.client.stats()).to.include({ connections: 0 });
  });
});

const SILENCE_MS = 90_000;
/** Milliseconds between two looks of the network at who is silent. */
const TICK_MS = SILENCE_MS / 4;

describe('Sandbox: a silent client', () => {
  const world = new SandboxWorld();
  let clock: ManualClock;

  beforeEach(async () => {
    clock = new ManualClock();
    await world.open({ clock });
  });
  afterEach(() => world.close());

  it('a silent client is disconnected after 90 seconds, and its next login is no conflict', async () => {
    const [alice, bob] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
    const closed = alice.closed();
    for (let tick = 0; tick < 5; tick++) {
      expect((await world.client.stats()).dropped).to.equal(0);
      clock.advance(TICK_MS);
      await bob.socket.query({ tag: 'iq', attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'w:p' } });
    }
    expect(await closed).to.equal(428);
    await alice.connect();
    await bob.say(pnJid(ALICE), 'after the silence');
    await alice.text('after the silence');
    const stats = await world.client.stats();
    expect(stats).to.include({ dropped: 1, conflicts: 0, repeated: 0 });
    expect(stats.loginsByDevice).to.deep.equal({ [`${ALICE}:1`]: 2, [`${BOB}:1`]: 1 });
  });

  it('a silent client gets the messages of the silent period at the next connection', async () => {
    const alice = await world.linked(ALICE);
    const closed = alice.closed();
    clock.advance(2 * SILENCE_MS);
    await closed;
    await world.client.write(BOB, { to: ALICE, text: 'during the silence' });
    expect((await world.client.stats()).waitingOffline).to.equal(1);
    await alice.connect();
    await alice.text('during the silence');
  });
});
