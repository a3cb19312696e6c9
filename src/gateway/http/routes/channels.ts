import { channelPostInputs, channels } from '../../../contract/channels.js';
import { withFile } from '../file-body.js';
import { goneSignal } from '../gone.js';
import { type Route, route } from '../route.js';

export const channelRoutes: readonly Route[] = [
  route(channels.listChannels, async ({ query: { clientId } }, { services }) => ({
    channels: await services.channels.list(clientId),
  })),
  route(channels.getChannel, async ({ query: { clientId, channel } }, { services }) => ({
    channel: await services.channels.get(clientId, channel),
  })),
  route(channels.listChannelPosts, ({ query: { clientId, channelJid, ...page } }, { services }) =>
    services.channels.posts(clientId, channelJid, page),
  ),
  route(channels.followChannel, async ({ payload: { clientId, channelJid } }, { services }) => {
    await services.channels.follow(clientId, channelJid);
    return { ok: true };
  }),
  route(channels.unfollowChannel, async ({ payload: { clientId, channelJid } }, { services }) => {
    await services.channels.unfollow(clientId, channelJid);
    return { ok: true };
  }),
  route(channels.postChannel, (request, { services }) =>
    withFile(request, channelPostInputs, services, ({ clientId, channelJid, body }, source) => {
      const key = request.headers['idempotency-key'];
      return services.channels.post({ clientId, channelJid, body }, source, key, goneSignal(request));
    }),
  ),
  route(channels.deleteChannelPost, async ({ payload }, { services }) => {
    const { clientId, channelJid, messageId } = payload;
    await services.channels.deletePost(clientId, channelJid, messageId);
    return { ok: true };
  }),
];
