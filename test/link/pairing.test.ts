import { expect } from 'chai';
import { isGatewayError } from '../../src/domain/errors.js';
import { Rig } from './rig.js';

const ALICE = '+15550000001';

describe('pairing over the wire', () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await Rig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
  });

  afterEach(() => rig.stop());

  it('by QR: paired, a restart that the network asks for, then open', async () => {
    const session = rig.session().open();
    const { qr } = await session.next('qr');
    expect(qr.split(',').at(-1)).to.equal('1');
    expect(await rig.factory.isPaired(session.keys)).to.equal(false);
    await rig.network.scan(ALICE, qr);
    const closed = await session.next('closed');
    expect(closed.reason).to.equal('restart_required');
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

  it('by code', async () => {
    const session = rig.session().open();
    await session.next('qr');
    const code = await session.link?.requestPairingCode('15550000001');
    expect(code).to.match(/^[1-9A-HJ-NP-TV-Z]{8}$/);
    await rig.network.enterCode(ALICE, code ?? '');
    expect((await session.next('closed')).reason).to.equal('restart_required');
    session.open();
    expect((await session.next('open')).me.pn).to.equal('15550000001');
  });

  it('a wrong code pairs nothing, and nothing of the attempt is kept', async () => {
    const session = rig.session().open();
    await session.next('qr');
    await session.link?.requestPairingCode('15550000001');
    const refused = await rig.network.enterCode(ALICE, 'AAAAAAAA').catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Error);
    expect(await session.keys.credentials()).to.equal(undefined);
    await session.close();
    session.open();
    await session.next('qr');
    expect(session.all('closed')).to.deep.equal([]);
  });

  it('a code that the network refuses is an error that says so', async () => {
    await rig.network.fault({ kind: 'no-pairing-code' });
    const session = rig.session().open();
    await session.next('qr');
    const refused = await session.link?.requestPairingCode('15550000001').catch((error: unknown) => error);
    expect(isGatewayError(refused, 'pairing_code_refused')).to.equal(true);
  });

  it('before there is a connection no code can be asked for', async () => {
    const refused = await rig
      .session()
      .open()
      .link?.requestPairingCode('15550000001')
      .catch((error: unknown) => error);
    expect(isGatewayError(refused, 'pairing_code_refused')).to.equal(true);
  });
});
