import type { ChannelView } from '../../contract/sandbox/index.js';
import type { Account } from '../state/account.js';
import type { Channel } from '../state/channel.js';
import type { Directory } from '../state/directory.js';

const MICROSECONDS = 1_000_000;
/** Channels have no pictures here. */
const NO_PICTURE = { id: '', direct_path: '' };

/**
 * A channel as the network's GraphQL answers describe it to a person (whatsmeow `types/newsletter.go`, zapo `spec/mex`).
 * Numbers are text. `mute` is what older clients read, `settings` what current ones read.
 */
export function channelMetadata(channel: Channel, viewer: Account, withViewer = true): object {
  const { name, description, createdAt, inviteCode } = channel.record;
  const { role = 'guest', muted = false } = channel.followerOf(viewer) ?? {};
  const authored = (text: string) => ({
    id: String(createdAt * MICROSECONDS),
    text,
    update_time: String(createdAt * MICROSECONDS),
  });
  return {
    id: channel.jid,
    state: { type: 'ACTIVE' },
    thread_metadata: {
      creation_time: String(createdAt),
      name: authored(name),
      description: authored(description),
      picture: { ...NO_PICTURE, type: 'IMAGE' },
      preview: { ...NO_PICTURE, type: 'PREVIEW' },
      invite: inviteCode,
      subscribers_count: String(channel.followers.size),
      verification: 'UNVERIFIED',
      settings: { reaction_codes: { value: 'ALL' } },
    },
    viewer_metadata: withViewer
      ? {
          role: role.toUpperCase(),
          mute: muteState(muted),
          settings: [{ type: 'MUTE_FOLLOWER_ACTIVITY', value: muteState(muted) }],
        }
      : null,
  };
}

export function muteState(muted: boolean): 'ON' | 'OFF' {
  return muted ? 'ON' : 'OFF';
}

/** The followers, with their roles (zapo `spec/mex`, `FetchNewsletterFollowers`). */
export function followersOf(channel: Channel, directory: Directory, count: number): object {
  const edges = [...channel.followers].slice(0, count).flatMap(([lid, { role, followedAt }]) => {
    const person = directory.byLid(lid);
    if (!person) return [];
    const { name: display_name } = person.record;
    const node = { id: person.jid('lid'), display_name, pn: person.jid('pn') };
    return [{ node, role: role.toUpperCase(), follow_time: String(followedAt) }];
  });
  return { followers: { edges } };
}

/** A channel as the control API shows it. */
export function viewChannel(channel: Channel, directory: Directory): ChannelView {
  const { name, description, createdAt, inviteCode } = channel.record;
  const followers = [...channel.followers].map(([lid, follower]) => ({
    number: directory.byLid(lid)?.number ?? '',
    ...follower,
  }));
  return { jid: channel.jid, name, description, createdAt, inviteCode, followers };
}
