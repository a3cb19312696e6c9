import { proto } from '@whiskeysockets/baileys';
import { isSignedBy, type SignedPreKey } from '../prekeys.js';
import { ProtocolError } from '../wire/frames.js';
import { readUint } from '../wire/stanza.js';

/** What a device presents when it connects to be linked. */
export interface Registration {
  noiseKey: Buffer;
  identity: Buffer;
  registrationId: number;
  signedPreKey: SignedPreKey;
  /** `Chrome (Mac OS)` */
  platform: string;
}

const NO_BYTES = Buffer.alloc(0);

/**
 * Reads the registration in a client's payload.
 * @throws ProtocolError when it has none, or when the signed pre-key is not signed by the identity.
 */
export function readRegistration(payload: proto.IClientPayload, noiseKey: Buffer): Registration {
  const data = payload.devicePairingData;
  if (!data) throw new ProtocolError('neither a login nor a registration');
  const identity = Buffer.from(data.eIdent ?? NO_BYTES);
  const signedPreKey = {
    id: readUint(data.eSkeyId ?? NO_BYTES),
    value: Buffer.from(data.eSkeyVal ?? NO_BYTES),
    signature: Buffer.from(data.eSkeySig ?? NO_BYTES),
  };
  if (!isSignedBy(identity, signedPreKey)) throw new ProtocolError('signed pre-key has a bad signature');
  const registrationId = readUint(data.eRegid ?? NO_BYTES);
  return {
    noiseKey,
    identity,
    registrationId,
    signedPreKey,
    platform: platformOf(data.deviceProps ?? NO_BYTES),
  };
}

function platformOf(encoded: Uint8Array): string {
  const props = proto.DeviceProps.decode(encoded);
  const type = proto.DeviceProps.PlatformType[props.platformType ?? 0] ?? 'UNKNOWN';
  return `${type.charAt(0)}${type.slice(1).toLowerCase().replaceAll('_', ' ')} (${props.os ?? '?'})`;
}
