import { readFileSync } from 'node:fs';
import { type BinaryNode, proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import sharp from 'sharp';
import type { BaileysDevice } from './support/baileys-device.js';
import { ALICE, BOB, CAROL, codeOf, pnJid, SandboxWorld } from './support/world.js';

type Socket = BaileysDevice['socket'];

/** What the calls of a table share. */
interface Stage {
  socket: Socket;
  alice: BaileysDevice;
  world: SandboxWorld;
  /** A group of Alice's with Bob, and a community of hers. */
  group: string;
  community: string;
  /** A message of Bob's to Alice. */
  hello: proto.IMessageKey;
  lid(number: string): Promise<string>;
}

const CHANNEL = '120363000000000001@newsletter';
const HOUR_S = 3_600;
const product = {
  name: 'Tea',
  description: '',
  price: 1,
  currency: 'EUR',
  isHidden: false,
  originCountryCode: undefined,
  images: [],
};
const inviteMessage = () =>
  proto.Message.GroupInviteMessage.create({
    groupJid: '120363000000000001@g.us',
    inviteCode: 'x',
    inviteExpiration: 1,
  });

/** Calls that work, each with what shows it. */
const PLAYED: Record<string, (stage: Stage) => Promise<void>> = {
  async groupCreate({ socket, group }) {
    expect(await socket.groupMetadata(group)).to.include({ subject: 'Friends', size: 2 });
  },
  async groupFetchAllParticipating({ socket, group }) {
    expect(await socket.groupFetchAllParticipating()).to.have.property(group);
  },
  async groupUpdateSubject({ socket, group }) {
    await socket.groupUpdateSubject(group, 'Old friends');
    expect((await socket.groupMetadata(group)).subject).to.equal('Old friends');
  },
  async groupUpdateDescription({ socket, group }) {
    await socket.groupUpdateDescription(group, 'Since ever');
    expect((await socket.groupMetadata(group)).desc).to.equal('Since ever');
  },
  async groupSettingUpdate({ socket, group }) {
    await socket.groupSettingUpdate(group, 'locked');
    expect((await socket.groupMetadata(group)).restrict).to.equal(true);
  },
  async groupMemberAddMode({ socket, group }) {
    await socket.groupMemberAddMode(group, 'admin_add');
    expect((await socket.groupMetadata(group)).memberAddMode).to.equal(false);
  },
  async groupToggleEphemeral({ socket, group }) {
    await socket.groupToggleEphemeral(group, HOUR_S);
    expect((await socket.groupMetadata(group)).ephemeralDuration).to.equal(HOUR_S);
    await socket.groupToggleEphemeral(group, 0);
  },
  async groupParticipantsUpdate({ socket, group }) {
    const [result] = await socket.groupParticipantsUpdate(group, [pnJid(CAROL)], 'add');
    expect(result?.status).to.equal('200');
    expect((await socket.groupMetadata(group)).size).to.equal(3);
  },
  async groupInviteCode({ socket, group }) {
    expect(await socket.groupInviteCode(group)).to.be.a('string');
  },
  async groupGetInviteInfo({ socket, group }) {
    expect((await socket.groupGetInviteInfo((await socket.groupInviteCode(group)) ?? '')).id).to.equal(group);
  },
  async groupRevokeInvite({ socket, group }) {
    const code = await socket.groupInviteCode(group);
    expect(await socket.groupRevokeInvite(group)).not.to.equal(code);
  },
  async groupAcceptInvite({ socket, world }) {
    const { jid, inviteCode } = await world.client.groups.create(BOB, { subject: 'Open' });
    expect(await socket.groupAcceptInvite(inviteCode)).to.equal(jid);
  },
  async groupLeave({ socket, world }) {
    const { jid } = await world.client.groups.create(BOB, { subject: 'Closed', participants: [ALICE] });
    await socket.groupLeave(jid);
    expect((await world.client.groups.get(jid)).participants).to.have.lengthOf(1);
  },
  async groupJoinApprovalMode({ socket, group }) {
    await socket.groupJoinApprovalMode(group, 'on');
    expect((await socket.groupMetadata(group)).joinApprovalMode).to.equal(true);
  },
  async groupRequestParticipantsList({ socket, world, group, lid }) {
    await world.client.addPhone({ number: '+15550000004', name: 'Dave' });
    await world.client.groups.join('+15550000004', (await socket.groupInviteCode(group)) ?? '');
    const [request] = await socket.groupRequestParticipantsList(group);
    expect(request?.jid).to.equal(await lid('+15550000004'));
  },
  async groupRequestParticipantsUpdate({ socket, group, lid }) {
    const dave = await lid('+15550000004');
    expect(await socket.groupRequestParticipantsUpdate(group, [dave], 'approve')).to.deep.equal([
      { status: '200', jid: dave },
    ]);
  },
  async newsletterCreate({ socket, world }) {
    const { id, name, subscribers } = await socket.newsletterCreate('News', 'Of the lake');
    expect({ name, subscribers }).to.deep.equal({ name: 'News', subscribers: 1 });
    expect((await world.client.channels.get(id)).followers[0]).to.include({ number: ALICE, role: 'owner' });
  },
  async newsletterMetadata({ socket, world }) {
    const { jid, inviteCode } = await world.client.channels.create(BOB, { name: 'River' });
    for (const [type, key] of [['jid', jid] as const, ['invite', inviteCode] as const])
      expect(await socket.newsletterMetadata(type, key)).to.have.property('id', jid);
    const unknown = await socket.newsletterMetadata('jid', CHANNEL).catch((error: Error) => error.message);
    expect(unknown).to.equal('GraphQL server error: item-not-found');
  },
  async newsletterFollow({ socket, world }) {
    const { jid } = await world.client.channels.create(BOB, { name: 'Follow me' });
    await socket.newsletterFollow(jid);
    expect((await world.client.channels.of(ALICE)).map((channel) => channel.jid)).to.include(jid);
  },
  async newsletterUnfollow({ socket, world }) {
    const { jid } = await world.client.channels.create(BOB, { name: 'Leave me' });
    await socket.newsletterFollow(jid);
    await socket.newsletterUnfollow(jid);
    expect((await world.client.channels.of(ALICE)).map((channel) => channel.jid)).not.to.include(jid);
  },
  async newsletterMute({ socket, world }) {
    const { jid } = await world.client.channels.create(ALICE, { name: 'Loud' });
    await socket.newsletterMute(jid);
    expect((await world.client.channels.get(jid)).followers[0]?.muted).to.equal(true);
  },
  async newsletterUnmute({ socket, world }) {
    const { jid } = await world.client.channels.create(ALICE, { name: 'Quiet' });
    await socket.newsletterMute(jid);
    await socket.newsletterUnmute(jid);
    expect((await world.client.channels.get(jid)).followers[0]?.muted).to.equal(false);
  },
  async newsletterReactMessage({ socket, world }) {
    const { jid } = await world.client.channels.create(BOB, { name: 'Applause' });
    const { serverId } = await world.client.channels.post(BOB, jid, { text: 'Clap' });
    await socket.newsletterReactMessage(jid, String(serverId), '👍');
    expect((await world.client.channels.posts(jid))[0]?.reactions).to.deep.equal({ '👍': 1 });
  },
  async newsletterFetchMessages({ socket, world }) {
    const { jid } = await world.client.channels.create(BOB, { name: 'Counted' });
    await world.client.channels.post(BOB, jid, { text: 'Once' });
    const answer: BinaryNode = await socket.newsletterFetchMessages(jid, 5, 0, 0);
    expect(JSON.stringify(answer)).to.include('"tag":"views_count","attrs":{"count":"0"}');
  },
  async subscribeNewsletterUpdates({ socket, world }) {
    const { jid } = await world.client.channels.create(BOB, { name: 'Live' });
    expect(await socket.subscribeNewsletterUpdates(jid)).to.deep.equal({ duration: '300' });
  },
  async communityCreate({ socket, community }) {
    expect(await socket.groupMetadata(community)).to.include({ isCommunity: true, subject: 'Village' });
    const { linkedGroups } = await socket.communityFetchLinkedGroups(community);
    const [announcements] = linkedGroups;
    expect(await socket.groupMetadata(announcements?.id ?? '')).to.include({
      isCommunityAnnounce: true,
      announce: true,
      linkedParent: community,
    });
  },
  async communityFetchLinkedGroups({ socket, community }) {
    const { communityJid, linkedGroups } = await socket.communityFetchLinkedGroups(community);
    expect(communityJid).to.equal(community);
    expect(linkedGroups.map(({ subject }) => subject)).to.deep.equal(['Village', 'General']);
  },
  async communityCreateGroup({ socket, community }) {
    const created = await socket.communityCreateGroup('Gardeners', [pnJid(BOB)], community);
    expect(created).to.include({ linkedParent: community, subject: 'Gardeners' });
    // who is in a group of the community is in the community, and hears its announcements
    expect((await socket.groupMetadata(community)).size).to.equal(2);
  },
  async communityLinkGroup({ socket, community, group }) {
    await socket.communityLinkGroup(group, community);
    expect((await socket.groupMetadata(group)).linkedParent).to.equal(community);
  },
  async communityUnlinkGroup({ socket, community, group }) {
    await socket.communityUnlinkGroup(group, community);
    expect((await socket.groupMetadata(group)).linkedParent).to.equal(undefined);
  },
  async communityUpdateSubject({ socket, community }) {
    await socket.communityUpdateSubject(community, 'Town');
    expect((await socket.groupMetadata(community)).subject).to.equal('Town');
  },
  async communitySettingUpdate({ socket, community }) {
    await socket.communitySettingUpdate(community, 'locked');
    expect((await socket.groupMetadata(community)).restrict).to.equal(true);
  },
  async communityMemberAddMode({ socket, community }) {
    await socket.communityMemberAddMode(community, 'admin_add');
    expect((await socket.groupMetadata(community)).memberAddMode).to.equal(false);
  },
  async communityToggleEphemeral({ socket, community }) {
    await socket.communityToggleEphemeral(community, HOUR_S);
    expect((await socket.groupMetadata(community)).ephemeralDuration).to.equal(HOUR_S);
  },
  async communityInviteCode({ socket, community }) {
    expect(await socket.communityInviteCode(community)).to.be.a('string');
  },
  async communityRevokeInvite({ socket, community }) {
    const code = await socket.communityInviteCode(community);
    expect(await socket.communityRevokeInvite(community)).not.to.equal(code);
  },
  async communityRequestParticipantsList({ socket, community }) {
    expect(await socket.communityRequestParticipantsList(community)).to.deep.equal([]);
  },
  async communityRequestParticipantsUpdate({ socket, community }) {
    const nobody = '999999999999999@lid';
    expect(await socket.communityRequestParticipantsUpdate(community, [nobody], 'approve')).to.deep.equal([
      { status: '404', jid: nobody },
    ]);
  },
  async communityParticipantsUpdate({ socket, community, world }) {
    await socket.communityParticipantsUpdate(community, [pnJid(BOB)], 'remove');
    const groups = await world.client.groups.of(BOB);
    expect(groups.filter(({ communityJid }) => communityJid === community)).to.deep.equal([]);
  },
  async communityLeave({ socket, world, community }) {
    await socket.communityLeave(community);
    const groups = await world.client.groups.of(ALICE);
    expect(groups.filter(({ communityJid }) => communityJid === community)).to.deep.equal([]);
    expect(await codeOf(socket.groupMetadata(community))).to.equal(401);
  },
  async communityAcceptInvite({ socket, world }) {
    const bob = await world.linked(BOB);
    const made = await bob.socket.communityCreate('Bobs', '');
    const code = await bob.socket.communityInviteCode(made?.id ?? '');
    expect(await socket.communityAcceptInvite(code ?? '')).to.equal(made?.id);
    // the announcement group with it
    const groups = await world.client.groups.of(ALICE);
    expect(groups.filter(({ communityJid }) => communityJid === made?.id)).to.have.lengthOf(1);
  },
  async updateBlockStatus({ socket }) {
    await socket.updateBlockStatus(pnJid(BOB), 'block');
    expect(await socket.fetchBlocklist()).to.have.lengthOf(1);
    await socket.updateBlockStatus(pnJid(BOB), 'unblock');
  },
  async fetchBlocklist({ socket }) {
    expect(await socket.fetchBlocklist()).to.deep.equal([]);
  },
  async updateDefaultDisappearingMode({ socket }) {
    await socket.updateDefaultDisappearingMode(HOUR_S);
    expect(await socket.fetchDisappearingDuration(pnJid(ALICE))).to.have.nested.property(
      '[0].disappearing_mode.duration',
      HOUR_S,
    );
  },
  ...privacyCalls({
    updateCallPrivacy: ['calladd', 'known', (socket) => socket.updateCallPrivacy('known')],
    updateGroupsAddPrivacy: ['groupadd', 'contacts', (socket) => socket.updateGroupsAddPrivacy('contacts')],
    updateLastSeenPrivacy: ['last', 'none', (socket) => socket.updateLastSeenPrivacy('none')],
    updateMessagesPrivacy: ['messages', 'contacts', (socket) => socket.updateMessagesPrivacy('contacts')],
    updateOnlinePrivacy: [
      'online',
      'match_last_seen',
      (socket) => socket.updateOnlinePrivacy('match_last_seen'),
    ],
    updateProfilePicturePrivacy: [
      'profile',
      'contacts',
      (socket) => socket.updateProfilePicturePrivacy('contacts'),
    ],
    updateReadReceiptsPrivacy: ['readreceipts', 'none', (socket) => socket.updateReadReceiptsPrivacy('none')],
    updateStatusPrivacy: ['status', 'none', (socket) => socket.updateStatusPrivacy('none')],
  }),
  async fetchPrivacySettings({ socket }) {
    expect(await socket.fetchPrivacySettings(true)).to.include({ messages: 'contacts' });
  },
  async updateProfileStatus({ socket, world }) {
    await socket.updateProfileStatus('busy');
    expect((await world.client.phone(ALICE)).status).to.equal('busy');
  },
  async fetchStatus({ socket, world }) {
    await world.client.update(BOB, { status: 'idle' });
    expect(await socket.fetchStatus(pnJid(BOB))).to.have.nested.property('[0].status.status', 'idle');
  },
  async updateProfileName({ socket, world }) {
    await socket.updateProfileName('Alice A.');
    await world.client.chats(ALICE);
    expect((await world.client.phone(ALICE)).name).to.equal('Alice A.');
  },
  async updateProfilePicture({ socket, world }) {
    await socket.updateProfilePicture(pnJid(ALICE), await picture());
    expect((await world.client.phone(ALICE)).pictureId).not.to.equal('');
  },
  async profilePictureUrl({ socket }) {
    expect(await socket.profilePictureUrl(pnJid(ALICE))).to.be.a('string');
  },
  async removeProfilePicture({ socket, world }) {
    await socket.removeProfilePicture(pnJid(ALICE));
    expect((await world.client.phone(ALICE)).pictureId).to.equal('');
  },
  async onWhatsApp({ socket }) {
    expect(await socket.onWhatsApp(BOB)).to.deep.equal([{ jid: pnJid(BOB), exists: true }]);
  },
  async getBusinessProfile({ socket, world }) {
    await world.client.update(BOB, { businessName: 'Bob & Sons' });
    expect(await socket.getBusinessProfile(pnJid(BOB))).to.include({ description: 'idle' });
  },
  async executeUSyncQuery({ alice, world, lid }) {
    // a LID is not asked for its LID: the number stands beside it
    const answer: BinaryNode = await alice.socket.query({
      tag: 'iq',
      attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'usync' },
      content: [
        {
          tag: 'usync',
          attrs: { context: 'background', mode: 'query', sid: 'x', last: 'true', index: '0' },
          content: [
            {
              tag: 'query',
              attrs: {},
              content: [
                { tag: 'lid', attrs: {} },
                { tag: 'bot', attrs: {} },
              ],
            },
            {
              tag: 'list',
              attrs: {},
              content: [
                { tag: 'user', attrs: { jid: await lid(BOB) } },
                { tag: 'user', attrs: { jid: pnJid(CAROL) } },
              ],
            },
          ],
        },
      ],
    });
    const [result, list] = childrenOf(childrenOf(answer)[0]);
    const [, bot] = childrenOf(result);
    expect(childrenOf(bot)[0]?.attrs.code).to.equal('501');
    const [bob, carol] = childrenOf(list);
    expect(bob?.attrs).to.include({ pn_jid: pnJid(BOB) });
    expect(childrenOf(bob)).to.deep.equal([]);
    expect(childrenOf(carol)[0]?.attrs.val).to.equal((await world.client.phone(CAROL)).lid);
  },
  async getUSyncDevices({ socket }) {
    expect(await socket.getUSyncDevices([pnJid(BOB)], false, false)).not.to.deep.equal([]);
  },
  async assertSessions({ socket }) {
    expect(await socket.assertSessions([pnJid(CAROL)], true)).to.equal(true);
  },
  async sendMessage({ alice, world }) {
    await alice.say(pnJid(BOB), 'sent');
    await world.client.waitForMessage(BOB, ({ text }) => text === 'sent');
  },
  async relayMessage({ socket, world }) {
    await socket.relayMessage(pnJid(BOB), { conversation: 'relayed' }, { messageId: '3EB0AAAAAAAAAAAAAAAA' });
    await world.client.waitForMessage(BOB, ({ text }) => text === 'relayed');
  },
  async readMessages({ socket, world, hello }) {
    await socket.updateReadReceiptsPrivacy('all');
    await socket.fetchPrivacySettings(true);
    await socket.readMessages([hello]);
    await world.client.waitForMessage(BOB, ({ receipts }) => receipts[ALICE] === 'read');
  },
  async sendReceipt({ socket, hello }) {
    await socket.sendReceipt(hello.remoteJid ?? '', undefined, [hello.id ?? ''], 'read');
  },
  async sendReceipts({ socket, hello }) {
    await socket.sendReceipts([hello], 'read');
  },
  async sendPresenceUpdate({ socket, world }) {
    await world.client.waitFor(
      ({ type }) => type === 'chatstate',
      undefined,
      () => socket.sendPresenceUpdate('composing', pnJid(BOB)),
    );
    expect((await world.client.chatstates(BOB)).at(-1)).to.include({ from: ALICE, state: 'composing' });
  },
  async chatModify({ socket, world, hello }) {
    await socket.chatModify({ pin: true }, hello.remoteJid ?? '');
    await world.client.waitForChat(ALICE, ({ pinned }) => pinned);
  },
  async addOrEditContact({ socket, world }) {
    await socket.addOrEditContact(pnJid(BOB), { fullName: 'Bob B.', firstName: 'Bob' });
    await world.client.chats(ALICE);
    expect((await world.client.people.contacts(ALICE)).map(({ name }) => name)).to.deep.equal(['Bob B.']);
  },
  async star({ socket, world, hello }) {
    await socket.star(hello.remoteJid ?? '', [{ id: hello.id ?? '', fromMe: false }], true);
    expect(await world.client.chats(ALICE)).to.include({ rejected: 0 });
  },
  ...sharedCalls({
    addLabel: ({ socket, hello }) =>
      socket.addLabel(hello.remoteJid ?? '', { id: '9', name: 'New', color: 1, deleted: false }),
    addChatLabel: ({ socket, hello }) => socket.addChatLabel(hello.remoteJid ?? '', '9'),
    removeChatLabel: ({ socket, hello }) => socket.removeChatLabel(hello.remoteJid ?? '', '9'),
    addMessageLabel: ({ socket, hello }) =>
      socket.addMessageLabel(hello.remoteJid ?? '', hello.id ?? '', '9'),
    removeMessageLabel: ({ socket, hello }) =>
      socket.removeMessageLabel(hello.remoteJid ?? '', hello.id ?? '', '9'),
    addOrEditQuickReply: ({ socket }) =>
      socket.addOrEditQuickReply({ timestamp: '1', shortcut: 'hi', message: 'Hi', count: 0, keywords: [] }),
    removeQuickReply: ({ socket }) => socket.removeQuickReply('1'),
    updateDisableLinkPreviewsPrivacy: ({ socket }) => socket.updateDisableLinkPreviewsPrivacy(true),
    resyncAppState: ({ socket }) => socket.resyncAppState(['regular'], false),
  }),
  async digestKeyBundle({ socket }) {
    const answer: BinaryNode = await socket.query({
      tag: 'iq',
      attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'encrypt' },
      content: [{ tag: 'digest', attrs: {} }],
    });
    const parts = childrenOf(childrenOf(answer)[0]).map(({ tag }) => tag);
    expect(parts).to.deep.equal(['registration', 'type', 'identity', 'skey', 'list', 'hash']);
    await socket.digestKeyBundle();
  },
  async uploadPreKeys({ socket }) {
    await socket.uploadPreKeys(5);
  },
  async uploadPreKeysToServerIfRequired({ socket }) {
    await socket.uploadPreKeysToServerIfRequired();
  },
  async rotateSignedPreKey({ socket, alice }) {
    const before = alice.creds.signedPreKey.keyId;
    await socket.rotateSignedPreKey();
    expect(alice.creds.signedPreKey.keyId).to.equal(before + 1);
  },
  async requestPlaceholderResend({ socket, alice, hello }) {
    const resent = alice.until('messages.upsert', ({ messages }) =>
      messages.some(({ key, message }) => key.id === hello.id && message?.conversation === 'Hello'),
    );
    await socket.requestPlaceholderResend(hello);
    await resent;
  },
  async refreshMediaConn({ socket }) {
    expect((await socket.refreshMediaConn(true)).hosts).to.have.lengthOf(2);
  },
  async issuePrivacyTokens({ socket, world, lid }) {
    await socket.issuePrivacyTokens([await lid(BOB)]);
    expect((await world.client.stats()).queries).to.include.keys('privacy');
  },
  async presenceSubscribe({ socket }) {
    await socket.presenceSubscribe(pnJid(BOB));
  },
  async fetchAccountReachoutTimelock({ socket }) {
    expect(await socket.fetchAccountReachoutTimelock()).to.include({ isActive: false });
  },
  async fetchNewChatMessageCap({ socket }) {
    expect(await socket.fetchNewChatMessageCap()).to.be.an('object');
  },
  async query({ socket }) {
    const answer = await socket.query({
      tag: 'iq',
      attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'w:p' },
    });
    expect(answer.attrs.type).to.equal('result');
  },
};

