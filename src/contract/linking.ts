import Joi from 'joi';
import { operation } from './operation.js';
import {
  anyFields,
  clientId,
  count,
  named,
  ok,
  oneOf,
  optional,
  record,
  requiredClient,
  type TypeOf,
  text,
  time,
} from './schema.js';

/** The assets of the pairing page. */
export const PAIR_PAGE_FILES = ['page.js', 'page.css', 'icon.svg'] as const;

const BASE64URL = /^[A-Za-z0-9_-]+={0,2}$/;
/** Characters of one binary value of an assertion; real ones have some hundred. */
const VALUE_LENGTH = 16_384;
const binary = Joi.string().max(VALUE_LENGTH).pattern(BASE64URL).messages({
  // Joi's own message would repeat the value
  'string.pattern.base': '{#label} must be base64url',
});

export const phone = Joi.string()
  .pattern(/^\+?[1-9][0-9]{4,14}$/)
  .messages({ 'string.pattern.base': '{#label} must be digits with the country code, such as 15550000001' })
  .description('Digits with the country code, `+` optional')
  .example('15550000001');

/** A WebAuthn assertion as browsers write it; additional fields are accepted. */
export const assertion = named('WebAuthnAssertion', {
  id: binary,
  rawId: binary,
  type: oneOf('public-key'),
  response: record({
    clientDataJSON: binary,
    authenticatorData: binary,
    signature: binary,
    userHandle: optional(binary.allow(null, '')),
  }).unknown(),
  clientExtensionResults: optional(anyFields()),
  authenticatorAttachment: optional(Joi.string().max(64).allow(null, '')),
})
  .unknown()
  .description("The owner's WebAuthn assertion, as browsers write it")
  .example({
    id: 'Y3JlZGVudGlhbA',
    rawId: 'Y3JlZGVudGlhbA',
    type: 'public-key',
    response: { clientDataJSON: 'e30', authenticatorData: 'AAAA', signature: 'AAAA', userHandle: null },
  });

const passkeyFields = {
  step: oneOf('assertion_needed', 'sending', 'confirm_code', 'finishing').description(
    '`assertion_needed`: answer with `POST /passkey`; `confirm_code`: compare the code with the phone, then `POST /passkey/confirm`',
  ),
  options: optional(anyFields()).description(
    'WebAuthn request options of the network, while the step is `assertion_needed`',
  ),
  code: optional(text).description('`XXXX-XXXX`, while the step is `confirm_code`'),
  secondsLeft: count.description('Seconds until the network gives up on this step'),
};

export const passkeyAnswer = named('PasskeyAnswer', {
  clientId,
  ...passkeyFields,
  step: oneOf('none', 'assertion_needed', 'sending', 'confirm_code', 'finishing').description(
    '`none`: no passkey is required; `assertion_needed`: answer with `POST /passkey`; `confirm_code`: compare the code with the phone, then `POST /passkey/confirm`',
  ),
});

export const pairLinkAnswer = named('PairLinkAnswer', {
  clientId,
  url: text.description('The page where the owner links the number'),
  expiresAt: time,
});

export const pairState = named('PairState', {
  status: oneOf('waiting', 'qr', 'passkey', 'linked', 'stopped').description(
    '`stopped`: the pairing waits until a new QR code is requested',
  ),
  reason: text.description('Why the pairing waits or has stopped; may be empty'),
  reasonCode: optional(text).description('The reason as a code for programs; absent without a reason'),
  qr: optional(text).description('The QR code as an SVG data URL'),
  code: optional(text).description('The requested pairing code, while it is valid'),
  passkey: optional(
    named('PairPasskey', {
      ...passkeyFields,
      snippet: optional(text).description(
        'A script for the console of web.whatsapp.com, which asks the browser for the passkey and returns to the page',
      ),
    }),
  ),
  secondsLeft: count.description('Seconds until the address expires'),
});

export type PasskeyAnswer = TypeOf<typeof passkeyAnswer>;
export type PairLinkAnswer = TypeOf<typeof pairLinkAnswer>;
export type PairState = TypeOf<typeof pairState>;
export type PairPasskey = NonNullable<PairState['passkey']>;

const token = Joi.string().max(256);
/** Everything below a one-time address: its token is the permission. */
const underToken = {
  owner: 'session',
  access: 'open',
  pathIsSecret: true,
  params: record({ token }),
} as const;
const answered = { answer: record({ ok }), example: { ok: true } } as const;

