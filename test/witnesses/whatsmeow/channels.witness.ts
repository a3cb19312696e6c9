import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { ChannelPostView } from '../../../src/client/sandbox/client.js';
import { ALICE, BOB, CAROL } from '../../sandbox/support/world.js';
import { picture } from '../../support/made-files.js';
import { eventIn, eventsOf, extraEventOf } from '../../support/receiver.js';
import type { WitnessEvent } from '../witness.js';
import { besideGateway } from './beside-gateway.js';
import { type Bot, type Complaint, hashOf, partOfDay, refusalOf } from './day.js';

const EXPECTED: readonly Complaint[] = [];
const NO_CHANNEL = '120363999999999999@newsletter';

/** Uploads a picture for a channel, and posts it there. @returns what whatsmeow says of the post */
async function postPicture(bot: Bot, to: string, bytes: Buffer): Promise<Record<string, unknown>> {
  const wish = { kind: 'image', forChannel: true, file: bytes.toString('base64') };
  const { handle, file } = Object(await bot.take('upload', wish));
  const imageMessage = { mimetype: 'image/png', caption: 'a picture', ...file };
  return Object(await bot.take('send', { to, handle, message: { imageMessage } }));
}

partOfDay('channels', EXPECTED, (day) => {
  const { world } = day;
  let alice: Bot;
  let tablet: Bot;
  /** Bob's. */
  let lake = '';
  let inviteCode = '';

  before(async () => {
    alice = await day.linked(ALICE);
    tablet = await day.linked(ALICE);
    ({ jid: lake, inviteCode } = await world.client.channels.create(BOB, {
      ...{ name: 'Lake', description: 'The lake' },
    }));
  });

  describe('of other people', () => {
    it('are shown by link and by jid, and refused when there is none', async () => {
      for (const key of [inviteCode, `https://whatsapp.com/channel/${inviteCode}`]) {
        const invited = Object(await alice.call('GetNewsletterInfoWithInvite', key));
        expect(invited).to.include({ id: lake });
        expect(invited.thread_metadata).to.include({ invite: inviteCode, subscribers_count: '1' });
        expect(invited.thread_metadata.name.text).to.equal('Lake');
        expect(invited.thread_metadata.description.text).to.equal('The lake');
      }
      const info = Object(await alice.call('GetNewsletterInfo', lake));
      expect(info.viewer_metadata).to.include({ role: 'guest' });
      expect(await refusalOf(alice.call('GetNewsletterInfo', NO_CHANNEL))).to.match(/404/);
    });

    it('are followed, muted and left, which the other device and the phone know', async () => {
      const isLake = ({ id }: WitnessEvent) => id === lake;
      await tablet.after(() => alice.call('FollowNewsletter', lake), 'newsletterJoin', isLake);
      const followers = async () =>
        (await world.client.channels.get(lake)).followers.map(({ number, muted }) => [number, muted]);
      expect(await followers()).to.deep.include([ALICE, false]);
      const muted = await tablet.after(
        () => alice.call('NewsletterToggleMute', lake, true),
        'newsletterMuteChange',
        isLake,
      );
      expect(String(muted.mute).toLowerCase()).to.equal('on');
      const info = Object(await alice.call('GetNewsletterInfo', lake));
      expect(info.viewer_metadata).to.deep.equal({ mute: 'on', role: 'subscriber' });
      const [listed] = Object(await tablet.call('GetSubscribedNewsletters'));
      expect(listed).to.include({ id: lake });
      expect(await followers()).to.deep.include([ALICE, true]);
      await tablet.after(() => alice.call('UnfollowNewsletter', lake), 'newsletterLeave', isLake);
      expect(await tablet.call('GetSubscribedNewsletters')).to.deep.equal([]);
      await alice.after(() => world.client.channels.follow(ALICE, lake), 'newsletterJoin', isLake);
    });

    it('send their posts, the changes of these, and their deletion', async () => {
      const { channels } = world.client;
      const { messageId, serverId } = await channels.post(BOB, lake, { text: 'Thick ice' });
      const post = await alice.message(messageId);
      expect(post).to.include({ text: 'Thick ice' });
      expect(post.info).to.include({ Chat: lake, ServerID: serverId });
      const isPost = ({ id }: WitnessEvent) => id === messageId;
      const edited = await alice.after(
        () => channels.editPost(BOB, lake, serverId, 'Thin ice'),
        'message',
        isPost,
      );
      expect(edited).to.include({ text: 'Thin ice' });
      expect(edited.info).to.include({ Edit: '3', ServerID: serverId });
      const deleted = await alice.after(() => channels.deletePost(BOB, lake, serverId), 'message', isPost);
      expect(deleted).to.include({ text: '' });
      expect(deleted.info).to.include({ Edit: '8', ServerID: serverId });
    });

    it('send a file, which is not encrypted', async () => {
      const bytes = randomBytes(20_000);
      const media = { kind: 'image', mimeType: 'image/png', base64: bytes.toString('base64') } as const;
      const { messageId } = await world.client.channels.post(BOB, lake, { media });
      expect(await alice.message(messageId)).to.include({ size: bytes.length, sha256: hashOf(bytes) });
    });

    it('send posts that waited while the bot was away, before the messages after them', async () => {
      await alice.restart();
      const { messageId } = await world.client.channels.post(BOB, lake, { text: 'While you were away' });
      const later = await world.client.write(BOB, { to: ALICE, text: 'after the post' });
      await alice.connect();
      expect(await alice.message(messageId)).to.include({ text: 'While you were away' });
      await alice.message(later.messageId);
    });

    it('give their posts page by page, and count views and reactions', async () => {
      const { jid } = await world.client.channels.create(BOB, { name: 'Pages' });
      for (const text of ['One', 'Two', 'Three']) await world.client.channels.post(BOB, jid, { text });
      const page = async (params: object) =>
        Object(await alice.call('GetNewsletterMessages', jid, params)).map(
          (post: { MessageServerID: number; Message: { conversation?: string } }) => [
            post.MessageServerID,
            post.Message.conversation,
          ],
        );
      expect(await page({ Count: 2 })).to.deep.equal([
        [2, 'Two'],
        [3, 'Three'],
      ]);
      expect(await page({ Count: 2, Before: 2 })).to.deep.equal([[1, 'One']]);
      await alice.call('NewsletterSendReaction', jid, 3, '👍', '');
      await alice.call('NewsletterMarkViewed', jid, [2, 3]);
      const counts = Object(await alice.call('GetNewsletterMessageUpdates', jid, { Count: 10 }));
      expect(counts.at(-1)).to.deep.include({ MessageServerID: 3, ViewsCount: 1 });
      expect(counts.at(-1).ReactionCounts).to.deep.equal({ '👍': 1 });
      await alice.call('NewsletterSendReaction', jid, 3, '', '');
      // an answer to a question shows that the reaction before it was taken back
      await alice.call('GetNewsletterInfo', jid);
      const [, two, three] = await world.client.channels.posts(jid);
      expect([two?.views, three?.views, three?.reactions]).to.deep.equal([1, 1, {}]);
    });

    it('tell a bot that watches them of views and reactions', async () => {
      const { serverId } = await world.client.channels.post(BOB, lake, { text: 'Look' });
      expect(await alice.call('NewsletterSubscribeLiveUpdates', lake)).to.equal(300e9);
      const { JID } = await alice.after(
        () => world.client.channels.react(CAROL, lake, serverId, '🎉'),
        'newsletterLiveUpdate',
      );
      expect(JID).to.equal(lake);
    });

    it('take no post of a follower', async () => {
      const post = alice.send(lake, { conversation: 'May I?' });
      expect(await refusalOf(post)).to.match(/server returned error 403/);
    });
  });

  describe('of the bot', () => {
    let own = '';
    const posts = () => world.client.channels.posts(own);
    const lastPost = async (): Promise<ChannelPostView | undefined> => (await posts()).at(-1);

    it('are created', async () => {
      const wish = { name: 'Own', description: 'of the bot' };
      const created = Object(await alice.call('CreateNewsletter', wish));
      own = created.id;
      expect(created.viewer_metadata).to.include({ role: 'owner' });
      expect(await world.client.channels.get(own)).to.include(wish);
      await world.client.channels.follow(BOB, own);
    });

    it('take its texts, which followers and its other device get', async () => {
      const bob = await day.linked(BOB);
      const sent = Object(await alice.take('send', { to: own, message: { conversation: 'Hello all' } }));
      expect(await lastPost()).to.include({
        ...{ messageId: sent.ID, serverId: sent.ServerID, from: ALICE, text: 'Hello all' },
      });
      for (const device of [bob, tablet])
        expect(await device.message(sent.ID)).to.include({ text: 'Hello all' });
    });

    it('take a picture by the handle of its upload', async () => {
      const bytes = randomBytes(10_000);
      const { ID } = await postPicture(alice, own, bytes);
      const post = await lastPost();
      expect(post).to.include({ messageId: ID, text: 'a picture' });
      expect(post?.media).to.include({ kind: 'image', size: bytes.length, sha256: hashOf(bytes) });
    });

    it('have a post changed and deleted', async () => {
      const id = await alice.send(own, { conversation: 'Typo' });
      await alice.build(own, 'BuildEdit', [own, id, { conversation: 'Text' }]);
      expect(await lastPost()).to.include({ messageId: id, text: 'Text', edited: true });
      await alice.build(own, 'BuildRevoke', [own, '', id]);
      expect(await lastPost()).to.include({ messageId: id, deleted: true });
    });
  });
});

