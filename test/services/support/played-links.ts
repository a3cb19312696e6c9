import type { Link, LinkFactory, LinkOptions, OwnIdentity } from '../../../src/link/link.js';

/** Who the played number is. */
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
    },
    people: { profile: unplayed, picture: unplayed, fetchPicture: unplayed },
    requestPairingCode: async () => 'ABCDEFGH',
    send: unplayed,
    lookUp: async () => undefined,
    sendTyping: unplayed,
    markRead: unplayed,
    changeChat: unplayed,
    renewMedia: unplayed,
    logout: async () => true,
    renew: () => undefined,
    close: async () => undefined,
    cut: () => undefined,
    vitals: () => ({ lastStanzaAt: 0, lastPongAt: 0 }),
    ...parts,
  };
}

/** Links that are played: each opening is told, and gets the same link. */
export function playedLinks(
  link: Link,
  opened: (options: LinkOptions) => void,
  parts: Partial<LinkFactory> = {},
): LinkFactory {
  return {
    open(options) {
      opened(options);
      return link;
    },
    isPaired: async () => false,
    decode: () => ({}),
    encode: () => new Uint8Array(),
    openSecret: () => undefined,
    download: () => Promise.reject(new Error('not played')),
    history: () => undefined,
    restore: () => [],
    ...parts,
  };
}
