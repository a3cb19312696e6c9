import { expect } from 'chai';
import { until } from '../../support/until.js';
import { LinkRig, type Session, textOf } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';
const MESSAGES = 1_000;
/** A status and a channel post after so many messages. */
const EVERY = 10;

describe('a link among many statuses and channel posts', () => {
  let rig: LinkRig;
  let session: Session;

  beforeEach(async () => {
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
    session = await rig.connected(ALICE);
  });

  afterEach(() => rig.stop());

  it('receives every message that waited among them, and leaves nothing in the queue', async () => {
    await rig.network.postStatus(BOB, 'seen while connected');
    await rig.network.postInChannel(ALICE, { text: 'seen while connected' });
    await session.close();
    const texts = Array.from({ length: MESSAGES }, (_, index) => `text ${index}`);
    for (const [index, text] of texts.entries()) {
      if (index % EVERY === 0) {
        await rig.network.postStatus(BOB, `status ${index}`);
        await rig.network.postInChannel(ALICE, { text: `post ${index}` });
      }
      await rig.network.write(BOB, { to: ALICE, text });
    }
    session.open();
    await session.next('message', ({ message }) => textOf(message) === texts.at(-1));
    expect(session.all('message').map(({ message }) => textOf(message))).to.deep.equal(texts);
    await until('an empty queue', async () => (await rig.held()) === 0);
  }).timeout(60_000);
});