besideGateway('channels', ['channel_post'], EXPECTED, (day) => {
  let bob: Bot;

  before(async () => {
    bob = await day.linked(BOB);
  });

  it('a bot follows the channel of a session, and gets its texts, pictures and deletions', async () => {
    const { jid: channelJid } = await day.world.phones.channels.create(ALICE, { name: 'Of the session' });
    await bob.call('FollowNewsletter', channelJid);
    const text = await day.post('/post-channel', { channelJid, body: 'from the API' });
    expect(await bob.message(String(text.messageId))).to.include({ text: 'from the API' });
    const png = Buffer.from(await picture('red'), 'base64');
    const form = new FormData();
    for (const [name, value] of Object.entries({ clientId: 'acme', channelJid, body: 'a picture' }))
      form.set(name, value);
    form.set('file', new File([png], 'picture.png', { type: 'image/png' }));
    const { body } = await day.world.api.upload('/post-channel?clientId=acme', form);
    expect(body, JSON.stringify(body)).to.include({ status: 'sent' });
    expect(await bob.message(String(body.messageId))).to.include({ size: png.length, sha256: hashOf(png) });
    const { messageId } = text;
    await bob.after(
      () => day.post('/delete-channel-post', { channelJid, messageId }),
      'message',
      ({ id, info }) => id === messageId && Object(info).Edit === '8',
    );
  });

  it('a session follows the channel of a bot, and hears of its posts apart from messages', async () => {
    const { id: channelJid } = Object(await bob.call('CreateNewsletter', { name: 'Of the bot' }));
    await day.post('/follow-channel', { channelJid });
    const { ID: messageId, ServerID: serverId } = Object(
      await bob.take('send', { to: channelJid, message: { conversation: 'Hello followers' } }),
    );
    const { receiver, phones } = day.world;
    const told = await extraEventOf(receiver, 'channel_post', (one) => one.messageId === messageId);
    expect(told).to.include({
      ...{ channelJid, serverId, action: 'posted', fromMe: false, kind: 'text', body: 'Hello followers' },
    });
    await bob.build(channelJid, 'BuildEdit', [channelJid, messageId, { conversation: 'Hello all' }]);
    const isEdit = (one: typeof told) => one.messageId === messageId && one.action === 'edited';
    expect(await extraEventOf(receiver, 'channel_post', isEdit)).to.include({ body: 'Hello all' });
    // a message after them shows that nothing else came
    const after = await phones.write(CAROL, { to: ALICE, text: 'after' });
    await receiver.find((call) => eventIn(call)?.messageId === after.messageId);
    const types = eventsOf(receiver, messageId).map(({ type }): string => type);
    expect(types).to.deep.equal(['channel_post', 'channel_post']);
  });

  it('a session reads the channel of a bot, with views and reactions', async () => {
    const { id: channelJid } = Object(await bob.call('CreateNewsletter', { name: 'Read' }));
    const bytes = randomBytes(5_000);
    await bob.send(channelJid, { conversation: 'One' });
    await postPicture(bob, channelJid, bytes);
    await bob.call('NewsletterSendReaction', channelJid, 1, '👍', '');
    await bob.call('NewsletterMarkViewed', channelJid, [1]);
    const query = new URLSearchParams({ clientId: 'acme', channelJid });
    const { body } = await day.world.api.get(`/channel-posts?${query}`);
    const [one, two] = Object(body).posts;
    expect(one).to.deep.include({ serverId: 1, body: 'One', views: 1 });
    expect(one.reactions).to.deep.equal([{ emoji: '👍', count: 1 }]);
    expect(two).to.include({ serverId: 2, kind: 'image', body: 'a picture' });
    expect(two.media).to.include({ fileSize: bytes.length });
  });
});
