import { channels as api } from '../../contract/sandbox/channels.js';
import { changeAdmin, createChannel, follow, unfollow } from '../channels/membership.js';
import { viewChannel } from '../channels/metadata.js';
import { deletePost, editPost, publish, reactTo } from '../channels/posts.js';
import { composePost, viewPost } from '../phone/posts.js';
import type { Account } from '../state/account.js';
import type { Channel } from '../state/channel.js';
import type { Network } from '../state/network.js';
import { type Route, route } from './route.js';

/** Channels, as people use them on their phones. */
export const channelRoutes: readonly Route[] = [
  route(api.create, ({ params, payload }, { network }) => {
    const account = network.directory.require(params.number);
    return viewChannel(createChannel(network, { account }, payload), network.directory);
  }),
  route(api.get, ({ params }, { network: { directory } }) =>
    viewChannel(directory.channels.require(params.channel), directory),
  ),
  route(api.of, ({ params }, { network: { directory } }) => ({
    channels: directory.channels
      .of(directory.require(params.number))
      .map((channel) => viewChannel(channel, directory)),
  })),
  route(api.follow, ({ params }, { network }) => {
    const { channel, account } = find(network, params);
    follow(network, channel, { account });
    return viewChannel(channel, network.directory);
  }),
  route(api.unfollow, ({ params }, { network }) => {
    const { channel, account } = find(network, params);
    unfollow(network, channel, { account });
    return viewChannel(channel, network.directory);
  }),
  route(api.changeAdmins, ({ params, payload }, { network }) => {
    const { channel, account } = find(network, params);
    changeAdmin(channel, account, network.directory.require(payload.who), payload.action);
    return viewChannel(channel, network.directory);
  }),
  route(api.post, async ({ params, payload }, { network }) => {
    const { channel, account } = find(network, params);
    const content = await composePost(network, payload);
    const messageId = network.newMessageId();
    return viewPost(network, publish(network, channel, { account }, { messageId, ...content }));
  }),
  route(api.posts, ({ params }, { network }) => ({
    posts: network.directory.channels.require(params.channel).posts.map((post) => viewPost(network, post)),
  })),
  route(api.editPost, async ({ params, payload }, { network }) => {
    const { channel, account } = find(network, params);
    const post = channel.requirePost(params.serverId);
    editPost(network, channel, { account }, post, await composePost(network, payload));
    return viewPost(network, post);
  }),
  route(api.deletePost, ({ params }, { network }) => {
    const { channel, account } = find(network, params);
    deletePost(network, channel, { account }, channel.requirePost(params.serverId));
  }),
  route(api.react, ({ params, payload }, { network }) => {
    const { channel, account } = find(network, params);
    const post = channel.requirePost(params.serverId);
    reactTo(network, channel, account, post, payload.emoji);
    return viewPost(network, post);
  }),
];

/** @throws Refusal 404, ChannelRefusal 404 */
function find(
  { directory }: Network,
  { number, channel }: { number: string; channel: string },
): { channel: Channel; account: Account } {
  const account = directory.require(number);
  return { channel: directory.channels.require(channel), account };
}
