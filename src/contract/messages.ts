import Joi, { type CustomValidator } from 'joi';
import type { ErrorCode } from '../domain/errors.js';
import { parseJson } from '../domain/json.js';
import { jsonFlaw } from '../domain/json-flaw.js';
import { LIMITS } from '../domain/limits.js';
import { RULE_NAMES } from '../domain/policy/rules.js';
import {
  AMPLE,
  addressFields,
  characters,
  envelopeFields,
  FILE_URL_LENGTH,
  FRAMING_BYTES,
  META_TEXT,
  messageIdField,
} from './fields.js';
import { type BodyOf, type Operation, operation } from './operation.js';
import {
  anyFields,
  type ClientQuery,
  count,
  flag,
  httpUrl,
  named,
  ok,
  oneOf,
  optional,
  record,
  type TypeOf,
  text,
  time,
} from './schema.js';
import { SEND_REQUESTS } from './sends/index.js';
import type { SendPayload, SendRequest } from './sends/send-request.js';

const NAME_LENGTH = 1_024;
const TYPE_LENGTH = 255;

/** The headers that every send operation takes. */
export const sendHeaders = record({
  'idempotency-key': optional(
    Joi.string()
      .max(LIMITS.idempotencyKeyLength)
      .pattern(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/)
      .label('Idempotency-Key')
      .messages({ 'string.pattern.base': '{#label} must be printable ASCII' })
      .description('The same key within 24 h sends once and returns the first answer'),
  ),
}).unknown();
export type SendHeaders = TypeOf<typeof sendHeaders>;

/** The fields that the answers of all sends have. */
export const sentFields = {
  status: oneOf('sent', 'held')
    .description('`held`, only with `whenAllowed`: the policy refuses the message now, and it is sent later')
    .meta({ optIn: ['held'] }),
  messageId: text,
  allowedAt: optional(time).description(
    'When no rule refuses the message any more, if nothing else is sent before',
  ),
  rule: optional(oneOf(...RULE_NAMES)).description('The rule that holds a message back'),
  warning: optional(text).description('Delivered, but not written to the hosted history: do not send again'),
};
export const sendAnswer = named('SendAnswer', {
  ...sentFields,
  targetId: optional(text).description(
    'Id of the earlier message: what was reacted to, changed, pinned or forwarded',
  ),
});
export const sendMediaAnswer = named('SendMediaAnswer', {
  ...sentFields,
  mediaType: optional(text),
  bytes: optional(count).description('Size of a file that was fetched from its URL'),
  fallback: optional(oneOf('text')).description(
    'Present if the file is too large: a text with the link was sent instead',
  ),
});
export type SendAnswer = TypeOf<typeof sendAnswer>;
export type SendMediaAnswer = TypeOf<typeof sendMediaAnswer>;

/** A status beside 200 with which sends answer. */
export const HELD = { 202: 'With `whenAllowed`: the message is held, and is sent when the policy allows it' };

export const sendErrors: readonly ErrorCode[] = [
  'policy_refused',
  'session_unpaired',
  'session_suspended',
  'session_not_connected',
  'recipient_unknown',
  'lookup_failed',
  'idempotency_conflict',
  'send_not_connected',
  'send_rejected',
  'send_unacknowledged',
  'send_cut_off',
  'device_query_unanswered',
  'room_unknown',
];
/** Errors of operations about an earlier message. */
export const targetErrors: readonly ErrorCode[] = [
  'message_unknown',
  'target_not_own',
  'target_not_editable',
  'target_author_unknown',
  'edit_window_over',
  'message_deleted',
];

export type SendOperation = Operation<ClientQuery, SendPayload, object, SendHeaders, SendAnswer>;

/** One operation for each kind of message that can be sent, by its id: `/send-poll-message` → `sendPollMessage`. */
export const kindSends: Readonly<Record<string, SendOperation>> = Object.fromEntries(
  SEND_REQUESTS.map((request) => [idOf(request.path), sendOperation(request)]),
);

