import { expect } from 'chai';
import type { ChannelPost } from '../../../../src/gateway/link/channels.js';
import { ChannelPosts } from '../../../../src/gateway/services/receiving/channel-posts.js';
import { KnownMessages } from '../../../../src/gateway/services/receiving/known-messages.js';
import { sent } from '../../../contracts/store/harness.js';
import { SESSION } from '../../../support/rig/receiving.js';
import { Rig } from '../../../support/rig/rig.js';
import { until } from '../../../support/until.js';

const CHANNEL = '120363040000000001@newsletter';

describe('ChannelPosts', () => {
  let rig: Rig;
  let posts: ChannelPosts;
  let announced: string[];

  beforeEach(async () => {
    rig = await Rig.start();
    announced = [];
    const { store, retry, log } = rig;
    const known = new KnownMessages({ store, retry, links: { decode: () => ({}) } });
    const optIn = (_: unknown, { type }: { type: string }) => void announced.push(type);
    posts = new ChannelPosts({ announcements: { optIn }, known, log });
  });
  afterEach(() => rig.close());

  const hear = (messageId: string) => {
    const head = { channel: CHANNEL, messageId, serverId: 7, fromMe: true, timestamp: rig.clock.now() };
    const post: ChannelPost = { ...head, change: 'deleted', content: {} };
    posts.hear({ type: 'link', session: rig.sessionOf(SESSION), event: { type: 'channel-post', post } });
  };
  const bytesOf = async (messageId: string) => (await rig.store.sends.get('acme', messageId))?.content.length;

  it('forgets the content of an own post that was deleted, and of no message with the same id', async () => {
    await rig.store.sends.put('acme', sent('POST', { to: CHANNEL, acknowledged: true, closed: true }));
    await rig.store.sends.put('acme', sent('MESSAGE', { acknowledged: true, closed: true }));
    hear('MESSAGE');
    hear('POST');
    await until('the post', async () => (await bytesOf('POST')) === 0);
    expect(await bytesOf('MESSAGE')).to.be.greaterThan(0);
    expect(announced).to.deep.equal(['channel_post', 'channel_post']);
  });
});
