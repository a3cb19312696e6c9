import Joi from 'joi';
import {
  anyFields,
  count,
  flag,
  listOf,
  named,
  oneOf,
  optional,
  record,
  type TypeOf,
  text,
} from '../schema.js';
import { numberParams, shortText, whole } from './fields.js';
import { controlOperation } from './operation.js';
import { deviceView, LINKED } from './phones.js';

const MAX_QR = 1_000;
const MAX_QRS = 100;
const MAX_REFRESHES = 20;
const CODE_CHARS = /^[0-9A-Z]{8}$/;

const qr = shortText(MAX_QR);
/** A code that a device shows; case, spaces and dashes do not count. */
const pairingCode = Joi.string()
  .uppercase()
  .replace(/[\s-]/g, '')
  .pattern(CODE_CHARS, 'pairing code')
  .messages({ 'string.pattern.name': '{{#label}} must be 8 letters and digits' })
  .example('ABCD-1234');

/** The steps of linking a device, in their order; passkey steps only where the phone demands a passkey. */
export const PAIRING_STEPS = [
  'pair-device',
  'companion-hello',
  'primary-hello',
  'companion-finish',
  'passkey-request',
  'passkey-options',
  'passkey-ref',
  'passkey-prologue',
  'passkey-continuation',
  'passkey-nonce',
  'passkey-pairing-request',
  'pair-success',
  'pair-device-sign',
  'restart',
] as const;
export const pairingStep = oneOf(...PAIRING_STEPS).meta({ name: 'PairingStep' });
export type PairingStep = TypeOf<typeof pairingStep>;

/** A step of the passkey ceremony, as the phone shows it. */
export const passkeyView = named('PasskeyView', {
  step: oneOf('none', 'assertion', 'waiting', 'confirm', 'finishing'),
  code: optional(text).description(
    'The code that the owner compares with that of the device: `XXXX-XXXX`, while the step is `confirm`',
  ),
  handoffProved: optional(flag).description(
    'The device has proved that it knows the secret of the QR or the code',
  ),
});
export type PasskeyView = TypeOf<typeof passkeyView>;

/** The JSON of a WebAuthn assertion; bytes are base64url. */
const passkeyAssertion = named('PasskeyAssertion', {
  id: text,
  rawId: text,
  type: oneOf('public-key'),
  response: record({
    clientDataJSON: text,
    authenticatorData: text,
    signature: text,
    userHandle: Joi.string<string | null>().allow(null, ''),
  }),
  clientExtensionResults: anyFields(),
  authenticatorAttachment: text,
});
export type PasskeyAssertion = TypeOf<typeof passkeyAssertion>;

/** Parts of an assertion that a relying party must refuse. */
export const ASSERTION_FLAWS = ['signature', 'challenge', 'origin', 'rpId', 'flags'] as const;
const assertionFlaw = oneOf(...ASSERTION_FLAWS).meta({
  name: 'AssertionFlaw',
});
export type AssertionFlaw = TypeOf<typeof assertionFlaw>;

/** Asks all devices that are being linked to make another secret. */
const refreshRequest = named('RefreshRequest', {
  count: optional(whole(1, MAX_REFRESHES).description('How many times in a row; 1 by default')),
  element: optional(
    oneOf('companion_reg_refresh', 'pair-device-rotate-qr').description(
      'The element of the notification; `companion_reg_refresh` by default',
    ),
  ),
  qrs: optional(
    listOf(qr)
      .max(MAX_QRS)
      .description('QRs that were shown before; phones refuse their secrets from then on'),
  ),
});
export type RefreshRequest = TypeOf<typeof refreshRequest>;

const refreshResult = named('RefreshResult', {
  devices: count.description('Devices that were asked'),
  acknowledged: count.description('Acknowledgements that came; `count` of each device where all is well'),
});
export type RefreshResult = TypeOf<typeof refreshResult>;

const LINK_ERRORS = [
  'link_refused',
  'link_busy',
  'device_gone',
  'device_silent',
  'passkey_declined',
] as const;
const passkeyAnswer = { answer: passkeyView, example: { step: 'waiting' } as const };

/** Linking and unlinking devices, and the passkey ceremony. */
export const linking = {
  scan: controlOperation({
    method: 'POST',
    path: '/phones/{number}/scan',
    summary: 'Scan a pairing QR with the phone',
    description: 'Answers when the device is linked.',
    params: numberParams,
    body: record({ qr: qr.example('2@…') }),
    answer: record({ device: deviceView }),
    example: LINKED,
    errors: ['qr_invalid', 'qr_expired', ...LINK_ERRORS],
    client: { takes: ['qr'], gives: 'device' },
  }),
  refreshPairings: controlOperation({
    method: 'POST',
    path: '/pairings/refresh',
    summary: 'Ask all devices that are being linked for another secret',
    description: 'Answers once they have acknowledged it.',
    body: refreshRequest,
    answer: refreshResult,
    example: { devices: 1, acknowledged: 1 },
  }),
  enterCode: controlOperation({
    method: 'POST',
    path: '/phones/{number}/enter-code',
    summary: "Type a device's pairing code on the phone",
    description: 'Answers when the device is linked.',
    params: numberParams,
    body: record({ code: pairingCode }),
    answer: record({ device: deviceView }),
    example: LINKED,
    errors: ['code_not_awaited', 'code_expired', 'code_wrong', 'code_busy', ...LINK_ERRORS],
    client: { takes: ['code'], gives: 'device' },
  }),
  unlink: controlOperation({
    method: 'POST',
    path: '/phones/{number}/unlink',
    summary: 'Remove all linked devices of a phone',
    params: numberParams,
    answer: record({ unlinked: count }),
    example: { unlinked: 1 },
  }),
  passkey: controlOperation({
    method: 'GET',
    path: '/phones/{number}/passkey',
    summary: 'Show the step of the passkey ceremony, as the phone shows it',
    params: numberParams,
    ...passkeyAnswer,
  }),
  requestPasskey: controlOperation({
    method: 'POST',
    path: '/phones/{number}/passkey/request',
    summary: "Demand the person's passkey from all devices that are being linked, before a QR is scanned",
    params: numberParams,
    answer: record({ devices: count }),
    example: { devices: 1 },
    errors: ['link_busy'],
  }),
  assertPasskey: controlOperation({
    method: 'POST',
    path: '/phones/{number}/passkey/assertion',
    summary: "Sign with the authenticator of the phone's owner",
    params: numberParams,
    body: record({
      options: anyFields().description('The WebAuthn request options that the device shows'),
      flaw: optional(assertionFlaw.description('Spoils a part of the assertion')),
    }),
    answer: passkeyAssertion,
    example: {
      id: 'AQID',
      rawId: 'AQID',
      type: 'public-key',
      response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA', userHandle: null },
      clientExtensionResults: {},
      authenticatorAttachment: 'platform',
    },
    errors: ['passkey_missing', 'passkey_options_invalid', 'passkey_not_allowed'],
    client: { takes: ['options', 'flaw'] },
  }),
  confirmPasskey: controlOperation({
    method: 'POST',
    path: '/phones/{number}/passkey/confirm',
    summary: "Confirm on the phone that the device shows the phone's code",
    params: numberParams,
    body: record({ code: pairingCode }),
    ...passkeyAnswer,
    errors: ['passkey_not_asked', 'passkey_code_wrong'],
    client: { takes: ['code'] },
  }),
  declinePasskey: controlOperation({
    method: 'POST',
    path: '/phones/{number}/passkey/decline',
    summary: 'Decline the device on the phone',
    params: numberParams,
    errors: ['passkey_not_asked'],
  }),
};
