import type { GroupMetadata } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import type { BaileysDevice } from './support/baileys-device.js';
import { ALICE, BOB, CAROL, codeOf, pnJid, SandboxWorld } from './support/world.js';

const DAVE = '+15550000004';

describe('Sandbox: groups', () => {
  const world = new SandboxWorld();

  beforeEach(async () => {
    await world.open();
    await world.client.addPhone({ number: DAVE, name: 'Dave' });
  });
  afterEach(() => world.close());

  const lidOf = async (number: string) => (await world.client.phone(number)).lid;
  const roles = async (jid: string) =>
    Object.fromEntries(
      (await world.client.groups.get(jid)).participants.map(({ number, role }) => [number, role]),
    );

  /** A group of Alice's client with some people in it. */
  async function grouped(alice: BaileysDevice, ...numbers: string[]): Promise<GroupMetadata> {
    return alice.socket.groupCreate('Friends', numbers.map(pnJid));
  }

  describe('created by a client', () => {
    it('stores the owner, the settings, and both addresses of each member', async () => {
      const alice = await world.linked(ALICE);
      const created = await grouped(alice, BOB, CAROL);
      expect(created).to.include({ subject: 'Friends', addressingMode: 'lid', size: 3 });
      const metadata = await alice.socket.groupMetadata(created.id);
      expect(metadata).to.include({
        owner: await lidOf(ALICE),
        ownerPn: pnJid(ALICE),
        announce: false,
        restrict: false,
        memberAddMode: true,
      });
      expect(
        metadata.participants.map(({ id, phoneNumber, admin }) => ({ id, phoneNumber, admin })),
      ).to.deep.equal([
        { id: await lidOf(ALICE), phoneNumber: pnJid(ALICE), admin: 'superadmin' },
        { id: await lidOf(BOB), phoneNumber: pnJid(BOB), admin: null },
        { id: await lidOf(CAROL), phoneNumber: pnJid(CAROL), admin: null },
      ]);
      expect(Object.keys(await alice.socket.groupFetchAllParticipating())).to.deep.equal([created.id]);
      expect(await roles(created.id)).to.deep.equal({
        [ALICE]: 'superadmin',
        [BOB]: 'member',
        [CAROL]: 'member',
      });
    });

    it('notifies the members of every change', async () => {
      const [alice, bob] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
      const made = bob.until('groups.upsert', ([group]) => group?.subject === 'Friends');
      const { id } = await grouped(alice, BOB);
      expect((await made)[0]).to.include({ id, author: await lidOf(ALICE) });
      const change = (act: () => Promise<unknown>, action: string, number: string) =>
        Promise.all([
          bob.until('group-participants.update', (news) => news.action === action),
          act(),
          lidOf(number),
        ]).then(([news, , lid]) => expect(news.participants.map((one) => one.id)).to.deep.equal([lid]));
      const { socket } = alice;
      const [carol] = [await lidOf(CAROL)];
      await change(() => socket.groupParticipantsUpdate(id, [carol], 'add'), 'add', CAROL);
      await change(() => socket.groupParticipantsUpdate(id, [carol], 'promote'), 'promote', CAROL);
      await change(() => socket.groupParticipantsUpdate(id, [carol], 'demote'), 'demote', CAROL);
      await change(() => socket.groupParticipantsUpdate(id, [carol], 'remove'), 'remove', CAROL);
      const update = (act: () => Promise<unknown>, fields: Partial<GroupMetadata>) =>
        Promise.all([bob.until('groups.update', ([news]) => hasAll(news, fields)), act()]);
      await update(() => socket.groupUpdateSubject(id, 'Old friends'), { subject: 'Old friends' });
      await update(() => socket.groupUpdateDescription(id, 'Since ever'), { desc: 'Since ever' });
      await update(() => socket.groupSettingUpdate(id, 'announcement'), { announce: true });
      await update(() => socket.groupSettingUpdate(id, 'locked'), { restrict: true });
      await update(() => socket.groupMemberAddMode(id, 'admin_add'), { memberAddMode: false });
      const metadata = await bob.socket.groupMetadata(id);
      expect(metadata).to.include({
        subject: 'Old friends',
        desc: 'Since ever',
        announce: true,
        restrict: true,
      });
      expect(await roles(id)).to.deep.equal({ [ALICE]: 'superadmin', [BOB]: 'member' });
    });

    it('returns the result for each participant', async () => {
      await world.client.update(CAROL, { onlyAdminsAddMe: true });
      const alice = await world.linked(ALICE);
      const { id } = await grouped(alice, BOB);
      const people = [pnJid(BOB), pnJid(CAROL), pnJid(DAVE), '15559999999@s.whatsapp.net'];
      const statuses = (results: { status: string }[]) => results.map(({ status }) => status);
      const { socket } = alice;
      expect(statuses(await socket.groupParticipantsUpdate(id, people, 'add'))).to.deep.equal([
        '409',
        '403',
        '200',
        '404',
      ]);
      expect(statuses(await socket.groupParticipantsUpdate(id, [pnJid(CAROL)], 'remove'))).to.deep.equal([
        '404',
      ]);
      expect(statuses(await socket.groupParticipantsUpdate(id, [pnJid(CAROL)], 'promote'))).to.deep.equal([
        '404',
      ]);
      await socket.groupParticipantsUpdate(id, [pnJid(BOB)], 'promote');
      const bob = await world.linked(BOB);
      expect(statuses(await bob.socket.groupParticipantsUpdate(id, [pnJid(ALICE)], 'remove'))).to.deep.equal([
        '406',
      ]);
      expect(statuses(await bob.socket.groupParticipantsUpdate(id, [pnJid(ALICE)], 'demote'))).to.deep.equal([
        '406',
      ]);
      expect(await roles(id)).to.deep.equal({ [ALICE]: 'superadmin', [BOB]: 'admin', [DAVE]: 'member' });
    });

    it('creates a group without the people who cannot be added', async () => {
      await world.client.update(CAROL, { onlyAdminsAddMe: true });
      const alice = await world.linked(ALICE);
      const { id } = await grouped(alice, BOB, CAROL);
      expect(await roles(id)).to.deep.equal({ [ALICE]: 'superadmin', [BOB]: 'member' });
      await world.client.groups.join(CAROL, (await alice.socket.groupInviteCode(id)) ?? '');
      expect(await roles(id)).to.include({ [CAROL]: 'member' });
    });

    it('lets people join with the invite code until the code is replaced', async () => {
      const [alice, bob] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
      const { id } = await grouped(alice);
      const code = (await alice.socket.groupInviteCode(id)) ?? '';
      expect(await bob.socket.groupGetInviteInfo(code)).to.include({ id, subject: 'Friends', size: 1 });
      expect(await bob.socket.groupAcceptInvite(code)).to.equal(id);
      expect(await roles(id)).to.deep.equal({ [ALICE]: 'superadmin', [BOB]: 'member' });
      const fresh = await alice.socket.groupRevokeInvite(id);
      expect(fresh).not.to.equal(code);
      expect(await codeOf(bob.socket.groupAcceptInvite(code))).to.equal(410);
      expect(await codeOf(bob.socket.groupGetInviteInfo(code))).to.equal(410);
      expect(await codeOf(bob.socket.groupAcceptInvite(fresh ?? ''))).to.equal(409);
    });

    it('lets admins approve and reject requests to join', async () => {
      const [alice, bob] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
      const { id } = await grouped(alice);
      await alice.socket.groupJoinApprovalMode(id, 'on');
      expect(await alice.socket.groupMetadata(id)).to.include({ joinApprovalMode: true });
      const code = (await alice.socket.groupInviteCode(id)) ?? '';
      const told = alice.until('group.join-request', ({ action }) => action === 'created');
      // the answer to a request names no group that was joined
      expect(await bob.socket.groupAcceptInvite(code)).to.equal(undefined);
      expect(await told).to.include({ id, participant: await lidOf(BOB), method: 'invite_link' });
      expect(await codeOf(bob.socket.groupAcceptInvite(code))).to.equal(409);
      await world.client.groups.join(CAROL, code);
      await world.client.groups.join(DAVE, code);
      const list = async () => (await alice.socket.groupRequestParticipantsList(id)).map(({ jid }) => jid);
      const asking = await Promise.all([BOB, CAROL, DAVE].map(lidOf));
      expect(await list()).to.deep.equal(asking);
      expect(await roles(id)).to.deep.equal({ [ALICE]: 'superadmin' });
      const [bobLid = '', carolLid = '', daveLid = ''] = asking;
      expect(await alice.socket.groupRequestParticipantsUpdate(id, [bobLid], 'approve')).to.deep.equal([
        { status: '200', jid: bobLid },
      ]);
      expect(
        await alice.socket.groupRequestParticipantsUpdate(id, [carolLid, bobLid], 'reject'),
      ).to.deep.equal([
        { status: '200', jid: carolLid },
        { status: '409', jid: bobLid },
      ]);
      expect(await list()).to.deep.equal([daveLid]);
      expect(await codeOf(bob.socket.groupRequestParticipantsList(id))).to.equal(403);
      expect(await codeOf(bob.socket.groupParticipantsUpdate(id, [pnJid(CAROL)], 'add'))).to.equal(501);
      expect((await world.client.groups.get(id)).requests.map(({ number }) => number)).to.deep.equal([DAVE]);
      await world.client.groups.answerRequests(ALICE, id, 'approve', [DAVE]);
      expect(await roles(id)).to.deep.equal({ [ALICE]: 'superadmin', [BOB]: 'member', [DAVE]: 'member' });
    });

    it('lets members leave, and promotes the oldest member when no admin remains', async () => {
      const [alice, bob] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
      const { id } = await grouped(alice, BOB, CAROL);
      const left = bob.until('group-participants.update', ({ action }) => action === 'remove');
      const heir = bob.until('group-participants.update', ({ action }) => action === 'promote');
      await alice.socket.groupLeave(id);
      const lid = await lidOf(ALICE);
      expect(await left).to.deep.include({ author: lid });
      expect((await heir).participants.map((one) => one.id)).to.deep.equal([await lidOf(BOB)]);
      expect(await roles(id)).to.deep.equal({ [BOB]: 'admin', [CAROL]: 'member' });
      expect(await codeOf(alice.socket.groupMetadata(id))).to.equal(401);
    });

    it('refuses actions of members without the necessary right', async () => {
      const [alice, bob, carol] = await Promise.all(
        [ALICE, BOB, CAROL].map((number) => world.linked(number)),
      );
      if (!alice || !bob || !carol) throw new Error('unreachable: all were linked');
      const { id } = await grouped(alice, BOB);
      const { socket } = bob;
      expect(await codeOf(socket.groupParticipantsUpdate(id, [pnJid(ALICE)], 'remove'))).to.equal(403);
      expect(await codeOf(socket.groupSettingUpdate(id, 'locked'))).to.equal(403);
      expect(await codeOf(socket.groupInviteCode(id))).to.equal(403);
      await socket.groupUpdateSubject(id, 'Everybody may');
      await alice.socket.groupSettingUpdate(id, 'locked');
      await alice.socket.groupMemberAddMode(id, 'admin_add');
      expect(await codeOf(socket.groupUpdateSubject(id, 'Only admins may'))).to.equal(403);
      expect(await codeOf(socket.groupUpdateDescription(id, 'Only admins may'))).to.equal(403);
      expect(await codeOf(socket.groupParticipantsUpdate(id, [pnJid(CAROL)], 'add'))).to.equal(403);
      expect(await codeOf(carol.socket.groupMetadata(id))).to.equal(403);
      expect(await codeOf(carol.socket.groupLeave(id))).to.equal(403);
      expect(await codeOf(carol.socket.groupMetadata('120363999999999999@g.us'))).to.equal(404);
      expect(await codeOf(alice.socket.groupUpdateSubject(id, 'x'.repeat(101)))).to.equal(406);
      expect((await world.client.groups.get(id)).subject).to.equal('Everybody may');
    });
  });

  describe('created on a phone', () => {
    it('groups of a phone appear on the devices of their members', async () => {
      const bob = await world.linked(BOB);
      const made = bob.until('groups.upsert', () => true);
      const group = await world.client.groups.create(ALICE, { subject: 'Work', participants: [BOB, CAROL] });
      expect(group.results).to.deep.equal([
        { number: BOB, status: 200 },
        { number: CAROL, status: 200 },
      ]);
      expect((await made)[0]).to.include({ id: group.jid, subject: 'Work', size: 3 });
      const results = await world.client.groups.participants(ALICE, group.jid, 'promote', [BOB]);
      expect(results).to.deep.equal([{ number: BOB, status: 200 }]);
      await world.client.groups.update(ALICE, group.jid, {
        subject: 'Job',
        description: 'Serious',
        announce: true,
      });
      expect(await bob.socket.groupMetadata(group.jid)).to.include({
        subject: 'Job',
        desc: 'Serious',
        announce: true,
      });
      const code = await world.client.groups.invite(BOB, group.jid);
      await world.client.groups.join(DAVE, code);
      await world.client.groups.leave(CAROL, group.jid);
      expect((await world.client.groups.of(DAVE)).map(({ subject }) => subject)).to.deep.equal(['Job']);
      expect(await world.client.groups.of(CAROL)).to.deep.equal([]);
      expect(await world.client.groups.invite(BOB, group.jid, true)).not.to.equal(code);
    });

    it('refuses invalid actions with clear errors', async () => {
      const { jid } = await world.client.groups.create(ALICE, { subject: 'Work', participants: [BOB] });
      const statuses = await Promise.all(
        [
          world.client.groups.get('120363999999999999@g.us'),
          world.client.groups.get('nonsense'),
          world.client.groups.create(ALICE, { subject: '' }),
          world.client.groups.participants(BOB, jid, 'remove', [ALICE]),
          world.client.groups.update(BOB, jid, { locked: true }),
          world.client.groups.leave(CAROL, jid),
          world.client.groups.join(CAROL, 'no such code'),
          world.client.groups.join(BOB, await world.client.groups.invite(ALICE, jid)),
        ].map((call) => call.then(() => 200).catch((error) => error.status)),
      );
      expect(statuses).to.deep.equal([404, 400, 400, 403, 403, 403, 400, 409]);
    });
  });
});

function hasAll(news: Partial<GroupMetadata> | undefined, fields: Partial<GroupMetadata>): boolean {
  const entries = Object.entries(news ?? {});
  return Object.entries(fields).every(([name, value]) =>
    entries.some(([key, has]) => key === name && has === value),
  );
}
