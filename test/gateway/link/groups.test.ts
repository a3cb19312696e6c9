import type { GroupMetadata } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { SandboxRefusal } from '../../../src/client/sandbox/client.js';
import { isGatewayError } from '../../../src/domain/errors.js';
import { GroupCache, type GroupQueries } from '../../../src/gateway/link/baileys/group-cache.js';
import { Groups } from '../../../src/gateway/link/baileys/groups.js';
import type { Link } from '../../../src/gateway/link/link.js';
import { LinkRig, type Session, textOf } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';
const CAROL = '+15550000003';
const DAVE = '+15550000004';
const NAMES = { [ALICE]: 'Alice', [BOB]: 'Bob', [CAROL]: 'Carol', [DAVE]: 'Dave' };
const NO_GROUP = '120363999999999999@g.us';

describe('the groups of a link', () => {
  let rig: LinkRig;
  let alice: Session;
  let link: Link;
  /** Jids by LID, of each number. */
  let lids: Record<string, string>;

  beforeEach(async () => {
    rig = await LinkRig.start();
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

  it('creates a group with the number as its owner', async () => {
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

  it('creates a group without refused people, and returns them with the reason', async () => {
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

  it('lists and describes groups', async () => {
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

  it('returns both addresses of the members', async () => {
    const { jid } = await rig.network.groups.create(BOB, { subject: 'Friends', participants: [ALICE] });
    await link.groups.get(jid);
    const told = await alice.next('contact', ({ source, pn }) => source === 'group' && pn === BOB.slice(1));
    expect(`${told.lid}@lid`).to.equal(lidOf(BOB));
  });

  it('adds, removes, promotes and demotes members, with a result for each', async () => {
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

  it('joins a group by its invite code until the code is reset', async () => {
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

  it('leaves a group', async () => {
    const { jid } = await rig.network.groups.create(BOB, { subject: 'Friends', participants: [ALICE] });
    await link.groups.leave(jid);
    expect(await membersOf(jid)).to.deep.equal([BOB]);
    expect(await link.groups.list()).to.deep.equal([]);
  });

  it('emits an event for every change of a group', async () => {
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

  it('rejects with `group_unknown` or `group_forbidden`', async () => {
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

  it('sends and receives group messages with their authors, also to and from later members', async () => {
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

/** The error code of a call; empty when the call succeeds. */
async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => '',
    (error: unknown) => (isGatewayError(error) ? error.code : String(error)),
  );
}

const JID = '120363040000000001@g.us';
const notification = (from = JID) => ({ tag: 'notification', attrs: { type: 'w:gp2', from } });

describe('GroupCache', () => {
  let asked: string[];
  let members: number;
  /** Runs while the network is asked. */
  let meanwhile: () => void;
  let cache: GroupCache;
  let groups: Groups;

  beforeEach(() => {
    asked = [];
    members = 2;
    meanwhile = () => undefined;
    const groupMetadata = async (id: string): Promise<GroupMetadata> => {
      asked.push(id);
      const told = metadata(id, members);
      meanwhile();
      return told;
    };
    const refuse = () => Promise.reject(new Error('not asked for here'));
    const queries: GroupQueries = {
      groupMetadata,
      groupFetchAllParticipating: async () => ({ [JID]: await groupMetadata(JID) }),
      query: refuse,
      groupParticipantsUpdate: refuse,
      groupInviteCode: refuse,
      groupRevokeInvite: refuse,
      groupLeave: refuse,
      groupGetInviteInfo: refuse,
      groupUpdateSubject: refuse,
      groupUpdateDescription: refuse,
      groupSettingUpdate: refuse,
      groupMemberAddMode: refuse,
      groupJoinApprovalMode: refuse,
      groupToggleEphemeral: refuse,
      groupRequestParticipantsList: refuse,
      groupRequestParticipantsUpdate: refuse,
    };
    cache = new GroupCache(groupMetadata);
    groups = new Groups(
      queries,
      cache,
      () => undefined,
      async () => new Map(),
    );
  });

  const kept = async (jid = JID) => (await cache.get(jid)).participants.length;

  it('queries a group once for concurrent callers', async () => {
    await groups.get(JID);
    expect(await Promise.all([kept(), kept()])).to.deep.equal([2, 2]);
    expect(asked).to.deep.equal([JID]);
  });

  it('queries a group again after a change', async () => {
    await kept();
    members = 3;
    expect(await kept()).to.equal(2);
    cache.onNotification(notification());
    expect(await kept()).to.equal(3);
  });

  for (const [what, ask] of Object.entries({
    'a group': () => groups.get(JID),
    'all groups': () => groups.list(),
  }))
    it(`drops an answer from before a change that is notified while ${what} is queried`, async () => {
      meanwhile = () => {
        members = 3;
        cache.onNotification(notification());
      };
      await ask();
      meanwhile = () => undefined;
      expect(await kept()).to.equal(3);
    });

  it('limits the number of cached members', async () => {
    members = 20_000;
    const jids = [1, 2, 3].map((n) => `12036304000000000${n}@g.us`);
    for (const jid of jids) expect(await kept(jid)).to.equal(20_000);
    for (const jid of jids.toReversed()) await kept(jid);
    expect(asked).to.have.length(4);
    members = 60_000;
    expect(await kept('120363040000000009@g.us'), 'answered though not kept').to.equal(60_000);
  });
});

function metadata(id: string, members: number): GroupMetadata {
  const participants = Array.from({ length: members }, (_, n) => ({
    id: `${90_000_000_000_001 + n}@lid`,
    admin: null,
  }));
  return { id, subject: 'Friends', owner: undefined, participants };
}
