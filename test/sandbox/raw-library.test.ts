import { Browsers } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { until } from '../support/until.js';
import { ALICE, BOB, SandboxWorld } from './support/world.js';

/**
 * What the library's own client, without the gateway, does on the network of today. The names are the rows of the
 * facts about linking: version (A1), refresh (A2), display (A3), code (A4), passkey (A5), pair-success (A7), temporary
 * ban (C10), certificates (C16).
 */
describe('Baileys alone on the sandbox', () => {
  const world = new SandboxWorld();

  beforeEach(() => world.open());
  afterEach(() => world.close());

  const outcome = (work: Promise<object>) => work.catch((error: Error) => error);

  it('links by QR and by code, logs in, and reconnects', async () => {
    const device = await world.linked(ALICE);
    const closed = device.closed();
    await world.client.fault({ kind: 'disconnect' });
    await closed;
    await device.connect();
    const other = world.device({ browser: Browsers.windows('Firefox') });
    const code = await other.code(ALICE);
    const restart = other.closed();
    expect(await world.client.enterCode(ALICE, code)).to.include({ id: 2 });
    expect(await restart).to.equal(515);
    await other.connect();
  });

  it('passes C5 and C15: it reads a damaged message after a retry, and one without encryption', async () => {
    const device = await world.linked(ALICE);
    for (const deviceCopy of ['damaged', 'plaintext'] as const) {
      await world.client.write(BOB, { to: ALICE, text: deviceCopy, deviceCopy });
      await device.text(deviceCopy);
    }
  });

  it('fails on F6: its retry receipts say error 0, and an error acknowledgement goes with each', async () => {
    const device = await world.linked(ALICE);
    await world.client.write(BOB, { to: ALICE, text: 'broken', deviceCopy: 'damaged' });
    await device.text('broken');
    await until(
      'the refusal',
      async () => Object.keys((await world.client.stats()).messageRefusals).length > 0,
    );
    const { retryReceipts, messageRefusals } = await world.client.stats();
    expect([retryReceipts, messageRefusals]).to.deep.equal([{ 0: 1 }, { 500: 1 }]);
  });

  it('fails on C5: it gives a message up that no retry repairs', async () => {
    const device = await world.linked(ALICE);
    await world.client.fault({ kind: 'no-resend' });
    const { messageId } = await world.client.write(BOB, {
      to: ALICE,
      text: 'lost',
      deviceCopy: 'damaged-for-good',
    });
    const stub = await device.message(messageId);
    expect(stub.message ?? undefined).to.equal(undefined);
  });

  it('fails on A1: it keeps its built-in version, and always gets 405', async () => {
    await world.client.changeNetwork({ minVersion: '2.3000.1050000000' });
    const device = world.device();
    for (let time = 0; time < 2; time++) {
      device.start();
      expect(await device.closed()).to.equal(405);
    }
    expect(await world.client.stats()).to.include({ versionLookups: 0 });
  });

  it('fails on A2: it ignores companion_reg_refresh, and the network refuses its QR from then on', async () => {
    const device = world.device();
    const qr = await device.qr();
    const secret = device.creds.advSecretKey;
    expect(await world.client.refreshPairings()).to.include({ acknowledged: 0 });
    expect(await outcome(world.client.scan(ALICE, qr))).to.match(/old secret/);
    expect(device.creds.advSecretKey).to.equal(secret);
  });

  for (const [display, browser] of Object.entries({
    'Chrome (Ubuntu)': Browsers.ubuntu('Chrome'),
    'Desktop (Windows)': Browsers.windows('Desktop'),
  })) {
    it(`fails on A3 with its preset ${display}: the network refuses the code, and it does not notice`, async () => {
      const device = world.device({ browser });
      await device.qr();
      const code = await device.socket.requestPairingCode(ALICE.slice(1));
      expect(await outcome(world.client.enterCode(ALICE, code))).to.match(/no device waits/);
    });
  }

  it('fails on A4: it does not report a refused companion_finish, and the connection stays open', async () => {
    const device = world.device();
    const code = await device.code(ALICE);
    await world.client.fault({ kind: 'refuse-companion-finish' });
    expect(await outcome(world.client.enterCode(ALICE, code))).to.match(/last step/);
    expect(await world.client.stats()).to.include({ connections: 1 });
  });

  it('fails on A5: it does not answer the request for a passkey, and is never linked', async () => {
    await world.client.update(ALICE, { passkey: 'required' });
    const device = world.device();
    const linked = outcome(world.client.scan(ALICE, await device.qr()));
    await world.client.waitForPasskey(ALICE, 'assertion');
    await device.stop();
    expect(await linked).to.match(/went away/);
    expect(device.creds.me).to.equal(undefined);
  });

  it('fails on A7: it does not answer a wrong HMAC', async () => {
    const device = world.device();
    const qr = await device.qr();
    await world.client.fault({ kind: 'wrong-pair-hmac' });
    expect(await outcome(world.client.scan(ALICE, qr))).to.match(/went away/);
    expect(await world.client.stats()).to.deep.include({ pairErrors: {} });
  });

  it("fails on A7: it does not notice that the phone's signature is wrong", async () => {
    const device = world.device();
    const qr = await device.qr();
    await world.client.fault({ kind: 'wrong-pair-signature' });
    expect(await outcome(world.client.scan(ALICE, qr))).to.include({ id: 1 });
  });

  it('fails on A7: it answers a repeated pair-success again', async () => {
    const device = world.device();
    const qr = await device.qr();
    await world.client.fault({ kind: 'repeat-pair-success' });
    await world.client.scan(ALICE, qr);
    expect(await world.client.stats()).to.deep.include({ pairErrors: { 'answered twice': 1 } });
  });

  it('passes C10: it reports a temporary ban with 402, and can connect afterwards', async () => {
    const device = await world.linked(ALICE);
    const closed = device.closed();
    await world.client.fault({ kind: 'temporary-ban', ms: 50 });
    expect(await closed).to.equal(402);
    await world.client.clearFaults();
    await device.connect();
  });

  for (const kind of ['wrong-certificate', 'wrong-certificate-key', 'expired-certificate']) {
    it(`fails on C16: it connects despite ${kind}`, async () => {
      await world.client.fault({ kind });
      await world.device().qr();
    });
  }
});
