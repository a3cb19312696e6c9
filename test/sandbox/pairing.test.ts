import { randomBytes } from 'node:crypto';
import { type BinaryNode, configureSuccessfulPairing, initAuthCreds } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { type NetworkEvent, SandboxRefusal } from '../../src/client/sandbox/client.js';
import { systemClock } from '../../src/domain/clock.js';
import { completeProof, signDevice } from '../../src/sandbox/pairing/adv.js';
import { parseQr } from '../../src/sandbox/pairing/pairing.js';
import { generateKeyPair, sign, verify } from '../../src/sandbox/wire/keys.js';
import { bytesOf, child, stanza } from '../../src/sandbox/wire/stanza.js';
import type { BaileysDevice } from './support/baileys-device.js';
import { ALICE, BOB, CAROL, pnJid, SandboxWorld } from './support/world.js';

type Browser = [system: string, browser: string, version: string];

/** The display name of a device, and the refusal of the network. */
const DISPLAYS: [what: string, browser: Browser, code: string | undefined][] = [
  ['Chrome (Switchboard)', ['Switchboard', 'Chrome', '1'], '400'],
  ['Chrome (Ubuntu)', ['Ubuntu', 'Chrome', '22'], '400'],
  ['Desktop (Mac OS)', ['Mac OS', 'Desktop', '14'], '400'],
  ['Chrome (Mac OS)', ['Mac OS', 'Chrome', '14'], undefined],
  ['Firefox (Windows)', ['Windows', 'Firefox', '10'], undefined],
];

