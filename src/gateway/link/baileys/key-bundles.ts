import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  isPnUser,
  parseAndInjectE2ESessions,
  S_WHATSAPP_NET,
  type WASocket,
} from '@whiskeysockets/baileys';
import { refusalCode } from './reasons.js';

const LOWEST_REFUSAL = 400;
const LOWEST_FAILURE = 500;
const TOO_MANY_REQUESTS = 429;

/** A device, and the jid under which its session is stored: that of the LID if it is known. */
interface Wanted {
  jid: string;
  wire: string;
}

/**
 * Opens sessions with devices in one query, before the library does so for a message: if one device has no keys on the
 * server, the library fails the whole send.
 * @returns the devices that have no keys
 * @throws when the network does not answer
 */
export async function devicesWithoutKeys(sock: WASocket, jids: readonly string[]): Promise<Set<string>> {
  const wanted = await withoutSession(sock, jids);
  if (wanted.length === 0) return new Set();
  const users = await askKeys(sock, wanted);
  const usable = users.filter(
    (user) => !getBinaryNodeChild(user, 'error') && getBinaryNodeChild(user, 'identity'),
  );
  // compare by jid: the address of a device may have become known meanwhile
  const missing = new Set((await withoutSession(sock, jids)).map(({ jid }) => jid));
  const begun = new Set(wanted.filter(({ jid }) => !missing.has(jid)).map(({ wire }) => wire));
  // skip devices that wrote first meanwhile: a new session would only replace the one that they have begun
  const needed = usable.filter(({ attrs }) => !begun.has(attrs.jid ?? ''));
  await parseAndInjectE2ESessions(listOf(needed), sock.signalRepository);
  const left = await withoutSession(
    sock,
    wanted.map(({ jid }) => jid),
  );
  return new Set(left.map(({ jid }) => jid));
}

async function withoutSession(sock: WASocket, jids: readonly string[]): Promise<Wanted[]> {
  const checked = await Promise.all(
    jids.map(async (jid) => ({ jid, ...(await sock.signalRepository.validateSession(jid)) })),
  );
  const missing = checked.filter(({ exists }) => !exists).map(({ jid }) => jid);
  const numbers = missing.filter((jid) => isPnUser(jid));
  const pairs = numbers.length > 0 ? await sock.signalRepository.lidMapping.getLIDsForPNs(numbers) : [];
  const lids = new Map((pairs ?? []).map(({ pn, lid }) => [pn, lid]));
  return missing.map((jid) => ({ jid, wire: lids.get(jid) ?? jid }));
}

/** The `<user>` elements of the answer; none if the server has no keys of any of the devices. */
async function askKeys(sock: WASocket, wanted: readonly Wanted[]): Promise<BinaryNode[]> {
  const content = wanted.map(({ wire }) => ({ tag: 'user', attrs: { jid: wire } }));
  const attrs = { xmlns: 'encrypt', type: 'get', to: S_WHATSAPP_NET };
  try {
    const answer: BinaryNode = await sock.query({
      tag: 'iq',
      attrs,
      content: [{ tag: 'key', attrs: {}, content }],
    });
    return getBinaryNodeChildren(getBinaryNodeChild(answer, 'list'), 'user');
  } catch (error) {
    if (isRefusal(error)) return [];
    throw error;
  }
}

function listOf(users: BinaryNode[]): BinaryNode {
  return { tag: 'iq', attrs: {}, content: [{ tag: 'list', attrs: {}, content: users }] };
}

/** True when the server said that it has no keys. */
function isRefusal(error: unknown): boolean {
  const code = refusalCode(error) ?? 0;
  return code >= LOWEST_REFUSAL && code < LOWEST_FAILURE && code !== TOO_MANY_REQUESTS;
}
