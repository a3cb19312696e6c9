import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  jidDecode,
  proto,
  S_WHATSAPP_NET,
  USyncQuery,
  type USyncQueryResultList,
  USyncUser,
  type WASocket,
} from '@whiskeysockets/baileys';
import { type Address, formatJid, parseJid, personOf } from '../../../domain/address.js';
import { errorMessage, GatewayError } from '../../../domain/errors.js';
import type { Picture, Profile } from '../directory.js';
import type { LookedUpPerson } from '../link.js';
import type { Devices } from './devices.js';
import { addressOf, fetchFile, type MediaRoute } from './media/route.js';
import { lookupFailed, refusalCode } from './reasons.js';
import { proxyFailureIn } from './tunnel.js';

/** The parts of the query about a person, the same as those of other linked clients. */
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
 * Queries the profile of a person. The library's own query lacks pictures and names, and reads only user names that are
 * words of the protocol's dictionary.
 * @returns undefined when the network does not know the address
 * @throws GatewayError `lookup_failed`
 */
export async function askProfile(sock: Asking, address: Address): Promise<Profile | undefined> {
  const answer = await sock.query(usyncQuery(sock, formatJid(address), PROTOCOLS)).catch((error: unknown) => {
    if (refusalCode(error) === 404) return undefined;
    throw lookupFailed(error);
  });
  const list = getBinaryNodeChild(getBinaryNodeChild(answer, 'usync'), 'list');
  const [user] = getBinaryNodeChildren(list, 'user');
  const devices = user && devicesOf(user);
  // for unknown people the network's answer repeats the query
  if (!user || !devices) return undefined;
  return { ...(await addressesOf(sock, user, address)), ...factsOf(user), devices };
}