describe('Sandbox: pairing', () => {
  const world = new SandboxWorld();

  beforeEach(() => world.open());
  afterEach(() => world.close());

  it('links a client by QR: restart, login, open, with number, LID and name', async () => {
    const device = world.device();
    const qr = await device.qr();
    const closed = device.closed();
    const linked = await world.client.scan(ALICE, qr);
    expect(await closed).to.equal(515);
    expect(linked).to.include({ id: 1, connected: false });
    expect(linked.platform).to.match(/\(.+\)/);
    const phone = await world.client.phone(ALICE);
    expect(device.creds.me).to.include({
      id: '15550000001:1@s.whatsapp.net',
      lid: phone.lid.replace('@', ':1@'),
    });
    await device.connect();
    await device.named('Alice');
    expect((await world.client.phone(ALICE)).devices).to.have.nested.property('[0].connected', true);
  });

  it('links several clients to one number, and several numbers at once', async () => {
    const devices = await Promise.all([world.linked(BOB), world.linked(CAROL), world.linked(ALICE)]);
    const second = await world.linked(ALICE);
    expect(devices).to.have.length(3);
    expect(second.creds.me?.id).to.equal('15550000001:2@s.whatsapp.net');
    expect((await world.client.phone(ALICE)).devices.map(({ id }) => id)).to.deep.equal([1, 2]);
    expect(await world.client.stats()).to.include({ connections: 4, logins: 4, devices: 4 });
  });

  it('refuses a QR with other keys, an unknown QR, and invalid text', async () => {
    const qr = await world.device().qr();
    const [ref, ...keys] = qr.split(',');
    const forged = [ref, Buffer.alloc(32, 7).toString('base64'), ...keys.slice(1)].join(',');
    await refuses(400, /other keys/, world.client.scan(ALICE, forged));
    await refuses(400, /expired/, world.client.scan(ALICE, qr.replace('#2@', '#2@x')));
    await refuses(400, /not a pairing QR/, world.client.scan(ALICE, 'https://example.org'));
    expect((await world.client.phone(ALICE)).devices).to.deep.equal([]);
  });

  it('shows the registration and login data of a device, without its keys', async () => {
    await world.linked(ALICE, { browser: ['Mac OS', 'Chrome', '14'] });
    const { registration, login, ...device } = await world.client.device(ALICE, 1);
    expect(device).to.include({ id: 1, platform: 'Chrome (Mac OS)', connected: true });
    expect(registration?.payload).to.deep.include({
      passive: false,
      pull: false,
      connectReason: 'USER_ACTIVATED',
      webInfo: { webSubPlatform: 'WEB_BROWSER' },
    });
    expect(registration?.payload.devicePairingData).to.have.all.keys('buildHash');
    expect(registration?.deviceProps).to.include({ os: 'Mac OS', platformType: 'CHROME' });
    expect(registration?.deviceProps).to.have.property('historySyncConfig');
    expect(login).to.include({ device: 1, passive: true, pull: true });
    await refuses(404, /no device 2/, world.client.device(ALICE, 2));
  });

  it('forgets the QR of a client that disconnected', async () => {
    const device = world.device();
    const qr = await device.qr();
    await device.stop();
    await refuses(400, /expired/, world.client.scan(ALICE, qr));
  });

  it('links a client by a typed code', async () => {
    const device = world.device();
    const code = await device.code(ALICE, 'SWTCH234');
    const closed = device.closed();
    const linked = await world.client.enterCode(ALICE, `${code.slice(0, 4)}-${code.slice(4)}`.toLowerCase());
    expect(linked).to.include({ id: 1 });
    expect(await closed).to.equal(515);
    await device.connect();
    expect(device.creds.registered).to.equal(true);
    expect(device.creds.me?.id).to.equal('15550000001:1@s.whatsapp.net');
  });

  it('refuses a wrong code, leaves the client unregistered, and accepts the right code afterwards', async () => {
    const device = world.device();
    const code = await device.code(ALICE);
    await refuses(400, /wrong code/, world.client.enterCode(ALICE, 'AAAABBBB'));
    expect(device.creds.registered).to.equal(false);
    expect((await world.client.phone(ALICE)).devices).to.deep.equal([]);
    const closed = device.closed();
    await world.client.enterCode(ALICE, code);
    expect(await closed).to.equal(515);
  });

  it('refuses a code that no client shows, and invalid text', async () => {
    await refuses(400, /no device waits/, world.client.enterCode(ALICE, 'AAAABBBB'));
    await refuses(400, /8 letters/, world.client.enterCode(ALICE, 'short'));
  });

  it('refuses a code that is older than 180 seconds', async () => {
    await world.close();
    let late = 0;
    await world.open({ clock: { ...systemClock, now: () => Date.now() + late } });
    const device = world.device();
    const code = await device.code(ALICE);
    late = 181_000;
    await refuses(400, /expired/, world.client.enterCode(ALICE, code));
  });

  it('repeats the first step of the phone, and the client finishes again', async () => {
    const device = world.device();
    const code = await device.code(ALICE);
    await world.client.fault({ kind: 'replay-primary-hello', count: 2 });
    const closed = device.closed();
    expect(await world.client.enterCode(ALICE, code)).to.include({ id: 1 });
    expect(await closed).to.equal(515);
  });

  it('refuses the last step of linking by code, and links at the next attempt', async () => {
    const code = await world.device().code(ALICE);
    await world.client.fault({ kind: 'refuse-companion-finish', number: ALICE });
    await refuses(400, /last step/, world.client.enterCode(ALICE, code));
    expect(await world.client.enterCode(ALICE, code)).to.include({ id: 1 });
  });

  for (const [what, browser, code] of DISPLAYS) {
    it(`${code ? 'refuses' : 'accepts'} a code of a device that shows ${what} while the check is on`, async () => {
      await world.client.changeNetwork({ checkDisplay: true });
      const device = world.device({ browser });
      await device.qr();
      const answer = device.nextIqAnswer();
      await device.socket.requestPairingCode(ALICE.slice(1));
      expect(child(await answer, 'error')?.attrs.code).to.equal(code);
    });
  }

  it('takes the platform of every kind of client at the request for a code, and refuses an unknown one', async () => {
    await world.client.changeNetwork({ checkDisplay: true });
    const device = world.device();
    await device.qr();
    for (const [id, code] of Object.entries({
      0: '400',
      1: undefined,
      9: undefined,
      e: undefined,
      x: '400',
    })) {
      const answer = device.nextIqAnswer();
      await device.socket.sendNode(codeRequest(id));
      expect(child(await answer, 'error')?.attrs.code, id).to.equal(code);
    }
  });

  it('requests a new secret, and refuses QRs with the old one', async () => {
    const device = world.device();
    const qr = await device.qr();
    followRefreshes(device);
    const secret = device.creds.advSecretKey;
    const refreshed = await world.client.refreshPairings({ count: 3, qrs: [qr] });
    expect(refreshed).to.deep.equal({ devices: 1, acknowledged: 3 });
    await refuses(400, /old secret/, world.client.scan(ALICE, qr));
    const closed = device.closed();
    await world.client.scan(ALICE, qr.replace(secret, device.creds.advSecretKey));
    expect(await closed).to.equal(515);
  });

  it('refuses every QR of a device that does not answer the request for a new secret', async () => {
    const device = world.device();
    const qr = await device.qr();
    expect(await world.client.refreshPairings()).to.deep.equal({ devices: 1, acknowledged: 0 });
    await refuses(400, /old secret/, world.client.scan(ALICE, qr));
  });

  it('requests a new secret when a QR is scanned, and links with the new secret', async () => {
    const device = world.device();
    const qr = await device.qr();
    followRefreshes(device);
    const secret = device.creds.advSecretKey;
    await world.client.fault({ kind: 'refresh-at-scan' });
    await refuses(400, /scan that one/, world.client.scan(ALICE, qr));
    await refuses(400, /old secret/, world.client.scan(ALICE, qr));
    const renewed = qr.replace(secret, device.creds.advSecretKey);
    expect(await world.client.scan(ALICE, renewed)).to.include({ id: 1 });
  });

  for (const step of ['pair-success', 'pair-device-sign'] as const) {
    it(`cuts the connection before ${step}, and links nothing`, async () => {
      const device = world.device();
      const qr = await device.qr();
      await world.client.fault({ kind: 'cut-pairing', step, number: ALICE });
      const closed = device.closed();
      await refuses(409, /went away/, world.client.scan(ALICE, qr));
      expect(await closed).to.equal(428);
      expect((await world.client.phone(ALICE)).devices).to.deep.equal([]);
    });
  }

  it('cuts the connection instead of sending the restart, and the device is linked', async () => {
    const device = world.device();
    const qr = await device.qr();
    await world.client.fault({ kind: 'cut-pairing', step: 'restart', number: ALICE });
    const closed = device.closed();
    await world.client.scan(ALICE, qr);
    expect(await closed).to.equal(428);
    await device.connect();
  });

  it('cuts the connection before companion-hello of a code', async () => {
    const device = world.device();
    await device.qr();
    await world.client.fault({ kind: 'cut-pairing', step: 'companion-hello', number: ALICE });
    const closed = device.closed();
    const code = await device.socket.requestPairingCode(ALICE.slice(1));
    expect(await closed).to.equal(428);
    await refuses(400, /no device waits/, world.client.enterCode(ALICE, code));
  });

  for (const step of ['primary-hello', 'companion-finish'] as const) {
    it(`cuts the connection before ${step} of a code`, async () => {
      const device = world.device();
      const code = await device.code(ALICE);
      await world.client.fault({ kind: 'cut-pairing', step, number: ALICE });
      const closed = device.closed();
      await refuses(409, /went away/, world.client.enterCode(ALICE, code));
      expect(await closed).to.equal(428);
    });
  }

  it('requires a step for the fault cut-pairing only', async () => {
    await refuses(400, /"step" is required/, world.client.fault({ kind: 'cut-pairing' }));
    await refuses(400, /"step" is not allowed/, world.client.fault({ kind: 'logout', step: 'restart' }));
  });

  it('answers a login with another Noise key with failure 401', async () => {
    const device = await world.linked(ALICE);
    const thief = world.device();
    const { id = '' } = device.creds.me ?? {};
    thief.creds.me = { id, name: 'Alice' };
    thief.start();
    expect(await thief.closed()).to.equal(401);
  });

  it('replaces the older connection of the same credentials', async () => {
    const device = await world.linked(ALICE);
    const replaced = device.closed();
    await device.connect();
    expect(await replaced).to.equal(440);
    expect((await world.client.stats()).conflicts).to.equal(1);
    await device.socket.sendPresenceUpdate('available');
  });

  it('logs linked clients out when the phone unlinks them', async () => {
    const device = await world.linked(ALICE);
    const closed = device.closed();
    await world.client.unlink(ALICE);
    expect(await closed).to.equal(401);
    device.start();
    expect(await device.closed()).to.equal(401);
    expect((await world.client.phone(ALICE)).devices).to.deep.equal([]);
  });

  it('unlinks a client that logs out', async () => {
    const device = await world.linked(ALICE);
    const isUnlinked = (event: NetworkEvent) => event.type === 'device' && event.change === 'unlinked';
    await world.client.waitFor(isUnlinked, undefined, () => device.socket.logout());
    expect((await world.client.phone(ALICE)).devices).to.deep.equal([]);
  });

  it('lets a client that removes itself close its connection, and closes it a moment later if it does not', async () => {
    const { socket, creds } = await world.linked(ALICE);
    const closed = new Promise<number>((resolve) => {
      socket.ws.on('CB:stream:error', () => resolve(Date.now()));
    });
    const attrs = { jid: creds.me?.id ?? '', reason: 'user_initiated' };
    const content = [{ tag: 'remove-companion-device', attrs }];
    await socket.query({ tag: 'iq', attrs: { to: 's.whatsapp.net', type: 'set', xmlns: 'md' }, content });
    const answeredAt = Date.now();
    expect((await closed) - answeredAt).to.be.greaterThan(500);
  });
});