/** Calls that the sandbox refuses with 501. */
const REFUSED: Record<string, (stage: Stage) => Promise<unknown>> = {
  createCallLink: ({ socket }) => socket.createCallLink('audio'),
  getBotListV2: ({ socket }) => socket.getBotListV2(),
  updateBussinesProfile: ({ socket }) => socket.updateBussinesProfile({ description: 'tea' }),
  removeCoverPhoto: ({ socket }) => socket.removeCoverPhoto('1'),
  getCatalog: ({ socket }) => socket.getCatalog({ jid: pnJid(BOB) }),
  getCollections: ({ socket }) => socket.getCollections(pnJid(BOB)),
  getOrderDetails: ({ socket }) => socket.getOrderDetails('1', 'token'),
  productCreate: ({ socket }) => socket.productCreate(product),
  productUpdate: ({ socket }) => socket.productUpdate('1', product),
  productDelete: ({ socket }) => socket.productDelete(['1']),
  groupAcceptInviteV4: ({ socket }) => socket.groupAcceptInviteV4(pnJid(BOB), inviteMessage()),
  groupRevokeInviteV4: ({ socket, group }) => socket.groupRevokeInviteV4(group, pnJid(BOB)),
  communityAcceptInviteV4: ({ socket }) => socket.communityAcceptInviteV4(pnJid(BOB), inviteMessage()),
  communityRevokeInviteV4: ({ socket, group }) => socket.communityRevokeInviteV4(group, pnJid(BOB)),
  communityJoinApprovalMode: ({ socket, group }) => socket.communityJoinApprovalMode(group, 'on'),
  newsletterUpdate: ({ socket }) => socket.newsletterUpdate(CHANNEL, { name: 'x' }),
  newsletterSubscribers: ({ socket }) => socket.newsletterSubscribers(CHANNEL),
  newsletterUpdateName: ({ socket }) => socket.newsletterUpdateName(CHANNEL, 'x'),
  newsletterUpdateDescription: ({ socket }) => socket.newsletterUpdateDescription(CHANNEL, 'x'),
  newsletterUpdatePicture: async ({ socket }) => socket.newsletterUpdatePicture(CHANNEL, await picture()),
  newsletterRemovePicture: ({ socket }) => socket.newsletterRemovePicture(CHANNEL),
  newsletterAdminCount: ({ socket }) => socket.newsletterAdminCount(CHANNEL),
  newsletterChangeOwner: ({ socket }) => socket.newsletterChangeOwner(CHANNEL, pnJid(BOB)),
  newsletterDemote: ({ socket }) => socket.newsletterDemote(CHANNEL, pnJid(BOB)),
  newsletterDelete: ({ socket }) => socket.newsletterDelete(CHANNEL),
};

