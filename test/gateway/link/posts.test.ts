import { expect } from 'chai';
import { LinkRig, type Session, textOf } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';

describe('a link among statuses and channel posts', () => {
  let rig: LinkRig;
  let session: Session;

  beforeEach(async () => {
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
    session = await rig.connected(ALICE);
  });

  afterEach(() => rig.stop());

  it('receives the messages after a status, also at the next connection', async () => {
    await rig.network.postStatus(BOB, 'my holidays');
    await rig.network.postInChannel(ALICE, { text: 'news' });
    await rig.network.write(BOB, { to: ALICE, text: 'live' });
    await session.next('message', ({ message }) => textOf(message) === 'live');
    await session.close();
    await rig.network.write(BOB, { to: ALICE, text: 'later' });
    session.open();
    await session.next('message', ({ message }) => textOf(message) === 'later');
    // a text whose receipt was cut off by the close comes again
    const others = session
      .all('message')
      .filter(({ message }) => !/^(live|later)$/.test(textOf(message) ?? ''));
    expect(others).to.deep.equal([]);
  });
});
