import { expect } from 'chai';
import { isGatewayError } from '../../src/domain/errors.js';
import { Rig, type Session } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';

describe('a link whose session is served elsewhere', () => {
  let rig: Rig;
  let session: Session;
  before(async () => {
    rig = await Rig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
  });
  beforeEach(async () => {
    session = await rig.connected(ALICE);
  });
  after(() => rig.stop());

  async function readByBob(): Promise<(string | undefined)[]> {
    return (await rig.network.messages(BOB)).map(({ text }) => text);
  }

  it('sends nothing from that instant on, and ends', async () => {
    const { jid } = await rig.network.addPhone({ number: BOB, name: 'Bob' });
    await session.send(jid, 'mine');
    session.mayAct = false;
    const failure: unknown = await session.send(jid, 'not mine any more').catch((error: unknown) => error);
    expect(isGatewayError(failure)).to.equal(true);
    await session.next('closed');
    session.mayAct = true;
    session.open();
    await session.next('open');
    await session.send(jid, 'mine again');
    expect(await readByBob()).to.deep.equal(['mine', 'mine again']);
    await session.close();
  });

  it('ends without a farewell when it is cut', async () => {
    const { link } = session;
    const seen = session.events.length;
    link?.cut();
    // the next login finds the place free: the network has noticed that the connection is gone
    session.open();
    await session.next('open');
    expect(session.all('closed')).to.deep.equal([]);
    expect(seen).to.be.greaterThan(0);
    await session.close();
  });
});