/** A query about one person. @param protocols the requested parts */
export function usyncQuery(
  sock: Pick<WASocket, 'generateMessageTag'>,
  jid: string,
  protocols: BinaryNode[],
): BinaryNode {
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
          { tag: 'query', attrs: {}, content: protocols },
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

/** Number of devices; undefined if the network lists none, which means that the person does not exist. */
function devicesOf(user: BinaryNode): number | undefined {
  const list = getBinaryNodeChild(getBinaryNodeChild(user, 'devices'), 'device-list');
  return getBinaryNodeChildren(list, 'device').length || undefined;
}

/** The name in the certificate of a business. */
function verifiedNameOf(business: BinaryNode | undefined): string {
  const content = getBinaryNodeChild(business, 'verified_name')?.content;
  if (!(content instanceof Uint8Array)) return '';
  const { details } = proto.VerifiedNameCertificate.decode(content);
  return details ? (proto.VerifiedNameCertificate.Details.decode(details).verifiedName ?? '') : '';
}

/** The text of a node: bytes, or a string if it is a word of the protocol's dictionary. */
export function textOf(node: BinaryNode | undefined): string {
  const { content } = node ?? {};
  if (typeof content === 'string') return content;
  return content instanceof Uint8Array ? Buffer.from(content).toString('utf8') : '';
}

/**
 * Asks the network for a person: a number by `contact` and `lid` in one query, a LID by its devices.
 * @returns undefined when the network does not know the address
 * @throws GatewayError `lookup_failed`
 */
export async function lookUp(
  sock: WASocket,
  devices: Devices,
  address: Address,
): Promise<LookedUpPerson | undefined> {
  if (address.kind === 'group') return undefined;
  return address.kind === 'pn' ? byNumber(sock, address) : byLid(sock, devices, address);
}

/** Looks up people again whose LID is outdated according to the network (`refresh_lid`; whatsapp-rust #1313). */
export class LidRefresh {
  readonly #sock: WASocket;
  readonly #onPair: (person: LookedUpPerson) => void;
  /** Numbers that are being looked up: each acknowledgement of a burst repeats the flag. */
  readonly #asking = new Set<string>();

  constructor(sock: WASocket, onPair: (person: LookedUpPerson) => void) {
    this.#sock = sock;
    this.#onPair = onPair;
  }

  /** Starts a look-up. Never fails: the next acknowledgement repeats the flag. @param jid of the person, as the acknowledgement names it */
  note(jid: string): void {
    this.#refresh(jid).catch(() => undefined);
  }

  async #refresh(jid: string): Promise<void> {
    const { lidMapping } = this.#sock.signalRepository;
    // look up the number, because the LID is outdated
    const { pn } = personOf(
      jid,
      parseJid(jid)?.kind === 'lid' ? await lidMapping.getPNForLID(jid) : undefined,
    );
    if (!pn || this.#asking.has(pn)) return;
    this.#asking.add(pn);
    try {
      const person = await byNumber(this.#sock, { kind: 'pn', user: pn });
      if (person?.lid) this.#onPair(person);
    } finally {
      this.#asking.delete(pn);
    }
  }
}

async function byNumber(sock: WASocket, address: Address): Promise<LookedUpPerson | undefined> {
  const query = new USyncQuery()
    .withContactProtocol()
    .withLIDProtocol()
    .withUser(new USyncUser().withPhone(`+${address.user}`));
  const found = (await ask(sock, query)).find(({ contact }) => contact === true);
  if (!found) return undefined;
  const pn = jidDecode(found.id)?.user ?? address.user;
  // do not use the library's mapping, which may be outdated: the number may have a new owner
  if (typeof found.lid !== 'string') return { pn, lid: '' };
  const pair = { lid: found.lid, pn: formatJid({ kind: 'pn', user: pn }) };
  await sock.signalRepository.lidMapping.storeLIDPNMappings([pair]);
  return { pn, lid: jidDecode(found.lid)?.user ?? '' };
}

/** Looks up a LID by its devices, which the send that usually follows can use. */
async function byLid(
  sock: WASocket,
  devices: Devices,
  address: Address,
): Promise<LookedUpPerson | undefined> {
  const jid = formatJid(address);
  if (!(await devices.exists(sock, jid).catch(failed))) return undefined;
  const pn = await sock.signalRepository.lidMapping.getPNForLID(jid);
  return { lid: address.user, pn: jidDecode(pn ?? undefined)?.user ?? '' };
}

async function ask(sock: WASocket, query: USyncQuery): Promise<USyncQueryResultList[]> {
  const answer = await sock.executeUSyncQuery(query).catch(failed);
  return answer ? answer.list : failed();
}

function failed(cause?: unknown): never {
  throw new GatewayError('lookup_failed', 'The network did not answer the look-up. Try again.', { cause });
}

/** Codes of the network: 401 and 403 for a picture that is hidden from this number, 404 for none. */
const HIDDEN = new Set([401, 403]);
const NONE = 404;

/**
 * Queries the address of a picture. The library's own function does not return its version.
 * @throws GatewayError `lookup_failed`
 */
export async function askPicture(
  sock: Pick<WASocket, 'query' | 'authState'>,
  address: Address,
  preview: boolean,
): Promise<Picture> {
  const type = preview ? 'preview' : 'image';
  const target = formatJid(address);
  const attrs = { target, to: S_WHATSAPP_NET, type: 'get', xmlns: 'w:profile:picture' };
  try {
    const content = await privacyToken(sock, target);
    const picture = { tag: 'picture', attrs: { type, query: 'url' }, content };
    const answer = await sock.query({ tag: 'iq', attrs, content: [picture] });
    const { id, url } = getBinaryNodeChild(answer, 'picture')?.attrs ?? {};
    return id && url ? { id, type, url } : { reason: 'none' };
  } catch (error) {
    const code = refusalCode(error);
    if (code === NONE) return { reason: 'none' };
    if (code !== undefined && HIDDEN.has(code)) return { reason: 'hidden' };
    throw lookupFailed(error);
  }
}

/** The token that a contact gave to this number; with it the network shows a picture that is hidden from strangers. */
async function privacyToken(
  { authState }: Pick<WASocket, 'authState'>,
  jid: string,
): Promise<BinaryNode[] | undefined> {
  const { [jid]: entry } = await authState.keys.get('tctoken', [jid]);
  if (!entry?.token.length) return undefined;
  return [{ tag: 'tctoken', attrs: { t: String(entry.timestamp ?? '') }, content: entry.token }];
}

/** Bytes; far more than any picture of a person or a group has. */
const MAX_BYTES = 5 * 1024 * 1024;
const GONE: ReadonlySet<number> = new Set([403, 404, 410]);

/**
 * Downloads a picture from the address that the network signed.
 * @throws GatewayError `media_gone`, `media_unfetchable`
 */
export async function fetchPicture(
  url: string,
  route: MediaRoute,
  signal?: AbortSignal,
): Promise<{ bytes: Uint8Array; mimeType: string }> {
  const address = addressOf({ url, directPath: '' });
  if (!address) throw new GatewayError('media_unfetchable', 'The picture is at no host of the network.');
  try {
    const answer = await fetchFile(address, route, { ...(signal && { signal }) });
    if (GONE.has(answer.statusCode)) {
      await answer.body.dump();
      throw new GatewayError(
        'media_gone',
        `The network does not have the picture (HTTP ${answer.statusCode}).`,
      );
    }
    const bytes = await collect(answer.body);
    if (answer.statusCode !== 200) throw new Error(`HTTP ${answer.statusCode}`);
    return { bytes, mimeType: String(answer.headers['content-type'] ?? 'image/jpeg') };
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    signal?.throwIfAborted();
    const failure = proxyFailureIn(error);
    if (failure) throw new GatewayError('proxy_failed', `${failure.message} The picture was not fetched.`);
    const why = errorMessage(error);
    throw new GatewayError('media_unfetchable', `The picture could not be fetched (${why}). Try again.`, {
      cause: error,
    });
  }
}

async function collect(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
