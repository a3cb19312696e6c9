import { createHmac } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';
import { type KeyPair, sign, verify } from '../wire/keys.js';

const ACCOUNT_SIGNATURE_PREFIX = Buffer.from([6, 0]);
const DEVICE_SIGNATURE_PREFIX = Buffer.from([6, 1]);

/** The phone's half of a device's identity proof. */
export interface PhoneProof {
  /** Encoded `ADVDeviceIdentity`. */
  details: Buffer;
  accountSignature: Buffer;
  keyIndex: number;
  /** Encoded `ADVSignedDeviceIdentityHMAC`, as `pair-success` carries it. */
  container: Buffer;
}

/**
 * The phone signs the device's identity with its own, and proves by HMAC that it knows the secret of the QR or the
 * typed code.
 */
export function signDevice(
  phone: KeyPair,
  device: {
    identity: Buffer;
    advSecret: Buffer;
    /** The same for all devices of a phone, until it is reinstalled. */
    rawId: number;
    keyIndex: number;
    nowS: number;
    /** Signs in place of the phone, for a signature that does not verify. */
    signWith?: KeyPair;
  },
): PhoneProof {
  const details = proto.ADVDeviceIdentity.encode({
    rawId: device.rawId,
    timestamp: device.nowS,
    keyIndex: device.keyIndex,
    accountType: proto.ADVEncryptionType.E2EE,
    deviceType: proto.ADVEncryptionType.E2EE,
  }).finish();
  const message = Buffer.concat([ACCOUNT_SIGNATURE_PREFIX, details, device.identity]);
  const accountSignature = sign(device.signWith ?? phone, message);
  const signed = proto.ADVSignedDeviceIdentity.encode({
    details,
    accountSignatureKey: phone.public,
    accountSignature,
  }).finish();
  const hmac = createHmac('sha256', device.advSecret).update(signed).digest();
  const container = proto.ADVSignedDeviceIdentityHMAC.encode({
    details: signed,
    hmac,
    accountType: proto.ADVEncryptionType.E2EE,
  }).finish();
  return {
    details: Buffer.from(details),
    accountSignature,
    keyIndex: device.keyIndex,
    container: Buffer.from(container),
  };
}

/**
 * Checks the device's answer to `signDevice`.
 * @returns the complete encoded proof, or undefined when the device's signature is not valid.
 */
export function completeProof(
  phone: KeyPair,
  proof: PhoneProof,
  identity: Buffer,
  answer: Buffer,
): Buffer | undefined {
  const { deviceSignature, details } = proto.ADVSignedDeviceIdentity.decode(answer);
  if (!deviceSignature || !details || !proof.details.equals(details)) return undefined;
  const message = Buffer.concat([DEVICE_SIGNATURE_PREFIX, proof.details, identity, phone.public]);
  if (!verify(identity, message, deviceSignature)) return undefined;
  const complete = proto.ADVSignedDeviceIdentity.encode({
    details: proof.details,
    accountSignatureKey: phone.public,
    accountSignature: proof.accountSignature,
    deviceSignature,
  });
  return Buffer.from(complete.finish());
}