function idOf(path: string): string {
  return path.slice(1).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The operation that sends a kind of message. */
export function sendOperation({ path, description, payload, namesTarget }: SendRequest): SendOperation {
  return {
    method: 'POST',
    path,
    owner: 'session',
    summary: description,
    headers: sendHeaders,
    body: payload,
    answer: sendAnswer,
    example: {
      status: 'sent',
      messageId: '3EB0C767D097B7C1A2B3C4',
      ...(namesTarget && { targetId: '3EB0A9253D5F6C2B1E7A90' }),
    },
    ...(!namesTarget && { alsoAnswers: HELD }),
    errors: namesTarget ? [...sendErrors, ...targetErrors] : [...sendErrors, 'held_sends_full'],
  };
}

const caption = characters(LIMITS.textLength)
  .allow('')
  .default('')
  .description('Ignored for audio and stickers')
  .example('Our new menu');

/** Where a file to send is. */
export const fileUrl = httpUrl(FILE_URL_LENGTH)
  .description('A public https address. The gateway fetches at most 60 MB, within 60 s')
  .meta(AMPLE);

const mediaBody = record({
  ...addressFields,
  quotedMessageId: optional(envelopeFields.quotedMessageId),
  mentions: optional<string[]>(envelopeFields.mentions),
  metaData: optional(anyFields().description(META_TEXT).example({ fromAI: true })),
  whenAllowed: optional<boolean>(envelopeFields.whenAllowed),
  downloadUrl: fileUrl
    .description(
      'A public https address. The gateway fetches at most 100 MB, within 60 s. A file over 60 MB is sent as a text with the link',
    )
    .example('https://example.com/menu.pdf'),
  mimeType: Joi.string()
    .allow('')
    .max(TYPE_LENGTH)
    .meta(AMPLE)
    .pattern(/^[\w.+-]+\/[\w.+-]+( *;.*)?$/)
    .messages({ 'string.pattern.base': '{#label} must be a MIME type such as image/png' })
    .default('')
    .description('MIME type, if detection is wrong')
    .example('application/pdf'),
  caption,
  fileName: Joi.string()
    .allow('')
    .max(NAME_LENGTH)
    .default('')
    .description(
      'Shown to the recipient for documents only, because the network carries no names of other files; kept in the event, the history and ' +
        "the media library. The default is the name in the answer's `Content-Disposition` or in the URL",
    )
    .example('menu.pdf'),
  sendAudioAsVoice: flag
    .default(false)
    .description('`true` sends audio as a voice note; the file must be OGG/Opus'),
  asSticker: flag
    .default(false)
    .description(
      '`true` sends a picture as a sticker; a picture that is not a WebP of 512 pixels is converted',
    ),
});

const formFlag = oneOf('true', 'false').default('false');

/** The metaData of a form, whose parts are texts. */
export const metaPart = optional(
  Joi.string<Record<string, unknown>>()
    .custom(read(envelopeFields.metaData, 'a JSON object', parseIfJson))
    .description('A JSON object')
    .example('{"fromAI":true}'),
);

/** The parts of a form beside its file. */
const mediaParts = {
  ...addressFields,
  caption,
  sendAudioAsVoice: formFlag,
  asSticker: formFlag,
  quotedMessageId: optional(envelopeFields.quotedMessageId),
  mentions: optional(
    Joi.string<string[]>()
      .custom(read(envelopeFields.mentions, 'LID or phone digits, separated by commas', splitList))
      .description('Values separated by commas')
      .example('90000000000002,90000000000003'),
  ),
  metaData: metaPart,
};

export type MediaBody = TypeOf<typeof mediaBody>;

/** Schemas for the handler, which reads and validates the body itself. */
export const mediaInputs = { body: mediaBody, parts: record(mediaParts) };

export const sendMedia = operation({
  method: 'POST',
  path: '/send-media-message',
  owner: 'session',
  summary: 'Send a file, by its URL or uploaded in a form',
  description:
    'With a form, `clientId` is also required in the query, because the form is read after the look-up of the session.',
  headers: sendHeaders,
  body: mediaBody,
  form: {
    schema: record({
      file: Joi.binary().description(
        'The file, at most 128 MB. Its Content-Type decides the kind of message: `image/*`, `video/*`, `audio/*`, otherwise a document. ' +
          'Without a Content-Type, or with `application/octet-stream`, name and content decide',
      ),
      ...mediaParts,
    }),
    maxBytes: LIMITS.uploadBytes + FRAMING_BYTES,
  },
  answer: sendMediaAnswer,
  example: { status: 'sent', messageId: '3EB0C767D097B7C1A2B3C4', mediaType: 'document', bytes: 48_213 },
  alsoAnswers: HELD,
  errors: [
    ...sendErrors,
    'held_sends_full',
    'media_unfetchable',
    'media_too_large',
    'media_unsupported',
    'media_busy',
    'too_many_uploads',
    'proxy_failed',
  ],
});

export const messages = {
  sendMediaMessage: sendMedia,
  forwardMessage: operation({
    method: 'POST',
    path: '/forward-message',
    owner: 'session',
    summary: 'Forward a message to another chat',
    description:
      'Forwards messages of the [hosted inbox](inbox.md), and own messages of the last 14 days. The copy has no quote and no mentions. It ' +
      'names the same file as the original, so that nothing is uploaded; the network deletes files after some weeks. As in WhatsApp itself, ' +
      'a message of somebody else is marked as forwarded, and an own message only if it was forwarded before.',
    headers: sendHeaders,
    body: record({
      ...addressFields,
      from: Joi.string()
        .max(LIMITS.addressLength)
        .meta(AMPLE)
        .description('The chat that the message is in, in the forms of `to`')
        .example('+15550000003'),
      messageId: messageIdField.description('The message'),
      metaData: optional(anyFields().description(META_TEXT).example({ fromAI: true })),
    }),
    answer: sendAnswer,
    example: { status: 'sent', messageId: '3EB0C767D097B7C1A2B3C4', targetId: '3EB0A9253D5F6C2B1E7A90' },
    errors: [...sendErrors, 'message_unknown', 'message_deleted', 'target_not_forwardable'],
  }),
  starMessage: operation({
    method: 'POST',
    path: '/star-message',
    owner: 'session',
    summary: "Star a message on the account's own devices, or unstar it",
    description: 'Ignores `Idempotency-Key`.',
    body: record({
      ...addressFields,
      messageId: messageIdField.description('The message'),
      starred: flag.default(true).description('`false` removes the star'),
    }),
    answer: record({ ok }),
    example: { ok: true },
    errors: [
      'session_unpaired',
      'session_suspended',
      'recipient_unknown',
      'lookup_failed',
      'send_not_connected',
      'message_unknown',
      'message_deleted',
      'target_author_unknown',
      'app_state_rejected',
    ],
  }),
};

export type Forwarding = BodyOf<typeof messages.forwardMessage>;
export type Starring = BodyOf<typeof messages.starMessage>;

/** Parses a text, and validates the result. @param rule ends the error message "must be …" */
export function read(schema: Joi.Schema, rule: string, parse: (value: string) => unknown): CustomValidator {
  return (value, helpers) => {
    const parsed = parse(value);
    const flaw = jsonFlaw(parsed, String(helpers.state.path?.at(-1) ?? ''));
    if (flaw !== undefined) return helpers.message({ custom: '{#flaw}' }, { flaw });
    const result = schema.validate(parsed, { convert: false });
    return result.error ? helpers.message({ custom: `{#label} must be ${rule}` }) : result.value;
  };
}

export function splitList(value: string): string[] {
  return value.split(',').map((item) => item.trim());
}

/** Returns text that is not JSON unchanged; the schema then refuses it. */
function parseIfJson(value: string): unknown {
  const parsed = parseJson(value);
  return parsed === undefined ? value : parsed;
}
