import { type BinaryNode, getBinaryNodeChild, S_WHATSAPP_NET, type WASocket } from '@whiskeysockets/baileys';
import { type Address, formatJid } from '../../../domain/address.js';
import type { Picture } from '../../port/people.js';
import { lookupFailed, refusalCode } from '../refusal.js';

/** Codes of the network: 401 and 403 for a picture that is hidden from this number, 404 for none. */
const HIDDEN = new Set([401, 403]);
const NONE = 404;

/**
 * Asks where somebody's picture is. The library's own function gives the address without the version.
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

/** Who has given the number a token shows the picture to it even where strangers may not see it. */
async function privacyToken(
  { authState }: Pick<WASocket, 'authState'>,
  jid: string,
): Promise<BinaryNode[] | undefined> {
  const { [jid]: entry } = await authState.keys.get('tctoken', [jid]);
  if (!entry?.token.length) return undefined;
  return [{ tag: 'tctoken', attrs: { t: String(entry.timestamp ?? '') }, content: entry.token }];
}
