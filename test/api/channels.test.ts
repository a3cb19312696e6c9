import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import sharp from 'sharp';
import type { ChannelPostView } from '../../src/client/sandbox/client.js';
import type { ChannelPostEvent } from '../../src/contract/events/catalogue.js';
import { film, pdf } from '../support/made-files.js';
import { eventIn, eventsOf, extraEventOf, extraEventsIn, startReceiver } from '../support/receiver.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { ALICE, type ApiAnswer, BOB, CAROL, linkSession, startWorld, type World } from '../support/world.js';

const NO_CHANNEL = '120363999999999999@newsletter';
const POLICIES = `
mode: enforce
policies:
  strict:
    newChatsPerDay: 0
    messagesPerHour: 2
  listed:
    allow: ['120363000000000042@newsletter']
sessions: { strict: strict, listed: listed }
`;

describe('channels over the wire', () => {
  let world: World;
  let folder: TempDir;
  /** Of Bob's, which Alice follows; and one of Alice's phone. */
  let news: string;
  let own: string;

  before(async () => {
    folder = await makeTempDir();
    const policy = join(folder.path, 'policy.yaml');
    await writeFile(policy, POLICIES);
    world = await startWorld({ settings: { allowPrivateUrls: true, policy } });
    for (const person of [BOB, CAROL]) await world.phones.addPhone(person);
    await linkSession(world, 'acme', ALICE, { extraEvents: ['channel_post'] });
    await world.api.post('/set-org-id', { clientId: 'acme', orgId: 'workspace' });
    news = (await world.phones.channels.create(BOB.number, { name: 'Lake', description: 'The lake' })).jid;
    own = (await world.phones.channels.create(ALICE.number, { name: 'Own' })).jid;
  });
  after(async () => {
    await world.stop();
    await folder.remove();
  });

  const ask = (path: string, body: object) => world.api.post(path, { clientId: 'acme', ...body });
  const look = (path: string, query: Record<string, string>) =>
    world.api.get(`${path}?${new URLSearchParams({ clientId: 'acme', ...query })}`);
  const post = (body: object, headers = {}): Promise<ApiAnswer> =>
    world.api.post('/post-channel', { clientId: 'acme', ...body }, headers);
  const told = (matches: (event: ChannelPostEvent) => boolean): Promise<ChannelPostEvent> =>
    extraEventOf(world.receiver, 'channel_post', matches);
  const lastOf = async (jid: string): Promise<ChannelPostView | undefined> =>
    (await world.phones.channels.posts(jid)).at(-1);

  it('are followed by jid, listed with the role, and unfollowed', async () => {
    expect((await ask('/follow-channel', { channelJid: news })).body).to.deep.equal({ ok: true });
    const { body } = await look('/channels', {});
    const roles = new Map(
      Object(body).channels.map((one: { jid: string; role: string }) => [one.jid, one.role]),
    );
    expect([roles.get(news), roles.get(own)]).to.deep.equal(['subscriber', 'owner']);
    expect((await ask('/unfollow-channel', { channelJid: news })).status).to.equal(200);
    const followers = (await world.phones.channels.get(news)).followers.map(({ number }) => number);
    expect(followers).to.deep.equal([BOB.number]);
  });

  it('are shown by jid and by link, also to somebody who does not follow', async () => {
    const { inviteCode } = await world.phones.channels.get(news);
    const link = `https://whatsapp.com/channel/${inviteCode}`;
    for (const channel of [news, link, inviteCode]) {
      const { body } = await look('/channel', { channel });
      expect(body.channel, channel).to.include({
        ...{ jid: news, name: 'Lake', description: 'The lake', role: 'guest', followers: 1, link },
        ...{ isVerified: false, isMuted: false },
      });
    }
    const unknown = await look('/channel', { channel: NO_CHANNEL });
    expect([unknown.status, unknown.headers.get('x-sn-error')]).to.deep.equal([404, 'channel_unknown']);
    expect((await look('/channel', { channel: 'no/channel' })).status).to.equal(400);
  });

  it('give their posts page by page, with views and reactions', async () => {
    const { jid } = await world.phones.channels.create(BOB.number, { name: 'Pages' });
    for (const text of ['One', 'Two', 'Three']) await world.phones.channels.post(BOB.number, jid, { text });
    await world.phones.channels.react(CAROL.number, jid, 3, '🎉');
    const first = await look('/channel-posts', { channelJid: jid, limit: '2' });
    const { posts, next } = Object(first.body);
    expect(posts.map(({ body }: { body: string }) => body)).to.deep.equal(['Two', 'Three']);
    expect(posts[1]).to.deep.include({ kind: 'text', views: 0, fromMe: false, editedAt: '' });
    expect(posts[1].reactions).to.deep.equal([{ emoji: '🎉', count: 1 }]);
    const second = await look('/channel-posts', { channelJid: jid, limit: '2', before: String(next) });
    expect(Object(second.body).posts.map(({ body }: { body: string }) => body)).to.deep.equal(['One']);
    expect(second.body).not.to.have.property('next');
  });

  it('tell posts, edits and deletions as events of their own, and never as messages or in a chat', async () => {
    await ask('/follow-channel', { channelJid: news });
    const { messageId, serverId } = await world.phones.channels.post(BOB.number, news, { text: 'Ice' });
    expect(await told((event) => event.messageId === messageId)).to.deep.include({
      ...{ event: 'channel.post', type: 'channel_post', clientId: 'acme', orgId: 'workspace' },
      ...{ channelJid: news, serverId, action: 'posted', fromMe: false, kind: 'text', body: 'Ice' },
    });
    await world.phones.channels.editPost(BOB.number, news, serverId, 'Thick ice');
    const edited = await told((event) => event.messageId === messageId && event.action === 'edited');
    expect(edited.body).to.equal('Thick ice');
    await world.phones.channels.deletePost(BOB.number, news, serverId);
    const deleted = await told((event) => event.messageId === messageId && event.action === 'deleted');
    expect(deleted).to.include({ kind: '', body: '' });
    // a message after them shows that nothing else came
    await world.phones.write(BOB.number, { to: ALICE.number, text: 'after' });
    await world.receiver.find((call) => eventIn(call)?.body === 'after');
    const types = eventsOf(world.receiver, messageId).map(({ type }): string => type);
    expect(types).to.deep.equal(['channel_post', 'channel_post', 'channel_post']);
    const { body } = await look('/chatrooms', {});
    expect(JSON.stringify(body)).not.to.include('newsletter');
  });

  it('tell each post once that waited while the session was away, after which messages still arrive', async () => {
    await ask('/follow-channel', { channelJid: news });
    await world.stopDaemon();
    const { messageId } = await world.phones.channels.post(BOB.number, news, { text: 'While away' });
    await world.phones.write(BOB.number, { to: ALICE.number, text: 'behind the post' });
    await world.startDaemon();
    await world.connected('acme');
    await world.receiver.find((call) => eventIn(call)?.body === 'behind the post');
    await told((event) => event.messageId === messageId);
    const events = extraEventsIn(world.receiver.calls, 'channel_post');
    expect(events.filter((event) => event.messageId === messageId)).to.have.lengthOf(1);
  });

  it('take a text of their owner, once for each key, and tell it as an own post', async () => {
    const key = { 'idempotency-key': 'post-1' };
    const answers = [await post({ channelJid: own, body: 'Hello all' }, key)];
    answers.push(await post({ channelJid: own, body: 'Hello all' }, key));
    const [first, second] = answers;
    expect(first?.body).to.deep.equal({ status: 'sent', messageId: first?.body.messageId });
    expect(second?.body).to.deep.equal(first?.body);
    const posts = await world.phones.channels.posts(own);
    expect(posts.map(({ from, text }) => [from, text])).to.deep.equal([[ALICE.number, 'Hello all']]);
    const event = await told(({ messageId }) => messageId === first?.body.messageId);
    expect(event).to.include({ channelJid: own, action: 'posted', fromMe: true, body: 'Hello all' });
  });

  it('repeat the answer of a post for its key, also when the number may not post any more', async () => {
    await world.phones.channels.follow(ALICE.number, news);
    await world.phones.channels.changeAdmins(BOB.number, news, 'promote', ALICE.number);
    const posting = [{ channelJid: news, body: 'As an admin' }, { 'idempotency-key': 'post-2' }] as const;
    const first = await post(...posting);
    expect(first.status, JSON.stringify(first.body)).to.equal(200);
    await world.phones.channels.changeAdmins(BOB.number, news, 'demote', ALICE.number);
    const { queries } = await world.phones.stats();
    const second = await post(...posting);
    expect([second.status, second.body]).to.deep.equal([200, first.body]);
    expect((await world.phones.stats()).queries).to.deep.equal(queries);
  });

  it('take a picture that was uploaded and a video by its URL, both not encrypted', async () => {
    const create = { width: 40, height: 30, channels: 3, background: 'red' } as const;
    const picture = await sharp({ create }).png().toBuffer();
    const form = new FormData();
    for (const [name, value] of Object.entries({ clientId: 'acme', channelJid: own, body: 'Sunset' }))
      form.set(name, value);
    form.set('file', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'sunset.png');
    const uploaded = await world.api.upload('/post-channel?clientId=acme', form);
    expect(uploaded.body, JSON.stringify(uploaded.body)).to.include({ status: 'sent', mediaType: 'image' });
    expect(await lastOf(own)).to.deep.include({ type: 'media', text: 'Sunset' });
    const event = await told(({ messageId }) => messageId === uploaded.body.messageId);
    expect(event.media).to.include({ mimeType: 'image/png', fileSize: picture.length });
    const { pathname } = new URL(event.media?.url ?? '');
    const file = await fetch(new URL(pathname, world.sandbox.url));
    expect(Buffer.from(await file.arrayBuffer())).to.deep.equal(picture);
    const clip = film(2, { width: 64, height: 48 });
    const host = await startReceiver((response) => response.setHeader('content-type', 'video/mp4').end(clip));
    const sent = await post({ channelJid: own, downloadUrl: `${host.url}/clip.mp4` }).finally(host.stop);
    expect(sent.body, JSON.stringify(sent.body)).to.include({ mediaType: 'video', bytes: clip.length });
    expect((await lastOf(own))?.media).to.include({ kind: 'video', size: clip.length });
  });

  it('refuse posts of followers, blank ones and files that are no picture or video, with a code each', async () => {
    await ask('/follow-channel', { channelJid: news });
    const form = new FormData();
    for (const [name, value] of Object.entries({ clientId: 'acme', channelJid: own })) form.set(name, value);
    form.set('file', new Blob([new Uint8Array(pdf(1))], { type: 'application/pdf' }), 'a.pdf');
    const refusals = [
      await post({ channelJid: news, body: 'May I?' }),
      await post({ channelJid: NO_CHANNEL, body: 'Anybody?' }),
      await post({ channelJid: own, body: ' ' }),
      await world.api.upload('/post-channel?clientId=acme', form),
      await ask('/delete-channel-post', { channelJid: news, messageId: '3A00' }),
    ];
    expect(refusals.map(({ status, headers }) => [status, headers.get('x-sn-error')])).to.deep.equal([
      [403, 'channel_forbidden'],
      [404, 'channel_unknown'],
      [400, 'invalid_request'],
      [400, 'media_unsupported'],
      [404, 'message_unknown'],
    ]);
  });

  it('lose a post of their owner, which is deleted for everybody', async () => {
    const { body } = await post({ channelJid: own, body: 'A mistake' });
    const { messageId } = body;
    expect((await ask('/delete-channel-post', { channelJid: own, messageId })).body).to.deep.equal({
      ok: true,
    });
    expect(await lastOf(own)).to.include({ messageId, deleted: true });
    const event = await told((one) => one.messageId === messageId && one.action === 'deleted');
    expect(event).to.include({ channelJid: own, fromMe: true, kind: '', body: '' });
    const again = await ask('/delete-channel-post', { channelJid: own, messageId });
    expect([again.status, again.headers.get('x-sn-error')]).to.deep.equal([404, 'message_unknown']);
  });

  it('are the only place of their posts, which no call for messages takes', async () => {
    const { messageId } = (await post({ channelJid: own, body: 'Only here' })).body;
    const calls: [path: string, body: object][] = [
      ['/edit-message', { to: BOB.number, messageId, body: 'changed' }],
      ['/send-reaction', { to: BOB.number, messageId, emoji: '👍' }],
      ['/delete-message', { to: BOB.number, messageId, fromMe: true, mode: 'everyone' }],
      ['/forward-message', { to: CAROL.number, from: BOB.number, messageId }],
      ['/star-message', { to: BOB.number, messageId, starred: true }],
    ];
    for (const [path, body] of calls) {
      const { status, headers, body: answer } = await ask(path, body);
      expect([status, headers.get('x-sn-error')], path).to.deep.equal([400, 'invalid_request']);
      expect(answer.error, path).to.include('is a post of a channel');
    }
    const reply = { to: BOB.number, body: 'a reply', quotedMessageId: messageId };
    expect((await ask('/send-message', reply)).status).to.equal(200);
    await world.phones.waitForMessage(BOB.number, ({ text }) => text === 'a reply');
    expect(JSON.stringify(await world.phones.messages(BOB.number))).not.to.include('Only here');
  });

  it('tell each edit of a post, also those whose time the network does not say', async () => {
    await ask('/follow-channel', { channelJid: news });
    const { messageId, serverId } = await world.phones.channels.post(BOB.number, news, { text: 'Draft' });
    const [device] = (await world.phones.phone(ALICE.number)).devices;
    for (const conversation of ['First', 'First', 'Second']) {
      const base64 = Buffer.from(proto.Message.encode({ conversation }).finish()).toString('base64');
      const attrs = { from: news, id: messageId, server_id: String(serverId), t: '1795257228', type: 'text' };
      await world.phones.stanzas.send(ALICE.number, device?.id ?? 0, {
        tag: 'message',
        attrs: { ...attrs, edit: '3' },
        children: [{ tag: 'plaintext', base64 }],
      });
    }
    await told((event) => event.messageId === messageId && event.body === 'Second');
    const edits = extraEventsIn(world.receiver.calls, 'channel_post').filter(
      (event) => event.messageId === messageId && event.action === 'edited',
    );
    expect(edits.map(({ body }) => body)).to.deep.equal(['First', 'Second']);
  });

  it('keep to the policy of the session: a post counts as a message, and never as a new chat', async () => {
    const owner = { number: '+15550000006', name: 'Olga' };
    await linkSession(world, 'strict', owner);
    const { jid } = await world.phones.channels.create(owner.number, { name: 'Strict' });
    const send = (body: string) =>
      world.api.post('/post-channel', { clientId: 'strict', channelJid: jid, body });
    const statuses = [];
    for (const body of ['One', 'Two', 'Three']) statuses.push((await send(body)).status);
    expect(statuses).to.deep.equal([200, 200, 429]);
    expect((await world.phones.channels.posts(jid)).map(({ text }) => text)).to.deep.equal(['One', 'Two']);
  });

  it('keep to the allow list of the policy', async () => {
    const owner = { number: '+15550000007', name: 'Lea' };
    await linkSession(world, 'listed', owner);
    const { jid } = await world.phones.channels.create(owner.number, { name: 'Not listed' });
    const posting = { clientId: 'listed', channelJid: jid, body: 'May I?' };
    const refused = await world.api.post('/post-channel', posting);
    expect([refused.status, Object(refused.body.policy).rule]).to.deep.equal([429, 'allow']);
    const website = await startReceiver();
    const withFile = { ...posting, downloadUrl: `${website.url}/x.png` };
    expect((await world.api.post('/post-channel', withFile)).status).to.equal(429);
    await website.stop();
    // before anything is downloaded
    expect(website.calls).to.deep.equal([]);
  });
});
