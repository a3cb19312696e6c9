import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { type DeviceView, SandboxRefusal } from '../../src/client/sandbox/client.js';
import { ASSERTION_FLAWS, PAIRING_STEPS } from '../../src/contract/sandbox/linking.js';
import { child } from '../../src/sandbox/wire/stanza.js';
import type { BaileysDevice } from './support/baileys-device.js';
import { PasskeyDevice } from './support/passkey-device.js';
import { ALICE, codeOf, SandboxWorld } from './support/world.js';

describe('Sandbox: the passkey ceremony', () => {
  const world = new SandboxWorld();

  beforeEach(async () => {
    await world.open();
    await world.client.update(ALICE, { passkey: 'required' });
  });
  afterEach(() => world.close());

  /** A device that showed a QR, which Alice's phone has scanned. */
  async function scanned() {
    const device = world.device();
    const qr = await device.qr();
    const companion = new PasskeyDevice(device);
    const linked = outcome(world.client.scan(ALICE, qr));
    return { device, companion, linked };
  }

  /** Everything that the device and its owner do after the demand. */
  async function complete(companion: PasskeyDevice): Promise<void> {
    await companion.prove(await world.client.assertPasskey(ALICE, await companion.options()));
    const code = await companion.reveal();
    const { code: shown } = await world.client.waitForPasskey(ALICE, 'confirm');
    expect(shown?.replace('-', '')).to.equal(code);
    await world.client.confirmPasskey(ALICE, code);
    await companion.finish();
  }

  async function isLinked(device: BaileysDevice, linked: Promise<DeviceView | Error>): Promise<void> {
    const closed = device.closed();
    expect(await linked).to.include({ id: 1 });
    expect(await closed).to.equal(515);
    await device.connect();
    expect(await world.client.passkey(ALICE)).to.deep.equal({ step: 'none' });
  }

  it('links after a QR, and shows the steps on the phone', async () => {
    expect(await world.client.phone(ALICE)).to.include({ passkey: 'required' });
    const { device, companion, linked } = await scanned();
    await companion.options();
    expect(await world.client.passkey(ALICE)).to.deep.equal({ step: 'assertion' });
    await complete(companion);
    await isLinked(device, linked);
  });

  it('answers the scan with 403 when the owner declines', async () => {
    const { companion, linked } = await scanned();
    await companion.options();
    await world.client.declinePasskey(ALICE);
    const error = await linked;
    expect(error).to.be.instanceOf(SandboxRefusal).with.property('status', 403);
  });

  it('links after a code', async () => {
    const device = world.device();
    const code = await device.code(ALICE);
    const companion = new PasskeyDevice(device);
    const linked = outcome(world.client.enterCode(ALICE, code));
    await complete(companion);
    await isLinked(device, linked);
  });

  it('links without a scan when the passkey is requested first', async () => {
    const device = world.device();
    await device.qr();
    const companion = new PasskeyDevice(device);
    const isLinkedEvent = world.client.waitFor(
      (event) => event.type === 'device' && event.change === 'linked',
      undefined,
      () => world.client.requestPasskey(ALICE),
    );
    const closed = device.closed();
    await complete(companion);
    await isLinkedEvent;
    expect(await closed).to.equal(515);
    await device.connect();
  });

  it('links without a ceremony once the passkey is disabled', async () => {
    await world.client.update(ALICE, { passkey: 'off' });
    await world.linked(ALICE);
  });

  it('reports whether the device proved that it knows the secret of the QR', async () => {
    const { companion } = await scanned();
    await companion.prove(await world.client.assertPasskey(ALICE, await companion.options()));
    const { handoffProved } = await world.client.waitForPasskey(ALICE, 'waiting');
    expect(handoffProved).to.equal(true);
  });

  for (const flaw of ASSERTION_FLAWS) {
    it(`refuses an assertion with a wrong ${flaw}, and accepts the answer to a new challenge`, async () => {
      const { device, companion, linked } = await scanned();
      const spoiled = await world.client.assertPasskey(ALICE, await companion.options(), flaw);
      expect(await codeOf(companion.prove(spoiled))).to.equal(401);
      const options = await companion.fetchOptions();
      await companion.prove(await world.client.assertPasskey(ALICE, options));
      const code = await companion.reveal();
      await world.client.confirmPasskey(ALICE, code);
      await companion.finish();
      await isLinked(device, linked);
    });
  }

  it('refuses an assertion that was used before', async () => {
    const { companion } = await scanned();
    const assertion = await world.client.assertPasskey(ALICE, await companion.options());
    await companion.prove(assertion);
    expect(await codeOf(companion.prove(assertion))).to.equal(400);
  });

  it('refuses a late answer with 410', async () => {
    await world.client.fault({ kind: 'passkey-expired', number: ALICE });
    const { companion } = await scanned();
    const assertion = await world.client.assertPasskey(ALICE, await companion.options());
    expect(await codeOf(companion.prove(assertion))).to.equal(410);
  });

  it('refuses a valid assertion while the fault reject-assertion lasts', async () => {
    await world.client.fault({ kind: 'reject-assertion', number: ALICE });
    const { companion } = await scanned();
    const assertion = await world.client.assertPasskey(ALICE, await companion.options());
    expect(await codeOf(companion.prove(assertion))).to.equal(401);
  });

  it('omits the options, and sends them when the device asks', async () => {
    await world.client.fault({ kind: 'passkey-options-missing', number: ALICE });
    const { device, companion, linked } = await scanned();
    await complete(companion);
    expect(companion.demands.map((demand) => child(demand))).to.deep.equal([undefined]);
    await isLinked(device, linked);
  });

  it('sends no options at all with a second count', async () => {
    await world.client.fault({ kind: 'passkey-options-missing', number: ALICE, count: 2 });
    const { companion } = await scanned();
    expect(await codeOf(companion.options())).to.equal(404);
  });

  it('names another relying party, which the authenticator refuses', async () => {
    await world.client.fault({ kind: 'wrong-relying-party', number: ALICE });
    const { companion } = await scanned();
    const options = await companion.options();
    expect(options).to.include({ rpId: 'example.org' });
    expect(await outcome(world.client.assertPasskey(ALICE, options))).to.match(/SecurityError/);
  });

  it('requests the passkey twice, and accepts the answer to the second challenge', async () => {
    await world.client.fault({ kind: 'second-passkey-request', number: ALICE });
    const { device, companion, linked } = await scanned();
    await companion.demanded(2);
    await complete(companion);
    expect(companion.demands).to.have.length(2);
    await isLinked(device, linked);
  });

  it('sends the next step before the device has begun', async () => {
    await world.client.fault({ kind: 'unasked-continuation', number: ALICE });
    const { companion } = await scanned();
    await companion.options();
    expect(companion.continuations).to.have.length(1);
  });

  it('lets the phone take a moment before it continues, unless it is hasty', async () => {
    const { companion, linked } = await scanned();
    await companion.prove(await world.client.assertPasskey(ALICE, await companion.options()));
    const provedAt = Date.now();
    await companion.primary();
    expect(Date.now() - provedAt).to.be.at.least(200);
    await world.client.declinePasskey(ALICE);
    await linked;
    await world.client.fault({ kind: 'hasty-primary' });
    const hasty = await scanned();
    await hasty.companion.prove(await world.client.assertPasskey(ALICE, await hasty.companion.options()));
    // the network handles stanzas in their order
    await hasty.companion.ask('get', { tag: 'ref', attrs: {} });
    expect(hasty.companion.continuations).to.have.length(1);
    await world.client.declinePasskey(ALICE);
    await hasty.linked;
  });

  for (const [kind, lengths] of Object.entries({
    'short-primary-key': [31, 32],
    'short-primary-nonce': [32, 31],
  })) {
    it(`sends a key and a nonce of ${lengths.join(' and ')} bytes with ${kind}`, async () => {
      await world.client.fault({ kind, number: ALICE });
      const { companion } = await scanned();
      await companion.prove(await world.client.assertPasskey(ALICE, await companion.options()));
      const { publicKey, nonce } = await companion.primary();
      expect([publicKey.length, nonce.length]).to.deep.equal(lengths);
    });
  }

  it('refuses a nonce other than the one that the device committed to', async () => {
    const { companion } = await scanned();
    await companion.prove(await world.client.assertPasskey(ALICE, await companion.options()));
    expect(await codeOf(companion.reveal(randomBytes(32)))).to.equal(400);
  });

  it('refuses a request that comes too early, and a different code', async () => {
    const { companion } = await scanned();
    await companion.prove(await world.client.assertPasskey(ALICE, await companion.options()));
    expect(await codeOf(companion.finish())).to.equal(400);
    await companion.reveal();
    await world.client.waitForPasskey(ALICE, 'confirm');
    expect(await outcome(world.client.confirmPasskey(ALICE, 'AAAA-BBBB'))).to.match(/differ/);
  });

  it('links the device only after the owner has confirmed, and not when the owner declines', async () => {
    const { companion, linked } = await scanned();
    await companion.prove(await world.client.assertPasskey(ALICE, await companion.options()));
    await companion.reveal();
    await companion.finish();
    expect(await world.client.passkey(ALICE)).to.include({ step: 'confirm' });
    await world.client.declinePasskey(ALICE);
    expect(await linked).to.match(/declined/);
    expect((await world.client.phone(ALICE)).devices).to.deep.equal([]);
  });

  for (const step of PAIRING_STEPS.filter((one) => one.startsWith('passkey-'))) {
    it(`cuts the connection before ${step}, and a new attempt succeeds`, async () => {
      if (step === 'passkey-options') await world.client.fault({ kind: 'passkey-options-missing' });
      await world.client.fault({ kind: 'cut-pairing', step, number: ALICE });
      const { device, companion, linked } = await scanned();
      const closed = device.closed();
      const tried = complete(companion).catch((error: Error) => error);
      expect(await linked).to.match(/went away/);
      expect(await closed).to.equal(428);
      void tried;
      const next = await scanned();
      await complete(next.companion);
      await isLinked(next.device, next.linked);
    });
  }

  it('keeps the passkey when the sandbox restarts', async () => {
    await world.close();
    await world.openKept();
    await world.client.update(ALICE, { passkey: 'required' });
    await world.restart();
    const { device, companion, linked } = await scanned();
    await complete(companion);
    await isLinked(device, linked);
  });

  it('answers the steps of a device without a ceremony with 400', async () => {
    const device = world.device();
    await device.qr();
    const companion = new PasskeyDevice(device);
    expect(await codeOf(companion.fetchOptions())).to.equal(400);
  });
});

/** The result, or the error as a value, so that nothing rejects unobserved. */
function outcome<Result>(work: Promise<Result>): Promise<Result | Error> {
  return work.catch((error: Error) => error);
}
