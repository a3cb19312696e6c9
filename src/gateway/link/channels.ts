import type { EpochMs } from '../../domain/clock.js';
import type { MessageContent } from '../../domain/message-content.js';

/** What the account is in a channel; a guest does not follow it. */
export type ChannelRole = 'owner' | 'admin' | 'subscriber' | 'guest';

/** A channel (newsletter) as the network describes it. */
export interface Channel {
  /** `…@newsletter` */
  jid: string;
  name: string;
  /** May be empty. */
  description: string;
  role: ChannelRole;
  /** Undefined where the network does not say it, as in lists. */
  followers: number | undefined;
  isVerified: boolean;
  isMuted: boolean;
  /** The end of its link; may be empty. */
  inviteCode: string;
  /** 0 where not known. */
  createdAt: EpochMs;
}

/** A post of a channel, or a change of one. */
export interface ChannelPost {
  channel: string;
  messageId: string;
  /** The network's number of the post, which grows with each post of the channel. */
  serverId: number;
  change: 'posted' | 'edited' | 'deleted';
  /** The account wrote it, here or on another device. */
  fromMe: boolean;
  /** Empty for a deleted post. */
  content: MessageContent;
  /** When it was posted, by the network's clock. */
  timestamp: EpochMs;
  /** When its content last changed. */
  editedAt?: EpochMs;
  /** Only in pages of posts. */
  views?: number;
  /** Emoji and how many people reacted with it; only in pages of posts. */
  reactions?: { emoji: string; count: number }[];
}

/** A page of posts, oldest first. */
export interface ChannelPage {
  /** Those that can be read. */
  posts: ChannelPost[];
  /** `before` of the next page; undefined if there are no older posts. */
  next: number | undefined;
}

/**
 * Queries about channels. All throw GatewayError: `channel_unknown`; `channel_forbidden` if the account may not; `lookup_failed`
 * when the network refuses for another reason or does not answer.
 */
export interface LinkChannels {
  /** The channels that the account follows, its own ones too. */
  list(): Promise<Channel[]>;
  /** @param key its jid, or the code at the end of its link */
  get(key: { jid: string } | { invite: string }): Promise<Channel>;
  /** The newest posts, or the newest before a server id. */
  posts(jid: string, page: { count: number; before?: number | undefined }): Promise<ChannelPage>;
  follow(jid: string): Promise<void>;
  unfollow(jid: string): Promise<void>;
  /** Deletes a post for everybody. @throws GatewayError also `message_unknown` */
  deletePost(jid: string, messageId: string): Promise<void>;
}