/** Calls whose answer the library cannot read: it looks for `<community>`, and the network sends `<group>` (whatsmeow). */
const UNREADABLE: Record<string, (stage: Stage) => Promise<unknown>> = {
  communityMetadata: ({ socket, community }) => socket.communityMetadata(community),
  communityUpdateDescription: ({ socket, community }) => socket.communityUpdateDescription(community, 'x'),
  communityGetInviteInfo: async ({ socket, community }) =>
    socket.communityGetInviteInfo((await socket.communityInviteCode(community)) ?? ''),
};

/** Calls that other tests of the sandbox make, each with the file and a text in it that shows the call. */
const ELSEWHERE: Record<string, [file: string, shows: string]> = {
  requestPairingCode: ['raw-library.test.ts', '.requestPairingCode('],
  logout: ['pairing.test.ts', '.logout('],
  groupMetadata: ['groups.test.ts', '.groupMetadata('],
  fetchDisappearingDuration: ['privacy.test.ts', '.fetchDisappearingDuration('],
  updateMediaMessage: ['media-messages.test.ts', '.updateMediaMessage('],
  // the library makes it for each file that it sends
  waUploadToServer: ['media-messages.test.ts', 'image: BYTES'],
  rejectCall: ['activity.test.ts', '.rejectCall('],
  fetchMessageHistory: ['history.test.ts', '.fetchMessageHistory('],
  // the library makes it for each message that it cannot read
  sendRetryRequest: ['raw-library.test.ts', 'retryReceipts'],
};

