import { expect } from 'chai';
import { until } from '../../support/until.js';
import { LinkRig, type Session, textOf } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';
const CAROL = '+15550000003';
const DAVE = '+15550000004';
/** People of a large group, and how many resends one group may have in a row. */
const CROWD = 24;
const BURST = 20;

describe('a link that gets acknowledgements', () => {
  let rig: LinkRig;
  let alice: Session;
  let bobLid: string;

  beforeEach(async () => {
    rig = await LinkRig.start();
    for (const number of [ALICE, CAROL, DAVE]) await rig.network.addPhone({ number, name: number });
    bobLid = (await rig.network.addPhone({ number: BOB, name: 'Bob' })).lid;
    alice = await rig.connected(ALICE);
  });
  afterEach(() => rig.stop());

  const queries = async (namespace: string) => (await rig.network.stats()).queries[namespace] ?? 0;
  const groupOf = async (...participants: string[]) =>
    (await rig.network.groups.create(ALICE, { subject: 'Friends', participants })).jid;
  const textAt = async (session: Session, text: string) =>
    (await session.next('message', ({ message }) => textOf(message) === text)).message.messageId;

  it('sends private messages in flight also to a device that it was not told of, with one query', async () => {
    await alice.send(bobLid, 'before');
    await rig.network.fault({ kind: 'no-device-news', number: BOB });
    const tablet = await rig.connected(BOB);
    const asked = await queries('usync');
    const texts = ['one', 'two', 'three', 'four', 'five'];
    const sent = await Promise.all(texts.map((text) => alice.send(bobLid, text)));
    for (const [index, text] of texts.entries())
      expect(await textAt(tablet, text)).to.equal(sent[index]?.messageId);
    await alice.send(bobLid, 'to all again');
    await textAt(tablet, 'to all again');
    expect(await queries('usync')).to.equal(asked + 1);
    const held = (await rig.network.messages(BOB)).map(({ text }) => text);
    expect(held).to.have.members(['before', ...texts, 'to all again']);
  });

  it('opens one session with a person for several concurrent first messages', async () => {
    const asked = await queries('encrypt');
    const texts = ['one', 'two', 'three', 'four', 'five'];
    await Promise.all(texts.map((text) => alice.send(bobLid, text)));
    expect(await queries('encrypt')).to.equal(asked + 1);
    const held = (await rig.network.messages(BOB)).map(({ text }) => text);
    expect(held).to.have.members(texts);
  });

  it('also sends a group message to a device that it did not know', async () => {
    const group = await groupOf(BOB, CAROL);
    await alice.send(group, 'before');
    await rig.network.fault({ kind: 'no-device-news', number: BOB });
    const tablet = await rig.connected(BOB);
    const { messageId } = await alice.send(group, 'to all devices');
    expect(await textAt(tablet, 'to all devices')).to.equal(messageId);
    const { retryReceipts } = await rig.network.stats();
    await alice.send(group, 'to all again');
    await textAt(tablet, 'to all again');
    expect((await rig.network.stats()).retryReceipts).to.deep.equal(retryReceipts);
  });

  it('knows devices that were linked and unlinked while it was away, with one query for each chat', async () => {
    const group = await groupOf(BOB, CAROL, DAVE);
    const former = await rig.connected(CAROL);
    await alice.send(group, 'before');
    await textAt(former, 'before');
    await alice.close();
    await rig.network.fault({ kind: 'no-device-news' });
    await rig.network.unlink(CAROL);
    const tablet = await rig.connected(BOB);
    alice.open();
    await alice.next('open');
    const asked = await queries('usync');
    await alice.send(group, 'in the group');
    expect(await queries('usync')).to.equal(asked + 1);
    await alice.send(bobLid, 'in private');
    await textAt(tablet, 'in the group');
    await textAt(tablet, 'in private');
    expect((await rig.network.stats()).resent).to.equal(0);
  });

  it('makes a new sender key after a member has left, and none otherwise', async () => {
    const group = await groupOf(BOB, CAROL, DAVE);
    const given = async () => (await rig.network.stats()).senderKeys;
    await alice.send(group, 'to three');
    expect(await given()).to.equal(4);
    await alice.send(group, 'again to three');
    expect(await given()).to.equal(4);
    await rig.network.groups.participants(ALICE, group, 'remove', [CAROL]);
    await alice.next('group-changed');
    await alice.send(group, 'to two');
    expect(await given()).to.equal(7);
    await rig.network.waitForMessage(BOB, ({ text }) => text === 'to two');
    await alice.send(group, 'again to two');
    expect(await given()).to.equal(7);
  });

  it('bounds how often it sends messages of one group again', async () => {
    const members = Array.from({ length: CROWD }, (_, index) => `+1555100${String(index).padStart(4, '0')}`);
    for (const number of members) await rig.network.addPhone({ number, name: number });
    const group = await groupOf(...members);
    await rig.network.fault({ kind: 'ask-again', count: CROWD });
    const before = (await rig.network.stats()).stanzasIn;
    await alice.send(group, 'unreadable');
    const isRead = async () => (await rig.held()) === 0;
    const isAsked = async () => (await rig.network.stats()).stanzasIn >= before + CROWD;
    await until('the requests of all members', async () => (await isRead()) && (await isAsked()));
    expect((await rig.network.stats()).repeated).to.equal(BURST);
  });

  it('looks the LID of a person up again when it is outdated', async () => {
    await alice.send(bobLid, 'before');
    await rig.network.fault({ kind: 'refresh-lid', number: ALICE });
    const asked = await queries('usync');
    await alice.send(`${BOB.slice(1)}@s.whatsapp.net`, 'to an old address');
    await until('two look-ups', async () => (await queries('usync')) >= asked + 2);
  });

  it('sends to the number where the account may not send to LIDs, and remembers that', async () => {
    await alice.send(`${BOB.slice(1)}@s.whatsapp.net`, 'by number');
    await rig.network.fault({ kind: 'no-lid-chats', number: ALICE });
    const { messageId } = await alice.send(bobLid, 'by LID');
    const held = await rig.network.waitForMessage(BOB, ({ text }) => text === 'by LID');
    expect(held.messageId).to.equal(messageId);
    await alice.close();
    alice.open();
    await alice.next('open');
    await rig.network.clearFaults();
    await rig.network.fault({ kind: 'no-lid-chats', number: ALICE, count: 1 });
    await alice.send(bobLid, 'by number again');
    // the fault has not been used
    const refusal = await alice.send(await lidOf(CAROL), 'to nobody').catch(String);
    expect(refusal).to.include('400');
  });

  const lidOf = async (number: string) => (await rig.network.phone(number)).lid;
});
