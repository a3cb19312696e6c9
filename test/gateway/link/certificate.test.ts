import { expect } from 'chai';
import { textOf } from '../../../src/domain/reasons.js';
import { createBaileysLinks } from '../../../src/gateway/link/baileys/index.js';
import { LinkRig } from './rig.js';

const ALICE = '+15550000001';

describe("a link that verifies the network's certificates", () => {
  let rig: LinkRig;

  beforeEach(async () => {
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
  });

  afterEach(() => rig.stop());

  for (const [name, rootKey] of [
    ["WhatsApp's", undefined],
    ['another', new Uint8Array(32).fill(9)],
  ] as const) {
    it(`refuses a server whose chain ends at a root other than ${name}, before it identifies itself`, async () => {
      const { rootKey: _, ...address } = rig.context.network;
      const network = { ...address, ...(rootKey && { rootKey }) };
      const session = rig.session(createBaileysLinks({ ...rig.context, network })).open();
      const { reason } = await session.next('closed');
      expect(reason.code).to.equal('certificate_untrusted');
      expect(textOf(reason)).to.include('not signed by the known root');
      expect(session.all('qr')).to.deep.equal([]);
      expect((await rig.network.stats()).stanzasOut).to.equal(0);
    });
  }

  it('connects where the chain ends at the given root', async () => {
    const session = rig.session().open();
    expect((await session.next('qr')).qr).to.not.equal('');
  });

  it('connects to several networks of different roots in one process', async () => {
    const other = await LinkRig.start();
    const links = [rig.session().open(), other.session().open()];
    for (const session of links) await session.next('qr');
    await other.stop();
  });

  for (const [kind, says] of [
    ['wrong-certificate', 'not signed by the known root'],
    ['wrong-certificate-key', 'belongs to another server'],
    ['expired-certificate', 'has expired'],
  ] as const) {
    it(`refuses a server with a ${kind}, and connects once it is right`, async () => {
      await rig.network.fault({ kind });
      const session = rig.session().open();
      const { reason } = await session.next('closed');
      expect(reason.code).to.equal('certificate_untrusted');
      expect(textOf(reason)).to.include(says);
      await rig.network.clearFaults();
      session.open();
      expect((await session.next('qr')).qr).to.not.equal('');
    });
  }
});