/** Calls that ask nothing, or whose answer nobody waits for. */
const WITHOUT_ANSWER: Record<string, string> = {
  appPatch: 'all changes of settings go through it',
  cleanDirtyBits: 'the network has nothing to say to it',
  communityFetchAllParticipating:
    'it asks as groupFetchAllParticipating does, and reads nothing of the answer',
  createParticipantNodes: 'it encrypts',
  end: 'it closes the socket',
  generateMessageTag: 'it makes an id',
  getMediaHost: 'it reads what refreshMediaConn has fetched',
  onUnexpectedError: 'it logs',
  registerSocketEndHandler: 'it keeps a function',
  removeContact: 'it changes settings, as addOrEditContact does',
  sendMessageAck: 'the network does not answer acknowledgements',
  sendNode: 'it writes a stanza',
  sendPeerDataOperationMessage: 'fetchMessageHistory and requestPlaceholderResend use it',
  sendRawMessage: 'it writes bytes',
  sendUnifiedSession: 'the network does not answer it',
  sendWAMBuffer: 'telemetry, which the network takes without a word',
  updateMemberLabel: 'it sends a message of the protocol, which phones do not show here',
  updateServerTimeOffset: 'it reads the time of an answer',
  upsertMessage: 'it reports a message',
  waitForConnectionUpdate: 'it waits',
  waitForMessage: 'it waits',
  waitForSocketOpen: 'it waits',
};

