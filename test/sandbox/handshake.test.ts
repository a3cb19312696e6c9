import { DEFAULT_CONNECTION_CONFIG, generateLoginNode, proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { generateKeyPair, type KeyPair } from '../../src/sandbox/wire/keys.js';
import type { BaileysDevice } from './support/baileys-device.js';
import { certificateFlaw, shakeHands } from './support/noise-client.js';
import { ALICE, BOB, SandboxWorld } from './support/world.js';

describe('Sandbox: the handshake', () => {
  const world = new SandboxWorld();
  let key: KeyPair;
  let payload: Uint8Array;
  let device: BaileysDevice;

  beforeEach(async () => {
    await world.open();
    device = await world.linked(ALICE);
    const { creds, keys } = device;
    const { noiseKey, me } = creds;
    key = { public: Buffer.from(noiseKey.public), private: Buffer.from(noiseKey.private) };
    const login = generateLoginNode(me?.id ?? '', { ...DEFAULT_CONNECTION_CONFIG, auth: { creds, keys } });
    payload = proto.ClientPayload.encode(login).finish();
  });
  afterEach(() => world.close());

  it('lets a client resume with the key of the server (IK), and logs it in', async () => {
    const full = await shakeHands(world.sandbox.wsUrl, { key, payload });
    expect(full).to.include({ pattern: 'XX' }).and.have.nested.property('first.tag', 'success');
    const { serverKey } = full;
    const resumed = await shakeHands(world.sandbox.wsUrl, { key, payload, serverKey });
    expect(resumed).to.include({ pattern: 'IK' }).and.have.nested.property('first.tag', 'success');
    expect(certificateFlaw(resumed, world.sandbox.rootKey)).to.equal(undefined);
    expect(await world.client.stats()).to.include({ resumed: 1, logins: 3 });
  });

  it('sends its hello in a message of its own when a client resumes, and the login after it', async () => {
    const { serverKey } = await shakeHands(world.sandbox.wsUrl, { key, payload });
    const resumed = await shakeHands(world.sandbox.wsUrl, { key, payload, serverKey });
    expect(resumed).to.include({ pattern: 'IK', isHelloAlone: true });
  });

  it('falls back to a full handshake when the client knows another key', async () => {
    const serverKey = generateKeyPair().public;
    const full = await shakeHands(world.sandbox.wsUrl, { key, payload, serverKey });
    expect(full).to.include({ pattern: 'XXfallback' }).and.have.nested.property('first.tag', 'success');
    expect(certificateFlaw(full, world.sandbox.rootKey)).to.equal(undefined);
  });

  it('falls back while the fault refuse-resume lasts', async () => {
    const { serverKey } = await shakeHands(world.sandbox.wsUrl, { key, payload });
    await world.client.fault({ kind: 'refuse-resume', count: 1 });
    const attempt = { key, payload, serverKey };
    expect(await shakeHands(world.sandbox.wsUrl, attempt)).to.include({ pattern: 'XXfallback' });
    expect(await shakeHands(world.sandbox.wsUrl, attempt)).to.include({ pattern: 'IK' });
  });

  it('pushes what waits as soon as a client has logged in that does not call itself passive', async () => {
    await device.stop();
    await world.client.write(BOB, { to: ALICE, text: 'waiting' });
    const login = proto.ClientPayload.decode(payload);
    const active = proto.ClientPayload.encode({ ...login, passive: false }).finish();
    const { stanzas } = await shakeHands(world.sandbox.wsUrl, { key, payload: active, count: 5 });
    // with the token that Bob's phone gives with its first message
    const tags = ['success', 'ib', 'message', 'notification', 'ib'];
    expect(stanzas?.map(({ tag }) => tag)).to.have.members(tags);
    expect(stanzas?.filter(({ tag }) => tag === 'message')).to.have.nested.property('[0].attrs.offline', '0');
  });

  it('lets the client close after a last stanza, and closes a moment later if it does not', async () => {
    await world.client.fault({ kind: 'ban', number: ALICE });
    const { first, openMs } = await shakeHands(world.sandbox.wsUrl, { key, payload, untilClosed: true });
    expect(first).to.deep.include({ tag: 'failure' }).and.have.nested.property('attrs.reason', '403');
    expect(openMs).to.be.within(1_000, 4_000);
  });

  for (const [kind, flaw] of Object.entries({
    'wrong-certificate': 'root',
    'wrong-certificate-key': 'key',
    'expired-certificate': 'time',
  })) {
    it(`sends a certificate chain with a wrong ${flaw} once with ${kind}`, async () => {
      await world.client.fault({ kind, count: 1 });
      const wrong = await shakeHands(world.sandbox.wsUrl, { key, payload });
      expect(certificateFlaw(wrong, world.sandbox.rootKey)).to.equal(flaw);
      const right = await shakeHands(world.sandbox.wsUrl, { key, payload });
      expect(certificateFlaw(right, world.sandbox.rootKey)).to.equal(undefined);
    });
  }
});
