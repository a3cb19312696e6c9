import type { Account, Companion } from '../state/account.js';
import type { Channel } from '../state/channel.js';
import type { Network } from '../state/network.js';
import { ChannelRefusal } from '../wire/refusals.js';
import { NETWORK_JID, stanza } from '../wire/stanza.js';
import { channelMetadata, muteState } from './metadata.js';

/** A person who acts, perhaps on a linked device, which needs no news of it. */
export interface Actor {
  account: Account;
  companion?: Companion | undefined;
}

export function createChannel(
  network: Network,
  owner: Actor,
  about: { name: string; description?: string },
): Channel {
  const channel = network.directory.channels.create(owner.account, about, network.now());
  announceJoin(network, channel, owner);
  return channel;
}

/** Nothing changes for a person who follows the channel. */
export function follow(network: Network, channel: Channel, actor: Actor): void {
  if (channel.followerOf(actor.account)) return;
  channel.put(actor.account, { role: 'subscriber', muted: false, followedAt: network.now() });
  announceJoin(network, channel, actor);
}

/** Nothing changes for a person who does not follow the channel. @throws ChannelRefusal 403 for the owner */
export function unfollow(network: Network, channel: Channel, actor: Actor): void {
  const role = channel.followerOf(actor.account)?.role;
  // which code the network refuses an owner with is not known
  if (role === 'owner') throw new ChannelRefusal(403);
  if (!role) return;
  channel.drop(actor.account);
  const xwa2_notify_newsletter_on_leave = { id: channel.jid, role: 'GUEST' };
  announce(network, actor, 'NotificationNewsletterLeave', { xwa2_notify_newsletter_on_leave });
}

/** @throws ChannelRefusal 403 for a person who does not follow the channel */
export function mute(network: Network, channel: Channel, actor: Actor, muted: boolean): void {
  const follower = channel.followerOf(actor.account);
  if (!follower) throw new ChannelRefusal(403);
  channel.put(actor.account, { ...follower, muted });
  const xwa2_notify_newsletter_on_mute_change = { id: channel.jid, mute: muteState(muted) };
  announce(network, actor, 'NotificationNewsletterUserSettingChange', {
    xwa2_notify_newsletter_on_mute_change,
  });
}

/** @throws ChannelRefusal 403 unless the owner changes the role of another follower */
export function changeAdmin(
  channel: Channel,
  owner: Account,
  who: Account,
  action: 'promote' | 'demote',
): void {
  const follower = channel.followerOf(who);
  if (channel.followerOf(owner)?.role !== 'owner' || !follower || follower.role === 'owner')
    throw new ChannelRefusal(403);
  channel.put(who, { ...follower, role: action === 'promote' ? 'admin' : 'subscriber' });
}

function announceJoin(network: Network, channel: Channel, actor: Actor): void {
  const xwa2_notify_newsletter_on_join = channelMetadata(channel, actor.account);
  announce(network, actor, 'NotificationNewsletterJoin', { xwa2_notify_newsletter_on_join });
}

/** Tells the other linked devices of the person (whatsmeow `notification.go`, Baileys rc14 names the operations). */
function announce(
  network: Network,
  { account, companion: acting }: Actor,
  op_name: string,
  data: object,
): void {
  const update = stanza('update', { op_name }, Buffer.from(JSON.stringify({ data })));
  for (const companion of account.companions.values())
    if (companion !== acting) network.notify(companion, { from: NETWORK_JID, type: 'mex' }, [update]);
}
