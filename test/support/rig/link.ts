import type { Link, LinkFactory, LinkOptions, OwnIdentity } from '../../../src/gateway/link/link.js';

/** The number that a played link is connected as. */
export const ME: OwnIdentity = {
  jid: '15550000001:1@s.whatsapp.net',
  pn: '15550000001',
  lid: '90000000000001',
  name: 'Alice',
};

/** A link of which a test plays what it needs; the rest fails. */
export function playedLink(parts: Partial<Link> = {}): Link {
  const unplayed = () => Promise.reject(new Error('not played'));
  return {
    groups: {
      list: unplayed,
      get: unplayed,
      create: unplayed,
      changeMembers: unplayed,
      inviteCode: unplayed,
      leave: unplayed,
      change: unplayed,
      setPicture: unplayed,
      joinRequests: unplayed,
      answerJoinRequests: unplayed,
      join: unplayed,
      invite: unplayed,
    },
    channels: {
      list: unplayed,
      get: unplayed,
      posts: unplayed,
      follow: unplayed,
      unfollow: unplayed,
      deletePost: unplayed,
    },
    account: {
      profile: unplayed,
      setName: unplayed,
      setAbout: unplayed,
      setPicture: unplayed,
      setDisappearing: unplayed,
      statusPrivacy: unplayed,
      setStatusPrivacy: unplayed,
      blocked: unplayed,
      setBlocked: unplayed,
    },
    people: { profile: unplayed, picture: unplayed, fetchPicture: unplayed },
    requestPairingCode: async () => 'ABCDEFGH',
    answerPasskey: unplayed,
    confirmPasskey: unplayed,
    prepare: unplayed,
    relay: unplayed,
    lookUp: async () => undefined,
    sendTyping: unplayed,
    showOnline: unplayed,
    subscribePresence: unplayed,
    rejectCall: unplayed,
    markRead: unplayed,
    changeChat: unplayed,
    renewMedia: unplayed,
    restrictions: unplayed,
    isTrusted: async () => false,
    logout: async () => true,
    renew: () => undefined,
    requestResend: async () => undefined,
    requestHistory: unplayed,
    close: async () => undefined,
    cut: () => undefined,
    isUp: () => true,
    vitals: () => ({ lastStanzaAt: 0, lastPongAt: 0, silentMs: Number.POSITIVE_INFINITY }),
    ...parts,
  };
}

/** Links that are played: every opening gets a link that does the same. */
export function playedLinks(
  link: Link,
  opened: (options: LinkOptions) => void,
  parts: Partial<LinkFactory> = {},
): LinkFactory {
  return {
    load: async () => undefined,
    open(options) {
      opened(options);
      return { ...link };
    },
    isPaired: async () => false,
    exportCredentials: () => ({}),
    exportKey: () => ({}),
    decode: () => ({}),
    encode: () => new Uint8Array(),
    openSecret: () => undefined,
    download: () => Promise.reject(new Error('not played')),
    history: () => undefined,
    readForeignCredentials: () => {
      throw new Error('not played');
    },
    readForeignKeys: () => ({ usable: [], unusable: [] }),
    restore: () => [],
    restoreUnreadable: () => [],
    ...parts,
  };
}
