import { createHash } from 'node:crypto';
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { type BaileysDevice, textOf } from './support/baileys-device.js';
import { ALICE, BOB, CAROL, SandboxWorld } from './support/world.js';

const MEDIA = Buffer.from('a picture');

describe('Sandbox: channels', () => {
  const world = new SandboxWorld();
  let alice: BaileysDevice;
  let channel: string;

  /** Alice's client, and a channel of Bob's that she follows. */
  beforeEach(async () => {
    await world.openKept();
    alice = await world.linked(ALICE);
    channel = (await world.client.channels.create(BOB, { name: 'Lake' })).jid;
    await alice.socket.newsletterFollow(channel);
  });
  afterEach(() => world.close());

  it('deliver posts with their server ids to followers, live and after an absence', async () => {
    const arrived = nextMessage(alice);
    await world.client.channels.post(BOB, channel, { text: 'First' });
    expect((await arrived).attrs).to.include({ from: channel, server_id: '1', type: 'text' });
    await alice.text('First');
    await alice.stop();
    await world.client.channels.post(BOB, channel, { text: 'Second' });
    alice.start();
    await alice.text('Second');
    expect(alice.messages.map((one) => [one.key.remoteJid, textOf(one)])).to.deep.equal([
      [channel, 'First'],
      [channel, 'Second'],
    ]);
  });

  it('deliver nothing to people who follow no more', async () => {
    await alice.socket.newsletterUnfollow(channel);
    await world.client.channels.post(BOB, channel, { text: 'Unheard' });
    await world.client.write(BOB, { to: ALICE, text: 'After' });
    await alice.text('After');
    expect(alice.messages.map(textOf)).to.deep.equal(['After']);
  });

  it('give their posts page by page, with views and reactions', async () => {
    for (const text of ['One', 'Two', 'Three']) await world.client.channels.post(BOB, channel, { text });
    await world.client.channels.react(CAROL, channel, 2, '🎉');
    await world.client.channels.deletePost(BOB, channel, 1);
    await alice.socket.query({
      tag: 'receipt',
      attrs: { to: channel, type: 'view', id: 'VIEW1' },
      content: [{ tag: 'list', attrs: {}, content: [{ tag: 'item', attrs: { server_id: '3' } }] }],
    });
    const newest = await fetchPosts(alice, channel, { count: '1' });
    expect(newest).to.deep.equal([{ id: '3', text: 'Three', views: '1', reactions: [] }]);
    const before = await fetchPosts(alice, channel, { count: '10', before: '3' });
    expect(before).to.deep.equal([{ id: '2', text: 'Two', views: '0', reactions: ['🎉 1'] }]);
  });

  it('tell a device that watches them when views and reactions change', async () => {
    await world.client.channels.post(BOB, channel, { text: 'Look' });
    await alice.socket.subscribeNewsletterUpdates(channel);
    const news = new Promise<BinaryNode>((resolve) =>
      alice.socket.ws.on('CB:notification,type:newsletter', resolve),
    );
    await world.client.channels.react(CAROL, channel, 1, '👍');
    const live = getBinaryNodeChild(await news, 'live_updates');
    const [message] = getBinaryNodeChildren(getBinaryNodeChild(live, 'messages'), 'message');
    expect(message?.attrs.server_id).to.equal('1');
    expect(reactionsIn(message)).to.deep.equal(['👍 1']);
  });

  it('take posts of owner and admins only, and publish a repeated one once', async () => {
    const post = {
      tag: 'message',
      attrs: { to: channel, id: 'POST1', type: 'text' },
      content: [text('Mine')],
    };
    expect((await alice.socket.query(post)).attrs.error).to.equal('403');
    await world.client.channels.changeAdmins(BOB, channel, 'promote', ALICE);
    for (const _ of [1, 2]) {
      const { attrs } = await alice.socket.query(post);
      expect(attrs).to.include({ class: 'message', server_id: '1' }).and.not.have.property('error');
    }
    const posts = await world.client.channels.posts(channel);
    expect(posts.map(({ from, text: shown }) => [from, shown])).to.deep.equal([[ALICE, 'Mine']]);
  });

  it("take posts that the library sends, and its owner's changes and deletions", async () => {
    const { id: own = '' } = await alice.socket.newsletterCreate('Mine');
    const sent = await alice.socket.sendMessage(own, { text: 'Typo' });
    const id = sent?.key.id ?? '';
    await world.client.channels.follow(BOB, own);
    const bob = await world.linked(BOB);
    const edited = nextMessage(bob);
    await alice.socket.query({
      tag: 'message',
      attrs: { to: own, id, type: 'text', edit: '3' },
      content: [text('Text')],
    });
    const { attrs } = await edited;
    expect(attrs).to.include({ id, edit: '3', server_id: '1' });
    expect(getBinaryNodeChild(await edited, 'meta')?.attrs).to.have.all.keys('msg_edit_t', 'original_msg_t');
    expect((await world.client.channels.posts(own))[0]).to.include({ text: 'Text', edited: true });
    const deleted = nextMessage(bob);
    await alice.socket.query({
      tag: 'message',
      attrs: { to: own, id, type: 'text', edit: '8' },
      content: [{ tag: 'plaintext', attrs: {} }],
    });
    expect((await deleted).attrs).to.include({ id, edit: '8' });
    expect((await world.client.channels.posts(own))[0]).to.include({ text: '', deleted: true });
  });

  it('deliver a deleted post with an empty content, and not without one', async () => {
    const { serverId } = await world.client.channels.post(BOB, channel, { text: 'A mistake' });
    const deleted = nextMessage(alice);
    await world.client.channels.deletePost(BOB, channel, serverId);
    const { attrs, content } = getBinaryNodeChild(await deleted, 'plaintext') ?? {};
    expect(attrs).to.deep.equal({});
    expect(content).to.be.instanceOf(Uint8Array).and.have.lengthOf(0);
  });

  it('take a file by the handle of its upload, which is not encrypted, and refuse one without with 501', async () => {
    await world.client.channels.changeAdmins(BOB, channel, 'promote', ALICE);
    const { auth } = await alice.socket.refreshMediaConn(true);
    const hash = createHash('sha256').update(MEDIA).digest('base64url');
    const url = `${world.sandbox.url}/newsletter/newsletter-image/${hash}?auth=${encodeURIComponent(auth)}`;
    const upload = await fetch(url, { method: 'POST', body: new Uint8Array(MEDIA) });
    const { handle, direct_path } = JSON.parse(await upload.text());
    const imageMessage = { caption: 'Lake', mimetype: 'image/png', directPath: direct_path, fileLength: 9 };
    const content = [{ ...plain({ imageMessage }), attrs: { mediatype: 'image' } }];
    const post = { tag: 'message', attrs: { to: channel, id: 'IMAGE1', type: 'media' }, content };
    expect(await codeOf(alice.socket.query(post))).to.match(/501|feature-not-implemented/);
    const attrs = { ...post.attrs, media_id: handle };
    expect((await alice.socket.query({ ...post, attrs })).attrs.server_id).to.equal('1');
    const [shown] = await world.client.channels.posts(channel);
    expect(shown).to.deep.include({ type: 'media', text: 'Lake' });
    const file = await fetch(`${world.sandbox.url}${direct_path}`);
    expect(Buffer.from(await file.arrayBuffer())).to.deep.equal(MEDIA);
  });

  it("deliver a person's file that can be fetched without a key", async () => {
    const arrived = nextMessage(alice);
    const base64 = MEDIA.toString('base64');
    const media = { kind: 'image', mimeType: 'image/png', base64, caption: 'Lake' } as const;
    await world.client.channels.post(BOB, channel, { media });
    const element = getBinaryNodeChild(await arrived, 'plaintext');
    expect(element?.attrs.mediatype).to.equal('image');
    const { imageMessage } = proto.Message.decode(bytesOf(element));
    const file = await fetch(`${world.sandbox.url}${imageMessage?.directPath}`);
    expect(Buffer.from(await file.arrayBuffer())).to.deep.equal(MEDIA);
  });

  it('tell the other devices of a person who follows one', async () => {
    const second = await world.linked(ALICE);
    const told = new Promise<BinaryNode>((resolve) =>
      second.socket.ws.on('CB:notification,type:mex', resolve),
    );
    await alice.socket.newsletterUnfollow(channel);
    const update = getBinaryNodeChild(await told, 'update');
    expect(update?.attrs.op_name).to.equal('NotificationNewsletterLeave');
    expect(JSON.parse(bytesOf(update).toString())).to.deep.equal({
      data: { xwa2_notify_newsletter_on_leave: { id: channel, role: 'GUEST' } },
    });
  });

  it('answer the queries of WhatsApp Web: the followed channels, the followers, the setting', async () => {
    const subscribed = await mex(alice, '25399611239711790', {});
    expect(JSON.stringify(subscribed)).to.include(channel).and.to.include('"role":"SUBSCRIBER"');
    const followers = { input: { newsletter_id: channel, count: 10 } };
    expect(await mex(alice, '27472091235714801', followers)).to.have.nested.property(
      'errors[0].extensions.error_code',
      403,
    );
    const input = { newsletter_id: channel, type: 'MUTE_FOLLOWER_ACTIVITY', value: 'ON' };
    await mex(alice, '31938993655691868', { input });
    const shown = await world.client.channels.get(channel);
    expect(shown.followers.find(({ number }) => number === ALICE)).to.include({ muted: true });
  });

  it('stay after a restart of the network', async () => {
    await world.client.channels.post(BOB, channel, { text: 'Kept' });
    await alice.text('Kept');
    const [before, posts] = [
      await world.client.channels.get(channel),
      await world.client.channels.posts(channel),
    ];
    await world.restart();
    expect(await world.client.channels.get(channel)).to.deep.equal(before);
    expect(await world.client.channels.posts(channel)).to.deep.equal(posts);
  });
});