describe('Baileys alone on the sandbox, call by call', () => {
  const world = new SandboxWorld();
  let stage: Stage;

  before(async () => {
    await world.open();
    const alice = await world.linked(ALICE);
    const { socket } = alice;
    await world.client.write(BOB, { to: ALICE, text: 'Hello' });
    const { key: hello } = await alice.text('Hello');
    const { id: group } = await socket.groupCreate('Friends', [pnJid(BOB)]);
    const community = (await socket.communityCreate('Village', 'All of us'))?.id ?? '';
    const lid = async (number: string) => (await world.client.phone(number)).lid;
    stage = { socket, alice, world, group, community, hello, lid };
  });
  after(() => world.close());

  it('knows every public call of the library', () => {
    const tables = [PLAYED, REFUSED, UNREADABLE, ELSEWHERE, WITHOUT_ANSWER, { updateCoverPhoto: '' }];
    const calls = Object.entries(stage.socket).filter(([, value]) => typeof value === 'function');
    expect(tables.flatMap((table) => Object.keys(table))).to.have.members(calls.map(([name]) => name));
  });

  it('names a test for each call that it does not make itself', () => {
    const missing = Object.entries(ELSEWHERE).filter(
      ([, [file, shows]]) => !readFileSync(new URL(file, import.meta.url), 'utf8').includes(shows),
    );
    expect(missing).to.deep.equal([]);
  });

  for (const [name, call] of Object.entries(UNREADABLE))
    it(`answers ${name} as the network does, which the library cannot read`, async () => {
      expect(await codeOf(call(stage))).to.be.instanceOf(TypeError);
    });

  for (const [name, call] of Object.entries(REFUSED))
    it(`refuses ${name} with 501`, async () => {
      const error = await call(stage).then(
        () => 'an answer',
        (refusal: Error) => JSON.stringify(refusal, Object.getOwnPropertyNames(refusal)),
      );
      expect(error).to.match(/501|feature-not-implemented/);
    });

  it('fails updateCoverPhoto at its upload, for which the media hosts have no place', async () => {
    const refusal = await stage.socket
      .updateCoverPhoto(await picture())
      .catch((error: Error) => error.message);
    expect(refusal).to.match(/^Media upload failed/);
  });

  for (const [name, call] of Object.entries(PLAYED)) it(`plays ${name}`, () => call(stage));
});

/** Calls that change a privacy setting, which the next query shows. */
function privacyCalls(
  calls: Record<string, [name: string, value: string, change: (socket: Socket) => Promise<unknown>]>,
): typeof PLAYED {
  return Object.fromEntries(
    Object.entries(calls).map(([call, [name, value, change]]) => [
      call,
      async ({ socket }: Stage) => {
        await change(socket);
        expect(await socket.fetchPrivacySettings(true)).to.include({ [name]: value });
      },
    ]),
  );
}

/** Calls that change settings which phones do not show; the phone verifies each change. */
function sharedCalls(calls: Record<string, (stage: Stage) => Promise<unknown>>): typeof PLAYED {
  return Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [
      name,
      async (stage: Stage) => {
        await call(stage);
        expect(await stage.world.client.chats(ALICE)).to.include({ rejected: 0 });
      },
    ]),
  );
}

async function picture(): Promise<Buffer> {
  const create = { width: 64, height: 64, channels: 3 as const, background: 'red' };
  return sharp({ create }).png().toBuffer();
}

function childrenOf(node: BinaryNode | undefined): BinaryNode[] {
  return Array.isArray(node?.content) ? node.content : [];
}
