import type { Network } from '../network.js';
import type { KeyOwner } from '../signal/sender-keys.js';
import { bytesOf, type Stanza } from '../wire/stanza.js';
import type { Phone } from './phone.js';

/** In groups of more members phones do not all decrypt the key that they are given: it is the same for all. */
const CROWD = 32;

/**
 * The message for everybody, when an `<enc>` beside it only brings one member of a large group the key for it.
 * @returns undefined for any other `<enc>`
 */
export function sealedForCrowd(
  network: Network,
  { attrs }: Stanza,
  encs: Stanza[],
  enc: Stanza,
): Stanza | undefined {
  const isCrowd = (network.groups.byJid(attrs.from)?.size ?? 0) > CROWD;
  return isCrowd && enc.attrs.type !== 'skmsg' ? encs.find((one) => one.attrs.type === 'skmsg') : undefined;
}

/**
 * Takes a key that all members of a large group are given: the first phone reads it, the others only when they need
 * the session that it came by.
 * @throws when the first phone cannot read it
 */
export async function takeCrowdKey(
  network: Network,
  phone: Phone,
  owner: KeyOwner,
  { enc, sealed }: { enc: Stanza; sealed: Stanza },
  read: (enc: Stanza) => Promise<void>,
): Promise<void> {
  const position = network.senderKeys.positionOf(bytesOf(sealed));
  if (await network.senderKeys.learnOnce(owner, position.keyId, () => read(enc))) return;
  phone.groupKeys.note(owner, position);
  phone.signal.defer(owner.sender, enc.attrs.type === 'pkmsg' ? 'pkmsg' : 'msg', bytesOf(enc));
}
