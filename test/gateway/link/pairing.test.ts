import { expect } from 'chai';
import { isGatewayError } from '../../../src/domain/errors.js';
import { textOf } from '../../../src/domain/reasons.js';
import { platformDisplay } from '../../../src/gateway/link/baileys/pairing-code.js';
import { ManualClock } from '../../support/manual-clock.js';
import { LinkRig } from './rig.js';

const ALICE = '+15550000001';

describe('a link that pairs', () => {
  let rig: LinkRig;

  beforeEach(async () => {
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
  });

  afterEach(() => rig.stop());

  it('pairs by QR code: paired, a requested restart, then open', async () => {
    const session = rig.session().open();
    const { qr } = await session.next('qr');
    expect(qr.split(',').at(-1)).to.equal('1');
    expect(await rig.factory.isPaired(session.keys)).to.equal(false);
    await rig.network.scan(ALICE, qr);
    const closed = await session.next('closed');
    expect(closed.reason.code).to.equal('restart_required');
    expect(session.events.map(({ type }) => type)).to.deep.equal(['qr', 'paired', 'closed']);
    expect(await rig.factory.isPaired(session.keys)).to.equal(true);
    session.open();
    const { me } = await session.next('open');
    const phone = await rig.network.phone(ALICE);
    expect(me).to.deep.equal({
      jid: '15550000001:1@s.whatsapp.net',
      pn: '15550000001',
      lid: phone.lid.split('@')[0],
      name: 'Alice',
    });
  });

  it('pairs by pairing code', async () => {
    const session = rig.session().open();
    await session.next('qr');
    const code = await session.link?.requestPairingCode('15550000001');
    expect(code).to.match(/^[1-9A-HJ-NP-TV-Z]{8}$/);
    await rig.network.enterCode(ALICE, code ?? '');
    expect((await session.next('closed')).reason.code).to.equal('restart_required');
    session.open();
    expect((await session.next('open')).me.pn).to.equal('15550000001');
  });

  it('reports a wrong code, stays unpaired, and can pair again', async () => {
    const session = rig.session().open();
    await session.next('qr');
    await session.link?.requestPairingCode('15550000001');
    const refused = await rig.network.enterCode(ALICE, 'AAAAAAAA').catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Error);
    const { reason } = await session.next('pairing-failed');
    expect(textOf(reason)).to.match(/^The network refused the typed code \(400, bad-request\)\./);
    expect(await rig.factory.isPaired(session.keys)).to.equal(false);
    await session.close();
    session.open();
    await session.next('qr');
    expect(session.all('closed')).to.deep.equal([]);
  });

  it("rejects with the network's refusal of a code", async () => {
    await rig.network.fault({ kind: 'no-pairing-code' });
    const session = rig.session().open();
    await session.next('qr');
    const refused = await session.link?.requestPairingCode('15550000001').catch((error: unknown) => error);
    expect(isGatewayError(refused, 'pairing_code_refused')).to.equal(true);
  });

  it('refuses to request a code before it is connected', async () => {
    const refused = await rig
      .session()
      .open()
      .link?.requestPairingCode('15550000001')
      .catch((error: unknown) => error);
    expect(isGatewayError(refused, 'pairing_code_refused')).to.equal(true);
  });

  const failureOf = (work: Promise<unknown> | undefined) =>
    (work ?? Promise.resolve()).then(() => undefined).catch((error: unknown) => error);

  for (const [count, element] of [
    [1, 'companion_reg_refresh'],
    [3, 'companion_reg_refresh'],
    [1, 'pair-device-rotate-qr'],
  ] as const) {
    it(`pairs with the newest QR code after ${count} ${element}`, async () => {
      const session = rig.session().open();
      const { qr } = await session.next('qr');
      const { acknowledged } = await rig.network.refreshPairings({ count, element, qrs: [qr] });
      expect(acknowledged).to.equal(count);
      await session.next('qr', () => session.all('qr').length === count + 1);
      const shown = session.all('qr').map((event) => event.qr);
      const parts = (at: number) => shown.map((text) => text.split(',')[at]);
      expect(new Set(parts(0)).size, 'references').to.equal(1);
      expect(new Set(parts(3)).size, 'secrets').to.equal(count + 1);
      expect(await failureOf(rig.network.scan(ALICE, qr))).to.be.instanceOf(Error);
      await rig.network.scan(ALICE, shown.at(-1) ?? '');
      expect((await session.next('closed')).reason.code).to.equal('restart_required');
    });
  }

  it('pairs by code after a refresh', async () => {
    const session = rig.session().open();
    await session.next('qr');
    await rig.network.refreshPairings();
    const code = await session.link?.requestPairingCode('15550000001');
    await rig.network.enterCode(ALICE, code ?? '');
    expect((await session.next('closed')).reason.code).to.equal('restart_required');
  });

  it('stores the new secret first: without it the link acknowledges no refresh', async () => {
    const session = rig.session().open();
    await session.next('qr');
    session.keys.outage = new Error('the store is away');
    const { acknowledged } = await rig.network.refreshPairings();
    expect(acknowledged).to.equal(0);
    expect((await session.next('closed')).reason.code).to.equal('store_unavailable');
  });

  it('names a browser and a real system for a code, as the network demands', async () => {
    await rig.network.changeNetwork({ checkDisplay: true });
    const session = rig.session().open();
    await session.next('qr');
    const code = await session.link?.requestPairingCode('15550000001');
    await rig.network.enterCode(ALICE, code ?? '');
    expect((await session.next('closed')).reason.code).to.equal('restart_required');
    expect((['linux', 'darwin', 'win32', 'freebsd'] as const).map(platformDisplay)).to.deep.equal([
      'Chrome (Linux)',
      'Chrome (Mac OS)',
      'Chrome (Windows)',
      'Chrome (Linux)',
    ]);
  });

  for (const kind of ['wrong-pair-hmac', 'wrong-pair-signature']) {
    it(`answers ${kind} with an error, stores no pairing, and can pair again`, async () => {
      await rig.network.fault({ kind });
      const session = rig.session().open();
      rig.network.scan(ALICE, (await session.next('qr')).qr).catch(() => undefined);
      expect((await session.next('closed')).reason.code).to.equal('pairing_refused');
      expect((await rig.network.stats()).pairErrors).to.deep.equal({ '401 not-authorized': 1 });
      expect(await rig.factory.isPaired(session.keys)).to.equal(false);
      session.open();
      await rig.network.scan(ALICE, (await session.next('qr')).qr);
      expect((await session.next('closed')).reason.code).to.equal('restart_required');
    });
  }

  it('ignores a repeated proof', async () => {
    await rig.network.fault({ kind: 'repeat-pair-success' });
    const session = rig.session().open();
    await rig.network.scan(ALICE, (await session.next('qr')).qr);
    await session.next('closed');
    expect(session.all('paired')).to.have.length(1);
    session.open();
    expect((await session.next('open')).me.pn).to.equal('15550000001');
  });

  it('finishes a code again when the network repeats the first step of the phone', async () => {
    await rig.network.fault({ kind: 'replay-primary-hello' });
    const session = rig.session().open();
    await session.next('qr');
    const code = await session.link?.requestPairingCode('15550000001');
    await rig.network.enterCode(ALICE, code ?? '');
    expect((await session.next('closed')).reason.code).to.equal('restart_required');
    session.open();
    expect((await session.next('open')).me.pn).to.equal('15550000001');
  });

  it('reports that the network refused a typed code, and pairs with the code typed again', async () => {
    await rig.network.fault({ kind: 'refuse-companion-finish' });
    const session = rig.session().open();
    await session.next('qr');
    const code = (await session.link?.requestPairingCode('15550000001')) ?? '';
    rig.network.enterCode(ALICE, code).catch(() => undefined);
    const { reason } = await session.next('pairing-failed');
    expect(textOf(reason)).to.match(/^The network refused the typed code \(400, bad-request\)\./);
    await rig.network.enterCode(ALICE, code);
    expect((await session.next('closed')).reason.code).to.equal('restart_required');
  });

  for (const cut of ['pair-device', 'pair-success', 'pair-device-sign', 'restart'] as const) {
    it(`can pair by QR code again after a cut before ${cut}`, async () => {
      await rig.network.fault({ kind: 'cut-pairing', step: cut });
      const session = rig.session().open();
      if (cut !== 'pair-device')
        rig.network.scan(ALICE, (await session.next('qr')).qr).catch(() => undefined);
      await session.next('closed');
      session.open();
      if (!(await rig.factory.isPaired(session.keys))) {
        await rig.network.scan(ALICE, (await session.next('qr')).qr);
        await session.next('closed');
        session.open();
      }
      const ended = await Promise.race([session.next('open'), session.next('closed')]);
      // the phone may not know a device whose proof was cut off; the network then logs that device out
      if (ended.type === 'closed') expect(ended.reason.code).to.equal('logged_out');
    });
  }
});

describe('a pairing without an answer from the phone', () => {
  let rig: LinkRig;
  let clock: ManualClock;

  beforeEach(async () => {
    clock = new ManualClock(Date.now());
    rig = await LinkRig.start({ clock });
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
  });

  afterEach(() => rig.stop());

  it('ends when no phone scans any of its QR codes', async () => {
    const session = rig.session().open();
    await session.next('qr');
    clock.advance(60_000 + 4 * 20_000);
    expect(session.all('qr')).to.have.length(6);
    clock.advance(20_000);
    expect((await session.next('closed')).reason.code).to.equal('qr_expired');
  });

  it('lasts as long as a code that was requested late: three minutes from its creation', async () => {
    const session = rig.session().open();
    await session.next('qr');
    clock.advance(100_000);
    const code = await session.link?.requestPairingCode('15550000001');
    clock.advance(175_000);
    await rig.network.enterCode(ALICE, code ?? '');
    expect((await session.next('closed')).reason.code).to.equal('restart_required');
  });

  it('ends when the code expires', async () => {
    const session = rig.session().open();
    await session.next('qr');
    await session.link?.requestPairingCode('15550000001');
    clock.advance(180_000);
    expect((await session.next('closed')).reason.code).to.equal('qr_expired');
  });
});
