import { expect } from 'chai';
import { systemClock, wait } from '../../../src/domain/clock.js';
import { LinkRig, type Session, textOf } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';
const CAROL = '+15550000003';
const TEXTS = Array.from({ length: 8 }, (_, n) => `text ${n}`);
/** How long the slow read of the store takes, if no message is committed meanwhile. */
const SLOW_MS = 500;
/** Longer than a stanza waits for one that the library cannot begin with. */
const VERY_SLOW_MS = 7_000;
/** The first byte of a stored value that cannot be read. */
const DAMAGED = 0;

describe('the order of messages', () => {
  let rig: LinkRig;
  let session: Session;

  beforeEach(async () => {
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
    await rig.network.addPhone({ number: CAROL, name: 'Carol' });
    session = await rig.connected(ALICE);
  });

  afterEach(() => rig.stop());

  /** The first read for the next message lasts until another message is committed; `ms` milliseconds at most. */
  function slowFirstRead(ms?: number): void {
    const known = session.keys.journal.size;
    session.keys.onGet = async (type) => {
      if (type !== 'device-list') return;
      session.keys.onGet = () => undefined;
      const other = session.keys.until(() => session.keys.journal.size > known);
      await (ms === undefined ? other : Promise.race([other, wait(systemClock, ms)]));
    };
  }
  const told = () => session.all('message').map(({ message }) => textOf(message));

  it('follows the order of their stanzas in a chat when the keys for the first one are read slowly', async () => {
    slowFirstRead(SLOW_MS);
    for (const text of TEXTS) await rig.network.write(BOB, { to: ALICE, text });
    await session.next('message', () => session.all('message').length === TEXTS.length);
    expect(told()).to.deep.equal(TEXTS);
  });

  it('follows the order of their stanzas in a chat when the store takes seconds for the first one', async () => {
    slowFirstRead(VERY_SLOW_MS);
    for (const text of ['first', 'second']) await rig.network.write(BOB, { to: ALICE, text });
    await session.next('message', () => session.all('message').length === 2);
    expect(told()).to.deep.equal(['first', 'second']);
  });

  it('follows the order of their stanzas in a group when a new member writes before a known one', async () => {
    const { jid } = await rig.network.groups.create(BOB, { subject: 'Team', participants: [ALICE, CAROL] });
    await rig.network.write(CAROL, { to: jid, text: 'known' });
    await session.next('message');
    slowFirstRead(SLOW_MS);
    await rig.network.write(BOB, { to: jid, text: 'new' });
    await rig.network.write(CAROL, { to: jid, text: 'known again' });
    await session.next('message', () => session.all('message').length === 3);
    expect(told()).to.deep.equal(['known', 'new', 'known again']);
  });

  it('is the same for encrypted and unencrypted messages', async () => {
    slowFirstRead(SLOW_MS);
    await rig.network.write(BOB, { to: ALICE, text: 'encrypted' });
    await rig.network.write(BOB, { to: ALICE, text: 'plain', deviceCopy: 'plaintext' });
    await rig.network.write(BOB, { to: ALICE, text: 'encrypted again' });
    await session.next('message', () => session.all('message').length === 3);
    expect(told()).to.deep.equal(['encrypted', 'plain', 'encrypted again']);
  });

  it('delays a group for some seconds at most, and only when the library cannot start to read a message', async () => {
    const { jid } = await rig.network.groups.create(BOB, { subject: 'Team', participants: [ALICE, CAROL] });
    await session.keys.commit({
      keys: [{ type: 'device-list', id: BOB.slice(1), value: Buffer.from([DAMAGED]) }],
    });
    await rig.network.write(BOB, { to: jid, text: 'of a sender whose keys are damaged' });
    await rig.network.write(CAROL, { to: jid, text: 'behind it' });
    await session.next('message');
    expect(told()).to.deep.equal(['behind it']);
  });

  it('delays no other chat', async () => {
    slowFirstRead();
    await rig.network.write(BOB, { to: ALICE, text: 'slow' });
    await rig.network.write(BOB, { to: ALICE, text: 'behind it' });
    await rig.network.write(CAROL, { to: ALICE, text: 'of another chat' });
    await session.next('message', () => session.all('message').length === 3);
    expect(told()).to.deep.equal(['of another chat', 'slow', 'behind it']);
  });
});
