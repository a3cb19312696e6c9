import { expect } from 'chai';
import { isGatewayError } from '../../src/domain/errors.js';
import type { Link } from '../../src/link/link.js';
import { SandboxRefusal } from '../../src/sandbox/client.js';
import { Rig, type Session, textOf } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';
const CAROL = '+15550000003';
const DAVE = '+15550000004';
const NAMES = { [ALICE]: 'Alice', [BOB]: 'Bob', [CAROL]: 'Carol', [DAVE]: 'Dave' };
const NO_GROUP = '120363999999999999@g.us';

describe('groups over a link', () => {
  let rig: Rig;
  let alice: Session;
  let link: Link;
  /** Jids by LID, of each number. */
  let lids: Record<string, string>;

  beforeEach(async () => {
    rig = await Rig.start();
    lids = {};
    for (const [number, name] of Object.entries(NAMES)) {
      lids[number] = (await rig.network.addPhone({ number, name })).lid;
    }
    alice = await rig.connected(ALICE);
    if (!alice.link) throw new Error('a connected session has a link');
    link = alice.link;
  });
  afterEach(() => rig.stop());

  const lidOf = (number: string) => lids[number] ?? '';
  const member = (number: string, rights: { isAdmin?: boolean; isSuperAdmin?: boolean } = {}) => ({
    lid: lidOf(number).replace('@lid', ''),
    pn: number.slice(1),
    isAdmin: false,
    isSuperAdmin: false,
    ...rights,
  });
  const membersOf = async (jid: string) =>
    (await rig.network.groups.get(jid)).participants.map(({ number }) => number);

  it('are made, with the number as their owner', async () => {
    const made = await link.groups.create('Friends', [lidOf(BOB), `${CAROL.slice(1)}@s.whatsapp.net`]);
    const { group, refused } = made;
    expect(refused).to.deep.equal([]);
    expect(group).to.deep.include({
      subject: 'Friends',
      topic: '',
      addressingMode: 'lid',
      isAnnounce: false,
      isLocked: false,
      ownerJid: lidOf(ALICE),
    });
    expect(group.members).to.have.deep.members([
      member(ALICE, { isAdmin: true, isSuperAdmin: true }),
      member(BOB),
      member(CAROL),
    ]);
    expect(await membersOf(group.jid)).to.have.members([ALICE, BOB, CAROL]);
    expect(await link.groups.get(group.jid)).to.deep.equal(group);
  });

  it('are made without those whom the network does not let in, who are told of with the reason', async () => {
    await rig.network.update(DAVE, { onlyAdminsAddMe: true });
    const nobody = '90000000099999@lid';
    const { group, refused } = await link.groups.create('Friends', [lidOf(BOB), lidOf(DAVE), nobody]);
    expect(refused).to.deep.equal([
      { jid: lidOf(DAVE), error: 403 },
      { jid: nobody, error: 404 },
    ]);
    expect(group.members.map(({ pn }) => `+${pn}`)).to.have.members([ALICE, BOB]);
    expect(await membersOf(group.jid)).to.have.members([ALICE, BOB]);
  });

  it('are listed and described as they are', async () => {
    const { jid } = await rig.network.groups.create(BOB, {
      subject: 'Friends',
      participants: [ALICE, CAROL],
    });
    await rig.network.groups.update(BOB, jid, { description: 'All of us', announce: true, locked: true });
    const group = await link.groups.get(jid);
    expect(group).to.deep.include({
      jid,
      subject: 'Friends',
      topic: 'All of us',
      isAnnounce: true,
      isLocked: true,
      ownerJid: lidOf(BOB),
    });
    expect(group.members.find(({ isSuperAdmin }) => isSuperAdmin)).to.deep.equal(
      member(BOB, { isAdmin: true, isSuperAdmin: true }),
    );
    expect(await link.groups.list()).to.deep.equal([group]);
  });

  it('tell both addresses of their members', async () => {
    const { jid } = await rig.network.groups.create(BOB, { subject: 'Friends', participants: [ALICE] });
    await link.groups.get(jid);
    const told = await alice.next('contact', ({ source, pn }) => source === 'group' && pn === BOB.slice(1));
    expect(`${told.lid}@lid`).to.equal(lidOf(BOB));
  });

  it('have members added, removed, promoted and demoted, and tell what became of each', async () => {
    const { group } = await link.groups.create('Friends', [lidOf(BOB)]);
    const { jid } = group;
    await rig.network.update(DAVE, { onlyAdminsAddMe: true });
    const added = await link.groups.changeMembers(jid, 'add', [CAROL, DAVE, BOB].map(lidOf));
    expect(added).to.deep.equal([
      { jid: lidOf(CAROL), error: 0 },
      { jid: lidOf(DAVE), error: 403 },
      { jid: lidOf(BOB), error: 409 },
    ]);
    expect(await link.groups.changeMembers(jid, 'promote', [lidOf(BOB)])).to.deep.equal([
      { jid: lidOf(BOB), error: 0 },
    ]);
    const isAdmin = async () =>
      (await link.groups.get(jid)).members.find(({ pn }) => pn === BOB.slice(1))?.isAdmin;
    expect(await isAdmin()).to.equal(true);
    await link.groups.changeMembers(jid, 'demote', [lidOf(BOB)]);
    expect(await isAdmin()).to.equal(false);
    await link.groups.changeMembers(jid, 'remove', [lidOf(BOB)]);
    expect(await membersOf(jid)).to.have.members([ALICE, CAROL]);
    expect(await link.groups.changeMembers(jid, 'remove', [lidOf(BOB)])).to.deep.equal([
      { jid: lidOf(BOB), error: 404 },
    ]);
  });

  it('are joined by their code until another one is made', async () => {
    const { group } = await link.groups.create('Friends', [lidOf(BOB)]);
    const { jid } = group;
    const code = await link.groups.inviteCode(jid, false);
    expect(await link.groups.inviteCode(jid, false)).to.equal(code);
    await rig.network.groups.join(CAROL, code);
    const renewed = await link.groups.inviteCode(jid, true);
    expect(renewed).not.to.equal(code);
    const refused = await rig.network.groups.join(DAVE, code).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(SandboxRefusal);
    await rig.network.groups.join(DAVE, renewed);
    expect(await membersOf(jid)).to.have.members([ALICE, BOB, CAROL, DAVE]);
  });

  it('are left', async () => {
    const { jid } = await rig.network.groups.create(BOB, { subject: 'Friends', participants: [ALICE] });
    await link.groups.leave(jid);
    expect(await membersOf(jid)).to.deep.equal([BOB]);
    expect(await link.groups.list()).to.deep.equal([]);
  });

  it('tell of every change', async () => {
    const { jid } = await rig.network.groups.create(BOB, { subject: 'Friends', participants: [ALICE] });
    const changes = [
      () => rig.network.groups.update(BOB, jid, { subject: 'Old friends' }),
      () => rig.network.groups.participants(BOB, jid, 'add', [CAROL]),
      () => rig.network.groups.participants(BOB, jid, 'promote', [CAROL]),
      () => rig.network.groups.leave(CAROL, jid),
    ];
    for (const change of changes) {
      alice.events.length = 0;
      await change();
      await alice.next('group-changed', (event) => event.jid === jid);
    }
    expect(await link.groups.get(jid)).to.include({ subject: 'Old friends' });
  });

  it('say that they are not there, or what the number has no right to', async () => {
    expect(await codeOf(link.groups.get(NO_GROUP))).to.equal('group_unknown');
    expect(await codeOf(link.groups.leave(NO_GROUP))).to.equal('group_unknown');
    expect(await codeOf(link.groups.inviteCode(NO_GROUP, false))).to.equal('group_unknown');
    const strangers = await rig.network.groups.create(BOB, { subject: 'Strangers', participants: [CAROL] });
    expect(await codeOf(link.groups.get(strangers.jid))).to.equal('group_forbidden');
    const { jid } = await rig.network.groups.create(BOB, {
      subject: 'Friends',
      participants: [ALICE, CAROL],
    });
    expect(await codeOf(link.groups.changeMembers(jid, 'remove', [lidOf(CAROL)]))).to.equal(
      'group_forbidden',
    );
    expect(await codeOf(link.groups.inviteCode(jid, true))).to.equal('group_forbidden');
    await rig.network.groups.participants(BOB, jid, 'remove', [ALICE]);
    expect(await codeOf(link.groups.get(jid))).to.equal('group_forbidden');
    await alice.close();
    expect(await codeOf(link.groups.list())).to.equal('lookup_failed');
  });

  it('carry messages both ways, with who wrote them, also to members who came later', async () => {
    const { jid } = await rig.network.groups.create(BOB, { subject: 'Friends', participants: [ALICE] });
    await rig.network.write(BOB, { to: jid, text: 'Hello all' });
    const { message } = await alice.next('message', (event) => textOf(event.message) === 'Hello all');
    expect(message).to.include({
      chat: jid,
      participant: lidOf(BOB),
      participantAlt: `${BOB.slice(1)}@s.whatsapp.net`,
    });
    await alice.send(jid, 'Hello Bob');
    await rig.network.waitForMessage(BOB, ({ text }) => text === 'Hello Bob');
    alice.events.length = 0;
    await rig.network.groups.participants(BOB, jid, 'add', [CAROL]);
    await alice.next('group-changed');
    await alice.send(jid, 'Hello Carol');
    for (const number of [BOB, CAROL]) {
      await rig.network.waitForMessage(number, ({ text }) => text === 'Hello Carol');
    }
  });
});

/** What a call fails with; empty when it does not. */
async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => '',
    (error: unknown) => (isGatewayError(error) ? error.code : String(error)),
  );
}
