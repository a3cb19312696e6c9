import { prefixed, verify } from '../wire/keys.js';
import { bytesOf, child, childrenOf, readUint, type Stanza, stanza, uintBytes } from '../wire/stanza.js';

/** A public pre-key with its id. */
export interface PreKey {
  id: number;
  /** 32 bytes. */
  value: Buffer;
}

export interface SignedPreKey extends PreKey {
  /** XEdDSA by the device's identity over the prefixed key, 64 bytes. */
  signature: Buffer;
}

/** The keys that open a session with a device. */
export interface Bundle {
  registrationId: number;
  /** 32 bytes. */
  identity: Buffer;
  signedPreKey: SignedPreKey;
  /** One-time key; each is handed out once. Absent when the device has none left. */
  preKey?: PreKey;
}

const KEY_TYPE = Buffer.from([5]);

/** True when the signed pre-key was really made by that identity. */
export function isSignedBy(identity: Buffer, key: SignedPreKey): boolean {
  return verify(identity, prefixed(key.value), key.signature);
}

/** Reads `<key>` or the like: `<id/>` and `<value/>`. */
function readPreKey(element: Stanza | undefined): PreKey {
  return { id: readUint(bytesOf(child(element, 'id'))), value: bytesOf(child(element, 'value')) };
}

/** Reads `<skey>`. */
export function readSignedPreKey(element: Stanza | undefined): SignedPreKey {
  return { ...readPreKey(element), signature: bytesOf(child(element, 'signature')) };
}

/** Reads the bundle that a retry receipt may carry; undefined when it carries none. */
export function readRetryBundle(receipt: Stanza): Bundle | undefined {
  const keys = child(receipt, 'keys');
  if (!keys) return undefined;
  const oneTime = child(keys, 'key');
  return {
    registrationId: readUint(bytesOf(child(receipt, 'registration'))),
    identity: bytesOf(child(keys, 'identity')),
    signedPreKey: readSignedPreKey(child(keys, 'skey')),
    preKey: oneTime && readPreKey(oneTime),
  };
}

/** Writes a bundle as the children of a `<user>` in the answer to a key query. */
export function bundleElements(bundle: Bundle): Stanza[] {
  const { signedPreKey, preKey } = bundle;
  return [
    stanza('registration', {}, uintBytes(bundle.registrationId, 4)),
    stanza('type', {}, KEY_TYPE),
    stanza('identity', {}, bundle.identity),
    stanza('skey', {}, [...keyElements(signedPreKey), stanza('signature', {}, signedPreKey.signature)]),
    ...(preKey ? [stanza('key', {}, keyElements(preKey))] : []),
  ];
}

/** Reads an upload's one-time keys. */
export function readUploadedKeys(upload: Stanza): PreKey[] {
  return childrenOf(child(upload, 'list')).map((key) => readPreKey(key));
}

function keyElements(key: PreKey): Stanza[] {
  return [stanza('id', {}, uintBytes(key.id, 3)), stanza('value', {}, key.value)];
}
