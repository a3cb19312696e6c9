import { expect } from 'chai';
import { GatewayError } from '../../src/domain/errors.js';
import { HOSTED, makeRig, type Rig } from './receive-rig.js';

const DOCUMENT = {
  documentMessage: {
    directPath: '/v/x.enc',
    mediaKey: Buffer.from('key'),
    mimetype: 'application/pdf',
    fileName: 'offer.pdf',
  },
};

describe('the event of a message with a file', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await makeRig();
  });
  afterEach(() => rig.close());

  const linkIn = (index: number) => rig.events[index]?.media?.downloadUrl;

  it('says where the file will be, which is being stored by then', async () => {
    rig.beforeAnnounce = async () => void expect(rig.expectedFiles).to.have.length(1);
    await rig.receive({ content: DOCUMENT }, HOSTED);
    const [row] = await rig.history();
    expect(rig.expectedFiles).to.deep.equal([row?.fileId]);
    expect(linkIn(0)).to.equal(`https://files.example/${row?.fileId}/offer.pdf`);
  });

  it('says the same when it is announced again', async () => {
    await rig.receive({ content: DOCUMENT }, HOSTED);
    await rig.receive({ content: DOCUMENT }, HOSTED);
    expect(linkIn(1)).to.equal(linkIn(0)).and.not.equal(undefined);
  });

  it('names no link without a workspace', async () => {
    await rig.receive({ content: DOCUMENT });
    expect(rig.events[0]?.media).to.not.have.property('downloadUrl');
    expect(rig.expectedFiles).to.deep.equal([]);
  });

  it('names no link when the message could not be written to the history', async () => {
    rig.store.history.record = () => Promise.reject(new Error('not taken'));
    await rig.receive({ content: DOCUMENT }, HOSTED);
    expect(rig.events[0]?.media).to.include({ fileName: 'offer.pdf' }).and.not.have.property('downloadUrl');
  });

  it('names no link when the message does not tell how to read the file', async () => {
    const { documentMessage } = DOCUMENT;
    await rig.receive({ content: { documentMessage: { ...documentMessage, mediaKey: null } } }, HOSTED);
    expect(rig.events[0]?.media).to.not.have.property('downloadUrl');
    expect(rig.expectedFiles).to.deep.equal([]);
  });

  it('waits for a store that is away, and is recorded once', async () => {
    const { record } = rig.store.history;
    let failures = 1;
    rig.store.history.record = async (...recorded) => {
      await record(...recorded);
      if (failures-- > 0) throw new GatewayError('store_unavailable', 'after it was written');
      return false;
    };
    rig.take({ content: DOCUMENT }, HOSTED);
    await rig.clock.scheduled(250);
    rig.clock.advance(250);
    await rig.receiver.idle();
    const rows = await rig.history();
    expect(rows).to.have.length(1);
    expect(linkIn(0)).to.include(rows[0]?.fileId ?? '-');
  });
});
