import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  getBinaryNodeChildUInt,
} from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { type BaileysDevice, textOf } from './support/baileys-device.js';
import { ALICE, BOB, pnJid, SandboxWorld } from './support/world.js';

describe('Sandbox: one-time keys', () => {
  const world = new SandboxWorld();

  beforeEach(() => world.open());
  afterEach(() => world.close());

  it('one-time keys are given out once each, and a client with few keys uploads more', async () => {
    const [alice, bob] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
    const device = bob.creds.me?.id ?? '';
    const seen = new Set<number>();
    for (let asked = 0; asked < 12; asked++) {
      const lowered = uploaded(bob);
      const id = preKeyId(await bundle(alice, device));
      expect(id).to.be.a('number');
      expect(seen.has(id ?? 0)).to.equal(false);
      seen.add(id ?? 0);
      if (asked === 1) await lowered;
    }
    const first = preKeyId(await bundle(alice, pnJid(BOB)));
    expect(preKeyId(await bundle(alice, pnJid(BOB)))).not.to.equal(first);
  });

  it('include the identity proof of the device, under the jid of the query', async () => {
    const [alice, bob] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
    for (const jid of [bob.creds.me?.id ?? '', bob.creds.me?.lid ?? '']) {
      const user = await bundle(alice, jid);
      expect(user?.attrs.jid).to.equal(jid);
      expect(getBinaryNodeChild(user, 'device-identity')?.content).to.have.length.above(100);
    }
    expect(getBinaryNodeChild(await bundle(alice, pnJid(BOB)), 'device-identity')).to.equal(undefined);
  });

  it('keys of single devices are given out to a client that names them', async () => {
    const [alice, bob] = [await world.linked(ALICE), await world.linked(BOB)];
    const { lid } = await world.client.phone(BOB);
    const registration = { tag: 'registration', attrs: {}, content: Buffer.alloc(4) };
    const devices = ['0', '1', '9'].map((id) => ({ tag: 'device', attrs: { id }, content: [registration] }));
    const answer: BinaryNode = await alice.socket.query({
      tag: 'iq',
      attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'encrypt' },
      content: [
        { tag: 'key_fetch', attrs: {}, content: [{ tag: 'user', attrs: { jid: lid }, content: devices }] },
      ],
    });
    const user = getBinaryNodeChild(getBinaryNodeChild(answer, 'list'), 'user');
    expect(user?.attrs).to.include({ jid: lid });
    const [phone, companion, ...others] = getBinaryNodeChildren(user, 'device');
    expect([phone?.attrs.id, companion?.attrs.id, others.length]).to.deep.equal(['0', '1', 0]);
    expect(getBinaryNodeChild(phone, 'device-identity')).to.equal(undefined);
    expect(getBinaryNodeChild(companion, 'device-identity')).not.to.equal(undefined);
    const { public: key } = bob.creds.signedIdentityKey;
    expect(getBinaryNodeChild(companion, 'identity')?.content).to.deep.equal(Buffer.from(key));
  });

  it('one-time keys are omitted for unknown devices', async () => {
    const alice = await world.linked(ALICE);
    expect(await bundle(alice, '15550000002:9@s.whatsapp.net')).to.equal(undefined);
    expect(await bundle(alice, '15559999999@s.whatsapp.net')).to.equal(undefined);
  });
});

async function bundle({ socket }: BaileysDevice, jid: string): Promise<BinaryNode | undefined> {
  const answer: BinaryNode = await socket.query({
    tag: 'iq',
    attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'encrypt' },
    content: [{ tag: 'key', attrs: {}, content: [{ tag: 'user', attrs: { jid } }] }],
  });
  return getBinaryNodeChild(getBinaryNodeChild(answer, 'list'), 'user');
}

function preKeyId(user: BinaryNode | undefined): number | undefined {
  const key = getBinaryNodeChild(user, 'key');
  return key && getBinaryNodeChildUInt(key, 'id', 3);
}

/** Resolves when a client has made more keys. */
async function uploaded(device: BaileysDevice): Promise<void> {
  const before = device.creds.nextPreKeyId;
  await device.until('creds.update', ({ nextPreKeyId = 0 }) => nextPreKeyId > before).catch(() => undefined);
}

describe('Sandbox: messages that cannot be decrypted', () => {
  const world = new SandboxWorld();

  beforeEach(() => world.open());
  afterEach(() => world.close());

  it('the phone encrypts them again when a client lost its session', async () => {
    const alice = await world.linked(ALICE);
    await talk(alice);
    await forgetSessions(alice);
    const { messageId } = await world.client.write(BOB, { to: ALICE, text: 'after the loss' });
    const message = await alice.text('after the loss');
    expect(message.key.id).to.equal(messageId);
    await world.client.write(BOB, { to: ALICE, text: 'and on' });
    await alice.text('and on');
  });

  it('the phone encrypts them again when they only change other messages', async () => {
    const alice = await world.linked(ALICE);
    await talk(alice);
    const { messageId } = await world.client.write(BOB, { to: ALICE, text: 'frist' });
    await alice.text('frist');
    await forgetSessions(alice);
    const edited = alice.until('messages.update', ([first]) => first?.key.id === messageId);
    await world.client.write(BOB, { to: ALICE, edit: { messageId, text: 'first' } });
    const { editedMessage } = (await edited)[0]?.update.message ?? {};
    expect(editedMessage?.message?.conversation).to.equal('first');
  });

  it('a client encrypts them again when the phone cannot decrypt them', async () => {
    const alice = await world.linked(ALICE);
    await talk(alice);
    await garbleSessions(alice);
    const id = await alice.say(pnJid(BOB), 'read this if you can');
    const message = await world.client.waitForMessage(BOB, ({ text }) => text === 'read this if you can');
    expect(message.messageId).to.equal(id);
  });

  it('a client encrypts them again for another client', async () => {
    const [alice, bob] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
    await alice.say(pnJid(BOB), 'first');
    await bob.text('first');
    await bob.say(pnJid(ALICE), 'second');
    await alice.text('second');
    await forgetSessions(bob);
    const id = await alice.say(pnJid(BOB), 'third');
    const message = await bob.text('third');
    expect(message.key.id).to.equal(id);
    expect(bob.messages.filter((one) => textOf(one) === 'third')).to.have.length(1);
  });

  async function talk(alice: Awaited<ReturnType<SandboxWorld['linked']>>): Promise<void> {
    await alice.say(pnJid(BOB), 'ping');
    await world.client.waitForMessage(BOB, ({ text }) => text === 'ping');
    await world.client.write(BOB, { to: ALICE, text: 'pong' });
    await alice.text('pong');
  }
});

async function forgetSessions(device: { keys: { drop(type: string): void } }): Promise<void> {
  device.keys.drop('session');
}

/** Replaces chain keys, so that the other side cannot decrypt. */
async function garbleSessions(device: {
  keys: { change(type: string, edit: (row: string) => string): void };
}) {
  device.keys.change('session', (row) =>
    row.replace(/("chainType":1,|"chainKey":\{"counter":\d+,"key":")([A-Za-z0-9+/]{4})/g, '$1AAAA'),
  );
}
