import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import Joi from 'joi';
import type { AssertionFlaw, PasskeyAssertion } from '../../contract/sandbox/index.js';
import { parseJson } from '../../domain/json.js';
import type { Passkey } from '../state/records.js';
import { Refusal } from '../wire/refusals.js';

/** The relying party and the only origin that may ask for its passkeys. */
export const RELYING_PARTY = 'whatsapp.com';
const ORIGIN = 'https://web.whatsapp.com';
const CREDENTIAL_BYTES = 32;
/** WebAuthn, "authenticator data": user present, user verified. */
const PRESENT = 0x01;
const VERIFIED = 0x04;
const RP_HASH_BYTES = 32;
const DATA_BYTES = RP_HASH_BYTES + 5;

export function createPasskey(): Passkey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    credentialId: randomBytes(CREDENTIAL_BYTES).toString('base64url'),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
    signCount: 0,
  };
}

interface RequestOptions {
  challenge: string;
  rpId: string;
  allowCredentials?: { id: string }[];
}

const REQUEST_OPTIONS = Joi.object<RequestOptions>({
  challenge: Joi.string().required(),
  rpId: Joi.string().required(),
  allowCredentials: Joi.array().items(Joi.object({ id: Joi.string().required() }).unknown()),
})
  .unknown()
  .required();

/**
 * What the browser of the account's owner does at `navigator.credentials.get()` on web.whatsapp.com. Counts up the
 * passkey's signatures.
 * @param flaw makes an assertion that a relying party must refuse
 * @throws Refusal 400 where a browser refuses: another relying party, or no passkey of the list
 */
export function assert(passkey: Passkey, given: object, flaw?: AssertionFlaw): PasskeyAssertion {
  const { value: options, error } = REQUEST_OPTIONS.validate(given);
  if (error)
    throw new Refusal('passkey_options_invalid', `these are no WebAuthn request options: ${error.message}`);
  const { challenge, rpId, allowCredentials = [] } = options;
  if (rpId !== RELYING_PARTY)
    throw new Refusal('passkey_not_allowed', `SecurityError: ${ORIGIN} may not ask for passkeys of ${rpId}`);
  if (allowCredentials.length > 0 && !allowCredentials.some(({ id }) => id === passkey.credentialId))
    throw new Refusal('passkey_not_allowed', 'NotAllowedError: the person has none of these passkeys');
  passkey.signCount++;
  const clientData = Buffer.from(
    JSON.stringify({
      type: 'webauthn.get',
      challenge: flaw === 'challenge' ? randomBytes(32).toString('base64url') : challenge,
      origin: flaw === 'origin' ? 'https://example.org' : ORIGIN,
      crossOrigin: false,
    }),
  );
  const data = Buffer.alloc(DATA_BYTES);
  sha256(Buffer.from(flaw === 'rpId' ? 'example.org' : rpId)).copy(data);
  data.writeUInt8(flaw === 'flags' ? PRESENT : PRESENT | VERIFIED, RP_HASH_BYTES);
  data.writeUInt32BE(passkey.signCount, RP_HASH_BYTES + 1);
  const signer = flaw === 'signature' ? createPasskey() : passkey;
  const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), privateKeyOf(signer));
  return {
    id: passkey.credentialId,
    rawId: passkey.credentialId,
    type: 'public-key',
    response: {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: null,
    },
    clientExtensionResults: {},
    authenticatorAttachment: 'platform',
  };
}

const base64url = Joi.string()
  .pattern(/^[A-Za-z0-9_-]+=*$/)
  .required();

const ASSERTION = Joi.object<PasskeyAssertion>({
  id: base64url,
  rawId: base64url,
  type: Joi.string().valid('public-key').required(),
  response: Joi.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
  })
    .unknown()
    .required(),
})
  .unknown()
  .required();

const CLIENT_DATA = Joi.object<{ type: string; challenge: string; origin: string }>({
  type: Joi.string().valid('webauthn.get').required(),
  challenge: base64url,
  origin: Joi.string().valid(ORIGIN).required(),
})
  .unknown()
  .required();

/**
 * The relying party's checks, in the order of WebAuthn level 2, section 7.2.
 * @param json the assertion as the client sent it
 * @returns what does not hold; undefined when the assertion is valid
 */
export function flawOf(
  passkey: Passkey,
  json: Buffer,
  challenge: string,
  signCount: number,
): string | undefined {
  const { value: assertion, error } = ASSERTION.validate(parseJson(json.toString()));
  if (error) return 'the assertion is malformed';
  if (!isSame(assertion.rawId, passkey.credentialId)) return 'another passkey';
  const { response } = assertion;
  const clientData = Buffer.from(response.clientDataJSON, 'base64url');
  const client = CLIENT_DATA.validate(parseJson(clientData.toString()));
  if (client.error) return 'another origin or type';
  if (!isSame(client.value.challenge, challenge)) return 'another challenge';
  const data = Buffer.from(response.authenticatorData, 'base64url');
  if (data.length < DATA_BYTES) return 'the authenticator data is too short';
  if (!data.subarray(0, RP_HASH_BYTES).equals(sha256(Buffer.from(RELYING_PARTY))))
    return 'another relying party';
  const flags = data.readUInt8(RP_HASH_BYTES);
  if (!(flags & PRESENT && flags & VERIFIED)) return 'the person was not verified';
  const signed = Buffer.concat([data, sha256(clientData)]);
  const signature = Buffer.from(response.signature, 'base64url');
  if (!verify('sha256', signed, createPublicKey(privateKeyOf(passkey)), signature))
    return 'the signature is not valid';
  return data.readUInt32BE(RP_HASH_BYTES + 1) > signCount ? undefined : 'the assertion was used before';
}

function privateKeyOf({ privateKey }: Passkey) {
  return createPrivateKey({ key: Buffer.from(privateKey, 'base64'), type: 'pkcs8', format: 'der' });
}

function isSame(one: string, other: string): boolean {
  return Buffer.from(one, 'base64url').equals(Buffer.from(other, 'base64url'));
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
