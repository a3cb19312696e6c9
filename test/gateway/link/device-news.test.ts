import { expect } from 'chai';
import { until } from '../../support/until.js';
import { LinkRig, type Session, textOf } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';
const CAROL = '+15550000003';

describe('a link that is told of changed devices', () => {
  let rig: LinkRig;
  let alice: Session;
  let bobLid: string;
  let group: string;

  beforeEach(async () => {
    rig = await LinkRig.start();
    for (const number of [ALICE, CAROL]) await rig.network.addPhone({ number, name: number });
    bobLid = (await rig.network.addPhone({ number: BOB, name: 'Bob' })).lid;
    alice = await rig.connected(ALICE);
    group = (await rig.network.groups.create(ALICE, { subject: 'Friends', participants: [BOB, CAROL] })).jid;
    await alice.send(bobLid, 'before');
    await alice.send(`${BOB.slice(1)}@s.whatsapp.net`, 'before by number');
    await alice.send(group, 'before in the group');
  });
  afterEach(() => rig.stop());

  const lookUps = async () => (await rig.network.stats()).queries.usync ?? 0;
  const repeated = async () => {
    const { repeated: again, resent } = await rig.network.stats();
    return again + resent;
  };
  /** Resolves when the link has taken all that the network has for it. */
  const settled = () => until('all is acknowledged', async () => (await rig.held()) === 0);
  const textAt = async (session: Session, text: string) =>
    (await session.next('message', ({ message }) => textOf(message) === text)).message.messageId;

  /** Sends in all three ways. @returns how many look-ups and repetitions that took */
  async function sendToAll(text: string): Promise<{ lookUps: number; repeated: number }> {
    const before = { lookUps: await lookUps(), repeated: await repeated() };
    await alice.send(bobLid, text);
    await alice.send(`${BOB.slice(1)}@s.whatsapp.net`, `${text} by number`);
    await alice.send(group, `${text} in the group`);
    for (const what of [text, `${text} by number`, `${text} in the group`])
      await rig.network.waitForMessage(BOB, (message) => message.text === what);
    return {
      lookUps: (await lookUps()) - before.lookUps,
      repeated: (await repeated()) - before.repeated,
    };
  }
  async function hasAll(session: Session, text: string): Promise<void> {
    for (const what of [text, `${text} by number`, `${text} in the group`]) await textAt(session, what);
  }

  it('sends to a device that a person links, without a look-up', async () => {
    const tablet = await rig.connected(BOB);
    await settled();
    expect(await sendToAll('to two')).to.deep.equal({ lookUps: 0, repeated: 0 });
    await hasAll(tablet, 'to two');
  });

  it('stops sending to a device that a person unlinks, without a look-up', async () => {
    const tablet = await rig.connected(BOB);
    await settled();
    await sendToAll('to two');
    await hasAll(tablet, 'to two');
    await rig.network.unlink(BOB);
    await settled();
    expect(await sendToAll('to one')).to.deep.equal({ lookUps: 0, repeated: 0 });
  });

  it('sends to another device of its own account, without a look-up', async () => {
    const second = await rig.connected(ALICE);
    await settled();
    expect(await sendToAll('to my devices')).to.deep.equal({ lookUps: 0, repeated: 0 });
    await hasAll(second, 'to my devices');
  });

  it('looks devices up when the news does not follow from what it knows', async () => {
    await rig.network.fault({ kind: 'no-device-news', number: BOB, count: 1 });
    const missed = await rig.connected(BOB);
    const tablet = await rig.connected(BOB);
    await settled();
    // one for the LID, one for the number
    expect(await sendToAll('to three')).to.deep.equal({ lookUps: 2, repeated: 0 });
    for (const device of [missed, tablet]) await hasAll(device, 'to three');
  });

  it('sends to the other devices when a new one has no keys', async () => {
    await rig.connected(BOB);
    await settled();
    await rig.network.fault({ kind: 'no-keys', number: BOB, count: 10 });
    await sendToAll('to the phone');
  });
});
