import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  proto,
  S_WHATSAPP_NET,
  type WASocket,
} from '@whiskeysockets/baileys';
import { type Address, formatJid, personOf } from '../../../domain/address.js';
import type { Profile } from '../../port/people.js';
import { lookupFailed, refusalCode } from '../refusal.js';

/** What is asked of a person in one query; the same as other linked clients ask. */
const PROTOCOLS: BinaryNode[] = [
  { tag: 'business', attrs: {}, content: [{ tag: 'verified_name', attrs: {} }] },
  { tag: 'status', attrs: {} },
  { tag: 'picture', attrs: {} },
  { tag: 'devices', attrs: { version: '2' } },
  { tag: 'lid', attrs: {} },
  { tag: 'username', attrs: {} },
];

type Asking = Pick<WASocket, 'query' | 'generateMessageTag' | 'signalRepository'>;

/**
 * Asks who is behind an address. The library's own query cannot ask for pictures and names, and reads user names only
 * where they happen to be a word of the protocol's dictionary.
 * @returns undefined when the network knows nobody by it
 * @throws GatewayError `lookup_failed`
 */
export async function askProfile(sock: Asking, address: Address): Promise<Profile | undefined> {
  const answer = await sock.query(request(sock, formatJid(address))).catch((error: unknown) => {
    if (refusalCode(error) === 404) return undefined;
    throw lookupFailed(error);
  });
  const list = getBinaryNodeChild(getBinaryNodeChild(answer, 'usync'), 'list');
  const [user] = getBinaryNodeChildren(list, 'user');
  const devices = user && devicesOf(user);
  // the network repeats the question for whom it does not know
  if (!user || !devices) return undefined;
  return { ...(await addressesOf(sock, user, address)), ...factsOf(user), devices };
}

function request(sock: Asking, jid: string): BinaryNode {
  const usync = {
    context: 'interactive',
    mode: 'full',
    sid: sock.generateMessageTag(),
    last: 'true',
    index: '0',
  };
  return {
    tag: 'iq',
    attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'usync' },
    content: [
      {
        tag: 'usync',
        attrs: usync,
        content: [
          { tag: 'query', attrs: {}, content: PROTOCOLS },
          { tag: 'list', attrs: {}, content: [{ tag: 'user', attrs: { jid } }] },
        ],
      },
    ],
  };
}

function factsOf(user: BinaryNode): Pick<Profile, 'username' | 'status' | 'pictureId' | 'verifiedName'> {
  return {
    username: textOf(getBinaryNodeChild(user, 'username')),
    status: textOf(getBinaryNodeChild(user, 'status')),
    pictureId: getBinaryNodeChild(user, 'picture')?.attrs.id ?? '',
    verifiedName: verifiedNameOf(getBinaryNodeChild(user, 'business')),
  };
}

async function addressesOf(
  { signalRepository }: Asking,
  user: BinaryNode,
  asked: Address,
): Promise<Pick<Profile, 'lid' | 'pn'>> {
  const told = personOf(user.attrs.jid, getBinaryNodeChild(user, 'lid')?.attrs.val);
  const { lid, pn } = { ...told, ...(asked.kind === 'lid' ? { lid: asked.user } : { pn: asked.user }) };
  if (!lid) return { lid: '', pn: pn ?? '' };
  const { lidMapping } = signalRepository;
  const lidJid = formatJid({ kind: 'lid', user: lid });
  if (!pn) return { lid, pn: personOf(await lidMapping.getPNForLID(lidJid)).pn ?? '' };
  await lidMapping.storeLIDPNMappings([{ lid: lidJid, pn: formatJid({ kind: 'pn', user: pn }) }]);
  return { lid, pn };
}

/** How many; undefined when the network lists none, which it does for people who do not exist. */
function devicesOf(user: BinaryNode): number | undefined {
  const list = getBinaryNodeChild(getBinaryNodeChild(user, 'devices'), 'device-list');
  return getBinaryNodeChildren(list, 'device').length || undefined;
}

/** The certificate of a business names it. */
function verifiedNameOf(business: BinaryNode | undefined): string {
  const content = getBinaryNodeChild(business, 'verified_name')?.content;
  if (!(content instanceof Uint8Array)) return '';
  const { details } = proto.VerifiedNameCertificate.decode(content);
  return details ? (proto.VerifiedNameCertificate.Details.decode(details).verifiedName ?? '') : '';
}

/** Text comes as bytes, or as a string where it is a word of the dictionary. */
function textOf(node: BinaryNode | undefined): string {
  const { content } = node ?? {};
  if (typeof content === 'string') return content;
  return content instanceof Uint8Array ? Buffer.from(content).toString('utf8') : '';
}
