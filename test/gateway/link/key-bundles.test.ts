import { expect } from 'chai';
import { decodeCredentials } from '../../../src/gateway/link/baileys/keys.js';
import { until } from '../../support/until.js';
import { LinkRig, type Session } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';
const CAROL = '+15550000003';
const DAVE = '+15550000004';
const ERIN = '+15550000005';
const FAYE = '+15550000006';
const BOB_PN = '15550000002@s.whatsapp.net';
/** Keys that the official client uploads at once. */
const BATCH = 812;

describe('a link that sends to devices without keys', () => {
  let rig: LinkRig;
  let session: Session;

  beforeEach(async () => {
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
    session = await rig.connected(ALICE);
  });

  afterEach(() => rig.stop());

  for (const [whose, number] of [
    ['own', ALICE],
    ["recipient's", BOB],
  ] as const) {
    it(`sends to all others when one of the ${whose} devices has no keys`, async () => {
      const other = await rig.connected(number);
      await other.close();
      await rig.network.fault({ kind: 'no-keys', number });
      const { lid } = await rig.network.phone(BOB);
      await session.send(BOB_PN, 'to a number');
      await session.send(lid, 'to a LID');
      await rig.network.waitForMessage(BOB, ({ text }) => text === 'to a LID');
      const got = (await rig.network.messages(BOB)).map(({ text }) => text);
      expect(got).to.deep.equal(['to a number', 'to a LID']);
    });
  }

  it('sends to all others of a group when the devices of two members have no keys, with one query', async () => {
    await rig.network.addPhone({ number: CAROL, name: 'Carol' });
    for (const number of [BOB, CAROL]) {
      const other = await rig.connected(number);
      await other.close();
      await rig.network.fault({ kind: 'no-keys', number });
    }
    const participants = [BOB, CAROL];
    const { jid } = await rig.network.groups.create(BOB, {
      subject: 'Friends',
      participants: [ALICE, CAROL],
    });
    await session.next('group-changed');
    const asked = (await rig.network.stats()).queries.encrypt ?? 0;
    await session.send(jid, 'to the group');
    for (const number of participants)
      await rig.network.waitForMessage(number, ({ text }) => text === 'to the group');
    expect((await rig.network.stats()).queries.encrypt).to.equal(asked + 1);
  });

  it('sends to a device again once it has keys', async () => {
    const other = await rig.connected(BOB);
    await rig.network.fault({ kind: 'no-keys', number: BOB });
    await session.send(BOB_PN, 'without the device');
    await rig.network.clearFaults();
    // a new connection looks the devices up again
    await session.close();
    session.open();
    await session.next('open');
    await session.send(BOB_PN, 'with the device');
    const { message } = await other.next('message');
    expect(message.content).to.have.nested.property('extendedTextMessage.text', 'with the device');
  });

  it('uploads keys in the batch of the official client when few are left, and counts them in the same step', async () => {
    const friends = [BOB, CAROL, DAVE, ERIN];
    for (const number of friends.slice(1)) await rig.network.addPhone({ number, name: number });
    const before = await left();
    for (const number of friends.slice(0, before))
      await rig.network.write(number, { to: ALICE, text: 'hello' });
    await session.keys.until(() => uploads().length > 0);
    await until('a batch of keys', async () => (await left()) >= BATCH);
    for (const { keys = [], credentials } of uploads()) {
      const highest = Math.max(...keys.filter(isPreKey).map(({ id }) => Number(id)));
      const { nextPreKeyId, firstUnuploadedPreKeyId } = decodeCredentials(credentials) ?? {};
      expect([nextPreKeyId, firstUnuploadedPreKeyId]).to.deep.equal([highest + 1, highest + 1]);
    }
  });

  it('uploads keys at its return when none is left, and uses no id twice after a crash between making and upload', async () => {
    const friends = [BOB, CAROL, DAVE, ERIN, FAYE];
    for (const number of friends.slice(1)) await rig.network.addPhone({ number, name: number });
    await session.close();
    for (const number of friends) await rig.network.write(number, { to: ALICE, text: 'hello' });
    await until('the last key to be taken', async () => (await left()) === 0);
    session.keys.commits.length = 0;
    session.open();
    // the keys are written, and the link ends before the network has them
    await session.keys.until(() => uploads().length > 0);
    session.link?.cut();
    const [first] = uploads();
    session.open();
    await session.next('open');
    const ids = (commit: typeof first | undefined) =>
      (commit?.keys ?? []).filter(isPreKey).map(({ id }) => id);
    const second = uploads().at(-1);
    if (second !== first) expect(ids(second)).to.not.include.members(ids(first));
    await rig.network.waitForMessage(ALICE, ({ text }) => text === 'hello');
    expect(await left()).to.be.greaterThan(0);
  });

  const left = async () => (await rig.network.device(ALICE, 1)).preKeys;
  const isPreKey = ({ type, value }: { type: string; value: Uint8Array | null }) =>
    type === 'pre-key' && value !== null;
  const uploads = () => session.keys.commits.filter(({ keys = [] }) => keys.some(isPreKey));
});
