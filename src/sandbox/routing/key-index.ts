import { proto } from '@whiskeysockets/baileys';
import type { Account } from '../state/account.js';
import type { Network } from '../state/network.js';
import { sign } from '../wire/keys.js';
import { type Stanza, stanza } from '../wire/stanza.js';

/** Domain of the signature; `[6, 0]` and `[6, 1]` are those of a device's identity. */
const SIGNATURE_PREFIX = Buffer.from([6, 2]);

/**
 * The phone's signed list of the key indexes that are valid. Clients leave linked devices out whose list is not signed
 * (whatsapp-rust `iq/usync.rs`), and forget all devices when `rawId` changes, as after a reinstallation. The fields are those
 * of a list of the real network in Baileys issue 1886.
 */
export function keyIndexList(network: Network, account: Account): Stanza {
  const { keys, nextDevice } = account.record;
  const ts = network.now();
  const details = proto.ADVKeyIndexList.encode({
    rawId: keys.registrationId,
    timestamp: ts,
    currentIndex: nextDevice - 1,
    validIndexes: [0, ...account.companions.keys()],
    accountType: proto.ADVEncryptionType.E2EE,
  }).finish();
  const signed = proto.ADVSignedKeyIndexList.encode({
    details,
    accountSignature: sign(keys.identity, Buffer.concat([SIGNATURE_PREFIX, details])),
  }).finish();
  return stanza('key-index-list', { ts: String(ts) }, Buffer.from(signed));
}