/** The next message stanza that a client is sent. */
function nextMessage(device: BaileysDevice): Promise<BinaryNode> {
  return new Promise((resolve) => device.socket.ws.once('CB:message', resolve));
}

function plain(message: proto.IMessage): BinaryNode {
  return { tag: 'plaintext', attrs: {}, content: proto.Message.encode(message).finish() };
}

function text(conversation: string): BinaryNode {
  return plain({ conversation });
}

function bytesOf(node: BinaryNode | undefined): Buffer {
  return node?.content instanceof Uint8Array ? Buffer.from(node.content) : Buffer.alloc(0);
}

function reactionsIn(message: BinaryNode | undefined): string[] {
  const reactions = getBinaryNodeChildren(getBinaryNodeChild(message, 'reactions'), 'reaction');
  return reactions.map(({ attrs }) => `${attrs.code} ${attrs.count}`);
}

/** The query of whatsmeow and zapo. */
async function fetchPosts({ socket }: BaileysDevice, jid: string, page: Record<string, string>) {
  const answer = await socket.query({
    tag: 'iq',
    attrs: { type: 'get', xmlns: 'newsletter', to: '@s.whatsapp.net' },
    content: [{ tag: 'messages', attrs: { type: 'jid', jid, ...page } }],
  });
  const messages = getBinaryNodeChildren(getBinaryNodeChild(answer, 'messages'), 'message');
  return messages.map((message) => ({
    id: message.attrs.server_id,
    text: proto.Message.decode(bytesOf(getBinaryNodeChild(message, 'plaintext'))).conversation,
    views: getBinaryNodeChild(message, 'views_count')?.attrs.count,
    reactions: reactionsIn(message),
  }));
}

async function mex({ socket }: BaileysDevice, query_id: string, variables: object): Promise<unknown> {
  const answer = await socket.query({
    tag: 'iq',
    attrs: { type: 'get', xmlns: 'w:mex', to: '@s.whatsapp.net' },
    content: [{ tag: 'query', attrs: { query_id }, content: Buffer.from(JSON.stringify({ variables })) }],
  });
  return JSON.parse(bytesOf(getBinaryNodeChild(answer, 'result')).toString());
}

/** The refusal of a stanza, as text. */
async function codeOf(query: Promise<unknown>): Promise<string> {
  return query.then(
    () => 'accepted',
    (error: Error) => JSON.stringify(error, Object.getOwnPropertyNames(error)),
  );
}
