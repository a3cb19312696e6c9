import { expect } from 'chai';
import sharp from 'sharp';
import type { GroupUpdate } from '../../../src/client/sandbox/client.js';
import { ALICE, BOB, CAROL, pnJid } from '../../sandbox/support/world.js';
import { type Bot, partOfDay, refusalOf } from './day.js';

const DAVE = '+15550000004';
const DAY_S = 86_400;

const EXPECTED = [
  {
    text: /Server returned different participant list hash/,
    reason: 'whatsmeow keeps its lists of devices when a group has another one (a TODO in its send.go)',
  },
];

partOfDay('groups', EXPECTED, (day) => {
  const { world } = day;
  let alice: Bot;
  let group = '';

  before(async () => {
    await world.client.addPhone({ number: DAVE, name: 'Dave' });
    alice = await day.linked(ALICE);
  });

  /** The group as its members see it. */
  const seen = () => world.client.groups.get(group);
  const rolesIn = async (jid: string) =>
    Object.fromEntries(
      (await world.client.groups.get(jid)).participants.map(({ number, role }) => [number, role]),
    );

  describe('of its own', () => {
    it('are created with all options', async () => {
      const created = await alice.call('CreateGroup', {
        ...{ Name: 'Weekend', Participants: [pnJid(BOB), pnJid(CAROL)] },
        ...{ IsLocked: true, IsAnnounce: true, IsJoinApprovalRequired: true },
        ...{ IsEphemeral: true, DisappearingTimer: DAY_S },
      });
      expect(created).to.include({ IsLocked: true, IsAnnounce: true, IsJoinApprovalRequired: true });
      expect(created).to.include({ IsEphemeral: true, DisappearingTimer: DAY_S });
      group = Object(created).JID;
      const view = await seen();
      expect(view).to.include({ locked: true, announce: true, joinApproval: true, ephemeral: DAY_S });
      expect(view.participants.map(({ number }) => number)).to.have.members([ALICE, BOB, CAROL]);
    });

    const changes: [string, unknown[], object][] = [
      ['SetGroupName', ['Weekend plans'], { subject: 'Weekend plans' }],
      ['SetGroupTopic', ['', '', 'By train'], { description: 'By train' }],
      ['SetGroupDescription', ['By car'], { description: 'By car' }],
      ['SetGroupLocked', [false], { locked: false }],
      ['SetGroupAnnounce', [false], { announce: false }],
      ['SetGroupJoinApprovalMode', [false], { joinApproval: false }],
      ['SetGroupMemberAddMode', ['admin_add'], { membersAdd: false }],
      ['SetGroupMemberAddMode', ['all_member_add'], { membersAdd: true }],
      ['SetDisappearingTimer', [0, new Date(0).toISOString()], { ephemeral: 0 }],
    ];
    for (const [method, args, result] of changes) {
      it(`are changed by ${method} to ${JSON.stringify(result)}`, async () => {
        await alice.call(method, group, ...args);
        expect(await seen()).to.include(result);
      });
    }

    it('get a picture', async () => {
      const white = { width: 64, height: 64, channels: 3, background: 'white' } as const;
      const picture = await sharp({ create: white }).jpeg().toBuffer();
      const id = await alice.call('SetGroupPhoto', group, picture.toString('base64'));
      expect((await seen()).pictureId).to.equal(id);
      const info = await alice.call('GetProfilePictureInfo', group, {});
      expect(info).to.include({ id });
      expect(await alice.call('GetProfilePictureInfo', group, { ExistingID: id })).to.equal(null);
    });

    it('get and lose members and admins', async () => {
      const act = (action: string, person = CAROL) =>
        alice.call('UpdateGroupParticipants', group, [pnJid(person)], action);
      await act('promote');
      expect(await rolesIn(group)).to.include({ [CAROL]: 'admin' });
      await act('demote');
      expect(await rolesIn(group)).to.include({ [CAROL]: 'member' });
      await act('remove');
      expect(await rolesIn(group)).not.to.have.property(CAROL);
      await act('add');
      expect(await rolesIn(group)).to.include({ [CAROL]: 'member' });
      await world.client.update(DAVE, { onlyAdminsAddMe: true });
      const refused = await act('add', DAVE);
      expect(refused).to.have.nested.property('[0].Error', 403);
    });

    it('read and write messages, also with people who join later', async () => {
      const id = await alice.send(group, { conversation: 'to all' });
      for (const number of [BOB, CAROL])
        await world.client.waitForMessage(number, ({ messageId }) => messageId === id);
      await alice.heard('receipt', ({ MessageIDs }) => String(MessageIDs) === id);
      const { messageId } = await world.client.write(BOB, { to: group, text: 'from Bob' });
      const received = await alice.message(messageId);
      const { lid } = await world.client.phone(BOB);
      expect(received).to.have.nested.property('info.Sender', lid);
      expect(received).to.have.nested.property('info.SenderAlt', pnJid(BOB));
      const tablet = await world.linked(CAROL);
      await alice.send(group, { conversation: 'to the tablet' });
      await tablet.text('to the tablet');
    });

    it('read and write reactions, votes and deletions by an admin', async () => {
      const { messageId } = await world.client.write(BOB, { to: group, text: 'not allowed here' });
      const { info } = await alice.message(messageId);
      const { Sender: sender } = Object(info);
      await alice.build(group, 'BuildReaction', [group, sender, messageId, '👎']);
      await world.client.waitForMessage(BOB, ({ reactions }) => reactions[ALICE] === '👎');
      await alice.build(group, 'BuildRevoke', [group, sender, messageId]);
      await world.client.waitForMessage(BOB, (one) => one.messageId === messageId && one.revoked);
      const poll = await alice.build(group, 'BuildPollCreation', ['When?', ['Saturday', 'Sunday'], 1]);
      await world.client.waitForMessage(BOB, (one) => one.messageId === poll);
      const vote = await world.client.write(BOB, {
        ...{ to: group, vote: { pollMessageId: poll, options: ['Sunday'] } },
      });
      expect((await alice.message(vote.messageId)).vote).to.have.lengthOf(1);
    });

    it('take requests to join', async () => {
      await alice.call('SetGroupJoinApprovalMode', group, true);
      const link = String(await alice.call('GetGroupInviteLink', group, false));
      const code = link.split('/').at(-1) ?? '';
      await world.client.groups.join(DAVE, code);
      const asked = await alice.call('GetGroupRequestParticipants', group);
      expect(asked).to.have.lengthOf(1);
      const [{ JID: person }] = Object(asked);
      await alice.call('UpdateGroupRequestParticipants', group, [person], 'approve');
      expect(await rolesIn(group)).to.include({ [DAVE]: 'member' });
      await alice.call('UpdateGroupParticipants', group, [person], 'remove');
      await world.client.groups.join(DAVE, code);
      await alice.call('UpdateGroupRequestParticipants', group, [person], 'reject');
      expect((await seen()).requests).to.deep.equal([]);
      expect(await alice.call('GetGroupInviteLink', group, true)).not.to.equal(link);
    });

    it('are left, and listed', async () => {
      const listed = await alice.call('GetJoinedGroups');
      expect(listed).to.have.lengthOf(1);
      await alice.call('LeaveGroup', group);
      expect(await alice.call('GetJoinedGroups')).to.have.lengthOf(0);
    });
  });

  describe('of others', () => {
    it('are heard of with every change', async () => {
      const { jid } = await world.client.groups.create(BOB, { subject: 'Changing', participants: [ALICE] });
      await alice.heard('joinedGroup', ({ JID }) => JID === jid);
      const changes: [GroupUpdate, string, unknown][] = [
        [{ subject: 'Changed' }, 'Name.Name', 'Changed'],
        [{ announce: true }, 'Announce.IsAnnounce', true],
        [{ announce: false }, 'Announce.IsAnnounce', false],
        [{ locked: true }, 'Locked.IsLocked', true],
        [{ locked: false }, 'Locked.IsLocked', false],
        [{ description: 'for a while' }, 'Topic.Topic', 'for a while'],
        [{ description: '' }, 'Topic.TopicDeleted', true],
        [{ ephemeral: DAY_S }, 'Ephemeral.DisappearingTimer', DAY_S],
        [{ ephemeral: 0 }, 'Ephemeral.IsEphemeral', false],
        [{ joinApproval: true }, 'MembershipApprovalMode.IsJoinApprovalRequired', true],
      ];
      for (const [change, field, value] of changes) {
        const news = await alice.after(() => world.client.groups.update(BOB, jid, change), 'groupInfo');
        expect(news).to.have.nested.property(field, value);
      }
      const { lid } = await world.client.phone(CAROL);
      for (const [action, field] of [
        ['add', 'Join'],
        ['promote', 'Promote'],
        ['demote', 'Demote'],
        ['remove', 'Leave'],
      ] as const) {
        const act = () => world.client.groups.participants(BOB, jid, action, [CAROL]);
        expect((await alice.after(act, 'groupInfo'))[field]).to.deep.equal([lid]);
      }
      const renewed = await alice.after(() => world.client.groups.invite(BOB, jid, true), 'groupInfo');
      expect(renewed.NewInviteLink).to.include('https://chat.whatsapp.com/');
      const out = await alice.after(
        () => world.client.groups.participants(BOB, jid, 'remove', [ALICE]),
        'groupInfo',
      );
      expect(out.Leave).to.have.lengthOf(1);
    });

    it('are joined by a link; a revoked link differs from one that never was', async () => {
      const { jid, inviteCode } = await world.client.groups.create(BOB, {
        subject: 'Open',
        participants: [],
      });
      expect(await alice.call('GetGroupInfoFromLink', inviteCode)).to.include({ JID: jid, Name: 'Open' });
      await alice.call('JoinGroupWithLink', inviteCode);
      const joined = await alice.heard('joinedGroup', ({ JID }) => JID === jid);
      expect(joined).to.include({ Reason: 'invite' });
      await world.client.groups.invite(BOB, jid, true);
      expect(await refusalOf(alice.call('JoinGroupWithLink', inviteCode))).to.match(/revoked/);
      expect(await refusalOf(alice.call('JoinGroupWithLink', 'never-was'))).to.match(/not valid/);
    });

    it('refuse what only admins and members may do', async () => {
      const { jid } = await world.client.groups.create(BOB, { subject: 'Theirs', participants: [ALICE] });
      expect(await refusalOf(alice.call('SetGroupAnnounce', jid, true))).to.match(/403|not-authorized/);
      const other = await world.client.groups.create(BOB, { subject: 'Elsewhere', participants: [CAROL] });
      expect(await refusalOf(alice.call('GetGroupInfo', other.jid))).to.match(/not participating|403/);
    });
  });

  describe('in communities', () => {
    it('are linked, listed, unlinked and left', async () => {
      const community = Object(await alice.call('CreateGroup', { Name: 'Village', IsParent: true })).JID;
      const child = Object(
        await alice.call('CreateGroup', { Name: 'Choir', Participants: [pnJid(BOB)] }),
      ).JID;
      await alice.call('LinkGroup', community, child);
      expect(await world.client.groups.get(child)).to.include({ communityJid: community });
      const groups = Object(await alice.call('GetSubGroups', community));
      expect(groups.map(({ JID }: { JID: string }) => JID)).to.include(child);
      const people = await alice.call('GetLinkedGroupsParticipants', community);
      expect(people).to.have.lengthOf(2);
      await alice.call('UnlinkGroup', community, child);
      expect(await world.client.groups.get(child)).to.include({ communityJid: '' });
      const made = await alice.call('CreateGroup', {
        ...{ Name: 'Band', Participants: [pnJid(BOB)], LinkedParentJID: community },
      });
      expect(await world.client.groups.get(Object(made).JID)).to.include({ communityJid: community });
    });
  });
});