/** Does what the library's own client does not: makes another secret when the network asks for it. */
function followRefreshes({ socket, creds }: BaileysDevice): void {
  socket.ws.on('CB:notification,type:companion_reg_refresh', ({ attrs }: BinaryNode) => {
    const { id = '', from = '', type = '' } = attrs;
    creds.advSecretKey = randomBytes(32).toString('base64');
    socket.sendNode({ tag: 'ack', attrs: { id, to: from, class: 'notification', type } });
  });
}

/** A request for a code to link Alice by. @param platform id of the kind of client */
function codeRequest(platform: string): BinaryNode {
  const bytes = (tag: string, length: number) => ({ tag, attrs: {}, content: Buffer.alloc(length, 1) });
  const text = (tag: string, content: string) => ({ tag, attrs: {}, content: Buffer.from(content) });
  const attrs = { jid: pnJid(ALICE), stage: 'companion_hello', should_show_push_notification: 'true' };
  return stanza('iq', { to: 's.whatsapp.net', type: 'set', xmlns: 'md', id: `code-${platform}` }, [
    stanza('link_code_companion_reg', attrs, [
      bytes('link_code_pairing_wrapped_companion_ephemeral_pub', 80),
      bytes('companion_server_auth_key_pub', 32),
      text('companion_platform_id', platform),
      text('companion_platform_display', 'Chrome (Linux)'),
      text('link_code_pairing_nonce', '0'),
    ]),
  ]);
}

