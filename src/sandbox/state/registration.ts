import { proto } from '@whiskeysockets/baileys';
import type { PayloadView } from '../../contract/sandbox/index.js';
import { isSignedBy, type SignedPreKey } from '../signal/prekeys.js';
import { ProtocolError } from '../wire/frames.js';
import { readUint } from '../wire/stanza.js';

/** The keys that a device presents when it connects to be linked. */
export interface Registration {
  noiseKey: Buffer;
  identity: Buffer;
  registrationId: number;
  signedPreKey: SignedPreKey;
  /** `Chrome (Mac OS)` */
  platform: string;
  /** The whole payload without keys, for the control API. */
  payload: { payload: PayloadView; deviceProps: PayloadView };
}

const NO_BYTES = Buffer.alloc(0);
const READABLE = { enums: String, longs: Number, bytes: String };

/**
 * Reads the registration in a client's payload.
 * @throws ProtocolError when it is missing, or the identity did not sign the pre-key
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
  const deviceProps = proto.DeviceProps.decode(data.deviceProps ?? NO_BYTES);
  return {
    noiseKey,
    identity,
    registrationId,
    signedPreKey,
    platform: platformOf(deviceProps),
    payload: {
      payload: viewPayload(payload),
      deviceProps: proto.DeviceProps.toObject(deviceProps, READABLE),
    },
  };
}

/** A client's payload as the control API shows it: of the registration only the hash of the build. */
export function viewPayload(payload: proto.IClientPayload): PayloadView {
  const { devicePairingData, ...rest } = payload;
  const shown = proto.ClientPayload.toObject(proto.ClientPayload.create(rest), READABLE);
  if (!devicePairingData) return shown;
  const buildHash = Buffer.from(devicePairingData.buildHash ?? NO_BYTES).toString('base64');
  return { ...shown, devicePairingData: { buildHash } };
}

function platformOf(props: proto.DeviceProps): string {
  const type = proto.DeviceProps.PlatformType[props.platformType ?? 0] ?? 'UNKNOWN';
  return `${type.charAt(0)}${type.slice(1).toLowerCase().replaceAll('_', ' ')} (${props.os ?? '?'})`;
}
