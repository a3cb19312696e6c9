import { type BinaryNode, getBinaryNodeChild, type WASocket } from '@whiskeysockets/baileys';
import { formatJid, parseJid, personOf } from '../../../domain/address.js';

/** Both addresses of somebody: jids without device. */
export interface Pair {
  lid: string;
  pn: string;
}

/** Whose picture a `<notification type="picture">` is about: a jid without device; undefined when it does not tell. */
export function pictureOwner(node: BinaryNode): string | undefined {
  const change = getBinaryNodeChild(node, 'set') ?? getBinaryNodeChild(node, 'delete');
  const owner = parseJid(change?.attrs.jid) ?? parseJid(node.attrs.from);
  return owner && formatJid(owner);
}

/** The new number of somebody, out of a `<notification type="contacts">`; undefined when it tells of none. */
export function changedNumber(node: BinaryNode): Pair | undefined {
  const { new: now, new_lid: nowLid, old_lid: formerLid } = getBinaryNodeChild(node, 'modify')?.attrs ?? {};
  const { lid, pn } = personOf(now, nowLid, formerLid);
  if (!lid || !pn) return undefined;
  return { lid: formatJid({ kind: 'lid', user: lid }), pn: formatJid({ kind: 'pn', user: pn }) };
}

/** Lets the library know too: what it remembers of the LID would bring the old number back. */
export async function noteNumber(sock: Pick<WASocket, 'signalRepository'>, pair: Pair): Promise<void> {
  await sock.signalRepository.lidMapping.storeLIDPNMappings([pair]);
}
