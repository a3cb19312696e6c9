import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BinaryNode, proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { isGatewayError } from '../../../src/domain/errors.js';
import { Channels } from '../../../src/gateway/link/baileys/channels.js';
import type { Link } from '../../../src/gateway/link/link.js';
import { ManualClock } from '../../support/manual-clock.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';
import { LinkRig, protoOf, type Session } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';
const PICTURE = Buffer.from('a picture that is not encrypted');

describe('a link in channels', () => {
  let rig: LinkRig;
  let session: Session;
  let folder: TempDir;
  /** Of Alice's, and of Bob's. */
  let own: string;
  let news: string;

  before(async () => {
    folder = await makeTempDir();
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
    session = await rig.connected(ALICE);
    own = (await rig.network.channels.create(ALICE, { name: 'Own' })).jid;
    news = (await rig.network.channels.create(BOB, { name: 'News' })).jid;
  });
  after(async () => {
    await rig.stop();
    await folder.remove();
  });
  afterEach(() => rig.network.clearFaults());

  const link = (): Link => {
    if (!session.link) throw new Error('the session is open');
    return session.link;
  };
  const textsIn = async (jid: string) => (await rig.network.channels.posts(jid)).map(({ text }) => text);

  it('posts without a query for devices, and once when the acknowledgement is lost', async () => {
    const { queries } = await rig.network.stats();
    await rig.network.fault({ kind: 'drop-acks', number: ALICE, count: 1 });
    const messageId = '3EB0AAAAAAAAAAAAAAAAAA';
    const lost = session.send(own, 'Once', { messageId }).catch((error: unknown) => error);
    // the post is in the channel before the connection ends
    while ((await textsIn(own)).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await session.close();
    expect(isGatewayError(await lost, 'send_cut_off')).to.equal(true);
    session.open();
    await session.next('open');
    await session.send(own, 'Once', { messageId });
    expect(await textsIn(own)).to.deep.equal(['Once']);
    const { queries: after } = await rig.network.stats();
    expect(after.usync).to.equal(queries.usync);
  });

  it('keeps the handle of a file in the record of its post, so that the post can leave again', async () => {
    const path = join(folder.path, 'picture.png');
    await writeFile(path, PICTURE);
    const content = { image: { url: path }, mimetype: 'image/png', caption: 'Lake' };
    const message = { to: own, messageId: '3EB0BBBBBBBBBBBBBBBBBB', content };
    const first = await link().prepare(message);
    expect(protoOf(rig.factory.decode(first.encoded)).imageMessage).to.include({ caption: 'Lake' });
    await session.close();
    session.open();
    await session.next('open');
    const again = await link().prepare({ ...message, content: { encoded: first.encoded } });
    expect(Buffer.from(again.encoded)).to.deep.equal(Buffer.from(first.encoded));
    expect(await link().relay(again, { check: () => true })).to.deep.equal({ outcome: 'acknowledged' });
    const post = (await rig.network.channels.posts(own)).at(-1);
    expect(post).to.deep.include({ messageId: message.messageId, type: 'media', text: 'Lake' });
    expect(Buffer.from(protoOf(again.content).imageMessage?.mediaKey ?? [])).to.have.lengthOf(0);
  });

  it('asks the guard before a post leaves, and sends nothing when it refuses', async () => {
    const before = await textsIn(own);
    const message = { to: own, messageId: '3EB0CCCCCCCCCCCCCCCCCC', content: { text: 'Never' } };
    const prepared = await link().prepare(message);
    expect(await link().relay(prepared, { check: () => false })).to.deep.equal({ outcome: 'blocked' });
    expect(await textsIn(own)).to.deep.equal(before);
  });

  it('fails a post that the network refuses with its code', async () => {
    const error = await session.send(news, 'Not mine').catch((refusal: unknown) => refusal);
    expect(isGatewayError(error, 'send_rejected') && error.message).to.include('403');
    const deletion = await link()
      .channels.deletePost(news, '3EB0DDDDDDDDDDDDDDDDDD')
      .catch((refusal: unknown) => refusal);
    expect(isGatewayError(deletion, 'message_unknown')).to.equal(true);
  });

  it('reports posts with their change, and no counts, reactions or votes', async () => {
    await link().channels.follow(news);
    const { messageId, serverId } = await rig.network.channels.post(BOB, news, { text: 'News' });
    await rig.network.channels.react(BOB, news, serverId, '👍');
    await rig.network.channels.editPost(BOB, news, serverId, 'Better news');
    await rig.network.channels.deletePost(BOB, news, serverId);
    await session.next('channel-post', ({ post }) => post.change === 'deleted');
    const posts = session.all('channel-post').map(({ post }) => post);
    expect(posts.map(({ change }) => change)).to.deep.equal(['posted', 'edited', 'deleted']);
    for (const post of posts) expect(post).to.include({ channel: news, messageId, serverId, fromMe: false });
    expect(posts[1]).to.have.property('editedAt').that.is.greaterThan(0);
  });

  it('names the host of a file whose address lacks it', async () => {
    const content = { imageMessage: { directPath: '/o1/v/lake.jpg' } };
    rig.inject(ALICE, postOf(news, 'FILE', content));
    const { post } = await session.next('channel-post', (event) => event.post.messageId === 'FILE');
    expect(protoOf(post.content).imageMessage?.url).to.equal('https://mmg.whatsapp.net/o1/v/lake.jpg');
  });

  it('leaves a post without an acknowledgement that comes after its owner has closed the link', async () => {
    const leaving = await rig.connected(BOB);
    const ending = new AbortController();
    const stanzas = await rig.network.stanzas.watch(ending.signal);
    const acknowledged = (async () => {
      const ids: string[] = [];
      for await (const { direction, stanza } of stanzas)
        if (direction === 'in' && stanza.tag === 'ack' && stanza.attrs?.class === 'message')
          ids.push(stanza.attrs?.id ?? '');
      return ids;
    })();
    rig.inject(BOB, postOf(news, 'BEFORE', { conversation: 'told' }));
    await leaving.next('channel-post');
    rig.inject(BOB, postOf(news, 'AFTER', { conversation: 'not told' }));
    await leaving.link?.logout();
    ending.abort();
    expect(await acknowledged).to.deep.equal(['BEFORE']);
    expect(leaving.all('channel-post')).to.have.lengthOf(1);
  });
});

/** A post as the network sends it. */
function postOf(from: string, id: string, content: proto.IMessage): BinaryNode {
  const plain = proto.Message.encode(content).finish();
  return {
    tag: 'message',
    attrs: { from, id, server_id: '900', t: '1795257228', type: 'text' },
    content: [{ tag: 'plaintext', attrs: {}, content: plain }],
  };
}

describe('queries about channels', () => {
  const CHANNEL = '120363040000000001@newsletter';
  const answering = (content: BinaryNode[]) => {
    const query = async () => ({ tag: 'iq', attrs: { type: 'result' }, content });
    return new Channels({ query, generateMessageTag: () => '1' }, new ManualClock());
  };
  const item = (serverId: number, plain: Uint8Array | undefined): BinaryNode => ({
    tag: 'message',
    attrs: { id: `M${serverId}`, server_id: String(serverId), t: '1795257228', type: 'text' },
    content: [{ tag: 'plaintext', attrs: {}, ...(plain && { content: plain }) }],
  });
  const text = proto.Message.encode({ conversation: 'News' }).finish();

  it('name the next page also if a post of this one was deleted or cannot be read', async () => {
    const content = [item(103, text), item(102, Buffer.from('no message')), item(101, undefined)];
    const channels = answering([{ tag: 'messages', attrs: {}, content }]);
    const { posts, next } = await channels.posts(CHANNEL, { count: 3 });
    expect([posts.map(({ serverId }) => serverId), next]).to.deep.equal([[103], 101]);
    expect((await channels.posts(CHANNEL, { count: 4 })).next).to.equal(undefined);
  });

  it('say that the network refused, also without a code', async () => {
    const errors = [{ message: 'Something went wrong' }];
    const channels = answering([{ tag: 'result', attrs: {}, content: JSON.stringify({ errors }) }]);
    const error = await channels.list().catch((refusal: unknown) => refusal);
    expect(isGatewayError(error, 'lookup_failed') && error.message).to.equal(
      'The network refused. Try again.',
    );
  });
});