const DURING_CEREMONY = ['passkey_not_asked', 'passkey_expired', 'passkey_refused'] as const;

export const linking = {
  getPasskey: operation({
    method: 'GET',
    path: '/passkey',
    owner: 'session',
    summary: 'Get the step of the passkey ceremony that WhatsApp may demand during a pairing',
    query: requiredClient,
    answer: passkeyAnswer,
    example: {
      clientId: 'acme',
      step: 'assertion_needed',
      options: { challenge: 'Y2hhbGxlbmdl', rpId: 'whatsapp.com', userVerification: 'required' },
      secondsLeft: 240,
    },
  }),
  answerPasskey: operation({
    method: 'POST',
    path: '/passkey',
    owner: 'session',
    summary: "Answer the passkey demand with the assertion of the number's owner",
    body: record({ clientId, assertion }),
    answer: passkeyAnswer,
    example: { clientId: 'acme', step: 'sending', secondsLeft: 60 },
    errors: ['passkey_malformed', ...DURING_CEREMONY],
  }),
  confirmPasskey: operation({
    method: 'POST',
    path: '/passkey/confirm',
    owner: 'session',
    summary: "Finish the passkey ceremony after the owner compared the code with the phone's",
    body: requiredClient,
    answer: passkeyAnswer,
    example: { clientId: 'acme', step: 'finishing', secondsLeft: 60 },
    errors: DURING_CEREMONY,
  }),
  createPairLink: operation({
    method: 'POST',
    path: '/pair-link',
    owner: 'session',
    summary: "Create a one-time address where the number's owner links it; it replaces an earlier one",
    description: '409 (`session_already_paired`) if the session is already paired.',
    body: requiredClient,
    answer: pairLinkAnswer,
    example: {
      clientId: 'acme',
      url: 'https://gateway.example.com/pair/acme.aGVsbG8',
      expiresAt: '2026-11-22T10:15:00.000Z',
    },
    errors: ['session_already_paired'],
  }),
  getPairPage: operation({
    method: 'GET',
    path: '/pair/{token}',
    ...underToken,
    summary: 'Get the page of a one-time address',
    description:
      'The page uses the routes below `/pair/{token}/` and `/pair-page/`, see [openapi.json](openapi.json). 404 (`pair_link_unknown`) for an unknown or expired address.',
    // accept any query, because mails and chats add parameters to links
    query: Joi.object<object>().unknown(),
    answer: 'text/html',
    alsoAnswers: { 404: 'A page for people that says that the address is unknown or has expired' },
    errors: ['pair_link_unknown'],
  }),
  getPairState: operation({
    method: 'GET',
    path: '/pair/{token}/state',
    ...underToken,
    summary: 'Get the state of the pairing behind a one-time address',
    answer: pairState,
    example: { status: 'waiting', reason: '', secondsLeft: 900 },
    errors: ['pair_link_unknown'],
  }),
  startPair: operation({
    method: 'POST',
    path: '/pair/{token}/start',
    ...underToken,
    summary: 'Ask for new QR codes after the last ones expired',
    ...answered,
    errors: ['pair_link_unknown'],
  }),
  requestPairCode: operation({
    method: 'POST',
    path: '/pair/{token}/code',
    ...underToken,
    summary: 'Get a code to type on the phone, instead of scanning the QR',
    body: record({ phone }),
    answer: record({ code: text }),
    example: { code: 'ABCD-EFGH' },
    errors: ['pair_link_unknown', 'session_already_paired', 'pairing_code_refused'],
  }),
  answerPairPasskey: operation({
    method: 'POST',
    path: '/pair/{token}/passkey',
    ...underToken,
    summary: "Answer the passkey demand with the assertion of the number's owner",
    body: record({ assertion }),
    ...answered,
    errors: ['pair_link_unknown', 'passkey_malformed', ...DURING_CEREMONY],
  }),
  confirmPairPasskey: operation({
    method: 'POST',
    path: '/pair/{token}/passkey/confirm',
    ...underToken,
    summary: "Finish the passkey ceremony after the owner compared the code with the phone's",
    ...answered,
    errors: ['pair_link_unknown', ...DURING_CEREMONY],
  }),
  getPairPageFile: operation({
    method: 'GET',
    path: '/pair-page/{file}',
    owner: 'none',
    access: 'open',
    summary: 'Get a file that the page of a one-time address loads',
    params: record({ file: oneOf(...PAIR_PAGE_FILES) }),
    answer: '*/*',
  }),
};
