import Joi from 'joi';
import { LIMITS } from '../domain/limits.js';
import { STATUS_PRIVACY_MODES } from '../domain/status-audience.js';
import { AMPLE, characters, FRAMING_BYTES, messageIdField, textField } from './fields.js';
import { fileUrl, metaPart, read, sendErrors, sendHeaders, splitList } from './messages.js';
import { type BodyOf, operation } from './operation.js';
import {
  anyFields,
  clientId,
  count,
  listOf,
  named,
  ok,
  oneOf,
  optional,
  record,
  requiredClient,
  type TypeOf,
  text,
} from './schema.js';

const MAX_PEOPLE = 5_000;
const MAX_FONT = 10;

const person = Joi.string().max(LIMITS.addressLength).meta(AMPLE).example('+15550000002');
const audience = listOf(person)
  .min(1)
  .max(MAX_PEOPLE)
  .description(
    'Only these people, of those who may see the statuses of the account: LIDs, numbers with `+`, or jids. Nobody is looked up for it: people whom the gateway does not know get no status',
  )
  .example(['+15550000002']);
const caption = characters(LIMITS.textLength).empty('').description('Of a file');

const postBody = record({
  clientId,
  body: optional(textField.description('The text of a text status').example('Closed on Monday')),
  backgroundColor: optional(
    Joi.string()
      .pattern(/^#[0-9a-f]{6}$/i)
      .messages({ 'string.pattern.base': '{#label} must be a color such as #1E6E4F' })
      .description('Behind a text: `#` and six hex digits')
      .example('#1E6E4F'),
  ),
  font: optional(
    Joi.number()
      .integer()
      .min(0)
      .max(MAX_FONT)
      .description('Of a text, by its number in WhatsApp')
      .example(2),
  ),
  downloadUrl: optional(fileUrl),
  caption: optional(caption),
  audience: optional<string[]>(audience),
  metaData: optional(
    anyFields().description('Comes back as `meta` in the event `status_post`').example({ userId: 'u1' }),
  ),
})
  .xor('body', 'downloadUrl')
  .without('downloadUrl', ['backgroundColor', 'font'])
  .without('body', 'caption');

const postParts = {
  clientId,
  caption: optional(caption),
  audience: optional(
    Joi.string<string[]>()
      .custom(read(audience, 'addresses, separated by commas', splitList))
      .description('Values separated by commas')
      .example('+15550000002,+15550000003'),
  ),
  metaData: metaPart,
};

export type StatusPost = Omit<TypeOf<typeof postBody>, 'downloadUrl'>;
/** Schemas for the handler, which reads and validates the body itself. */
export const statusInputs = { body: postBody, parts: record(postParts) };

const statusAnswer = named('StatusAnswer', {
  status: oneOf('sent'),
  messageId: text.description('Names the status in `message_status` events and in `/delete-status`'),
  people: count.description('Number of people to whom it was sent'),
  mediaType: optional(text),
  bytes: optional(count).description('Size of a file that was fetched from its URL'),
});
export type StatusAnswer = TypeOf<typeof statusAnswer>;

const mode = oneOf(...STATUS_PRIVACY_MODES)
  .description('`contacts`: all contacts; `except`: all contacts but some; `only`: some people')
  .example('except');
const privacyPerson = named('StatusPrivacyPerson', {
  lid: text.description('User-part; empty if unknown'),
  phone: text.description('Number with `+`; empty if unknown'),
  name: text.description("The name in the phone's address book, or the person's own one; empty if unknown"),
});
const statusPrivacy = named('StatusPrivacy', {
  mode,
  people: listOf(privacyPerson).description('Who is left out, or the only ones; none with `contacts`'),
});
export type StatusPrivacyView = TypeOf<typeof statusPrivacy>;

const queryErrors = [
  'session_unpaired',
  'session_suspended',
  'session_not_connected',
  'lookup_failed',
] as const;

/** Statuses: posts that a number's contacts see for a day. */
export const statuses = {
  postStatus: operation({
    method: 'POST',
    path: '/post-status',
    owner: 'session',
    summary: 'Post a status: a text, a picture or a video that contacts see for 24 hours',
    description:
      "It is sent to the contacts in the linked phone's address book whom [`/status-privacy`](api.md#statuses) lets see the statuses of the " +
      'account, or to those of them that `audience` names. 409 (`audience_empty`) if nobody could see it. The policy of the session counts it ' +
      'as a message. Takes JSON, or a form with the file; with a form, `clientId` is also required in the query.',
    headers: sendHeaders,
    body: postBody,
    form: {
      schema: record({
        file: Joi.binary().description('A picture or a video, at most 128 MB'),
        ...postParts,
      }),
      maxBytes: LIMITS.uploadBytes + FRAMING_BYTES,
    },
    answer: statusAnswer,
    example: { status: 'sent', messageId: '3EB0C767D097B7C1A2B3C4', people: 120 },
    errors: [
      ...sendErrors,
      'audience_empty',
      'media_unfetchable',
      'media_too_large',
      'media_unsupported',
      'media_busy',
      'too_many_uploads',
      'proxy_failed',
    ],
  }),
  deleteStatus: operation({
    method: 'POST',
    path: '/delete-status',
    owner: 'session',
    summary: 'Delete an own status for everybody who got it',
    description:
      '404 (`message_unknown`) for a status that the gateway does not know as an own one. A repetition answers the same, and sends nothing.',
    body: record({
      clientId,
      messageId: messageIdField.example('3EB0C767D097B7C1A2B3C4', { override: true }),
    }),
    answer: record({ ok }),
    example: { ok: true },
    errors: [...sendErrors, 'audience_empty', 'message_unknown'],
  }),
  getStatusPrivacy: operation({
    method: 'GET',
    path: '/status-privacy',
    owner: 'session',
    summary: 'Show who may see the statuses of the linked number, as the network says now',
    query: requiredClient,
    answer: statusPrivacy,
    example: { mode: 'except', people: [{ lid: '90000000000002', phone: '+15550000002', name: 'Bob Berg' }] },
    errors: queryErrors,
  }),
  setStatusPrivacy: operation({
    method: 'POST',
    path: '/set-status-privacy',
    owner: 'session',
    summary: 'Set who may see the statuses of the linked number, on all its devices',
    description: 'The linked phone takes the setting over a moment later.',
    body: record({
      clientId,
      mode,
      people: optional<string[]>(
        listOf(person)
          .max(MAX_PEOPLE)
          .description(
            'Required with `except` and `only`, without the linked number itself: LIDs, numbers with `+`, or jids. At most 20 of them may be people whom the gateway does not ' +
              'know yet: it looks them up',
          )
          .example(['+15550000002']),
      ),
    }),
    answer: record({ ok }),
    example: { ok: true },
    errors: [...queryErrors, 'recipient_unknown', 'app_state_rejected', 'send_not_connected'],
  }),
};

export type StatusDeletion = BodyOf<typeof statuses.deleteStatus>;
export type StatusPrivacyChange = BodyOf<typeof statuses.setStatusPrivacy>;