async function refuses(status: number, message: RegExp, request: Promise<unknown>): Promise<void> {
  const error: unknown = await request.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).to.be.instanceOf(SandboxRefusal);
  expect(error).to.have.property('status', status);
  expect(error).to.have.property('message').that.matches(message);
}

describe('Sandbox: the identity proof of a device', () => {
  const creds = initAuthCreds();
  const phone = generateKeyPair();
  const identity = Buffer.from(creds.signedIdentityKey.public);
  const advSecret = Buffer.from(creds.advSecretKey, 'base64');
  const proof = signDevice(phone, { identity, advSecret, rawId: 7, keyIndex: 1, nowS: 1_700_000_000 });
  const success = stanza('iq', { id: '1' }, [
    stanza('pair-success', {}, [
      stanza('device-identity', {}, proof.container),
      stanza('device', { jid: '15550000001:1@s.whatsapp.net', lid: '123456789012345:1@lid' }),
    ]),
  ]);

  function answer(): Buffer {
    const { reply } = configureSuccessfulPairing(success, creds);
    return bytesOf(child(child(reply, 'pair-device-sign'), 'device-identity'));
  }

  it('an identity proof is valid when both the phone and the device have signed', () => {
    expect(completeProof(phone, proof, identity, answer())).to.have.length.above(150);
  });

  it('an identity proof is invalid when another device or another phone signed', () => {
    expect(completeProof(phone, proof, generateKeyPair().public, answer())).to.equal(undefined);
    expect(completeProof(generateKeyPair(), proof, identity, answer())).to.equal(undefined);
    const other = signDevice(phone, { identity, advSecret, rawId: 7, keyIndex: 2, nowS: 1_700_000_000 });
    expect(completeProof(phone, other, identity, answer())).to.equal(undefined);
  });

  it('an identity proof fails for another message, another key, or an incomplete signature', () => {
    const message = Buffer.from('message');
    const signature = sign(phone, message);
    expect(verify(phone.public, message, signature)).to.equal(true);
    expect(verify(phone.public, Buffer.from('massage'), signature)).to.equal(false);
    expect(verify(generateKeyPair().public, message, signature)).to.equal(false);
    expect(verify(phone.public, message, signature.subarray(1))).to.equal(false);
  });
});

const KEYS = [1, 2, 3].map((fill) => Buffer.alloc(32, fill));
const TEXT = ['2@ref', ...KEYS.map((key) => key.toString('base64')), '1'].join(',');

describe('Sandbox: parseQr', () => {
  it('parses a QR with and without its URL', () => {
    const expected = { ref: '2@ref', noiseKey: KEYS[0], identity: KEYS[1], advSecret: KEYS[2] };
    expect(parseQr(`https://wa.me/settings/linked_devices#${TEXT}`)).to.deep.equal(expected);
    expect(parseQr(TEXT)).to.deep.equal(expected);
  });

  it('rejects a QR with a missing part or a malformed key', () => {
    expect(parseQr('')).to.equal(undefined);
    expect(parseQr('2@ref,AAAA,AAAA,AAAA,1')).to.equal(undefined);
    expect(parseQr(TEXT.split(',').slice(0, 3).join(','))).to.equal(undefined);
  });
});
