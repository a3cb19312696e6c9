import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildUInt } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import type { BaileysDevice } from './support/baileys-device.js';
import { ALICE, BOB, pnJid, SandboxWorld } from './support/world.js';

describe('Sandbox: one-time keys', () => {
  const world = new SandboxWorld();

  beforeEach(() => world.open());
  afterEach(() => world.close());

  it('are handed out once each, of phones and of clients, and a client that runs low uploads more', async () => {
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

  it('come with the identity proof of the device, and under the jid that was asked for', async () => {
    const [alice, bob] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
    for (const jid of [bob.creds.me?.id ?? '', bob.creds.me?.lid ?? '']) {
      const user = await bundle(alice, jid);
      expect(user?.attrs.jid).to.equal(jid);
      expect(getBinaryNodeChild(user, 'device-identity')?.content).to.have.length.above(100);
    }
    expect(getBinaryNodeChild(await bundle(alice, pnJid(BOB)), 'device-identity')).to.equal(undefined);
  });

  it('of devices that are not there are left out', async () => {
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
