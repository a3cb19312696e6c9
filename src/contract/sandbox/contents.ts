import Joi from 'joi';
import { flag, listOf, named, number as numeric, oneOf, optional, record, type TypeOf } from '../schema.js';
import { MAX_EPHEMERAL_S, number, shortText, whole } from './fields.js';

const MAX_TEXT = 65_536;
const MAX_FILE_TEXT = 1_024;
const MAX_BASE64_CHARS = 24 * 1024 * 1024;
const MAX_PIXELS = 100_000;
const MAX_SECONDS = 24 * 60 * 60;
const MAX_PAGES = 1_000_000;
const MAX_OPTION = 255;
const MIN_OPTIONS = 2;
const MAX_OPTIONS = 12;
const MAX_EMOJI = 64;
const MAX_PIN_S = 90 * 24 * 60 * 60;
const MAX_PLACE_TEXT = 1_000;
const MAX_LATITUDE = 90;
const MAX_LONGITUDE = 180;
const MAX_CARD_TEXT = 255;
const MIN_CARDS = 2;
const MAX_CARDS = 50;
const MAX_REPLY_TEXT = 1_000;
const MAX_RAW_CHARS = 1024 * 1024;
/** The largest accepted file. */
export const MAX_FILE_BYTES = 128 * 1024 * 1024;

/** The id of a message that the phone must hold. */
const target = Joi.string();

const mediaKind = oneOf('image', 'video', 'audio', 'document', 'sticker').meta({ name: 'MediaKind' });
export type MediaKind = TypeOf<typeof mediaKind>;

export const mediaContent = named('MediaContent', {
  kind: mediaKind,
  mimeType: shortText(MAX_FILE_TEXT),
  base64: optional(Joi.string().base64().max(MAX_BASE64_CHARS)),
  size: optional(whole(1, MAX_FILE_BYTES).description('Number of random bytes to make')),
  file: optional(
    Joi.string()
      .hex()
      .description('SHA-256 in hex of a file that was given to `POST /files`, or that a phone holds'),
  ),
  fileName: optional(shortText(MAX_FILE_TEXT)),
  caption: optional(shortText(MAX_FILE_TEXT)),
  voice: optional(flag.description('A voice note')),
  viewOnce: optional(flag.description('May be looked at once')),
  animated: optional(flag.description('A sticker that moves, a video that plays like a GIF')),
  seconds: optional(whole(0, MAX_SECONDS)),
  width: optional(whole(1, MAX_PIXELS)),
  height: optional(whole(1, MAX_PIXELS)),
  pageCount: optional(whole(1, MAX_PAGES)),
})
  .xor('base64', 'size', 'file')
  .description('A file: its bytes are in exactly one of `base64`, `size` and `file`');
export type MediaContent = TypeOf<typeof mediaContent>;

const linkPreviewContent = named('LinkPreviewContent', {
  matchedText: Joi.string().description('The link in the text'),
  title: Joi.string(),
  description: optional(Joi.string()),
});
type LinkPreviewContent = TypeOf<typeof linkPreviewContent>;

const editFields = { messageId: target, text: shortText(MAX_TEXT) };

const contactContent = named('ContactContent', { displayName: shortText(MAX_CARD_TEXT), phone: number });
export type ContactContent = TypeOf<typeof contactContent>;

/** Contents that a person can write: a message has exactly one of them. */
export const writeContents = {
  text: shortText(MAX_TEXT).example('Hello'),
  media: mediaContent,
  poll: record({
    name: shortText(MAX_OPTION),
    options: listOf(shortText(MAX_OPTION)).min(MIN_OPTIONS).max(MAX_OPTIONS).unique(),
    selectableCount: optional(whole(0, MAX_OPTIONS)),
  }),
  vote: record({
    pollMessageId: Joi.string(),
    options: listOf(Joi.string()).max(MAX_OPTIONS).unique().description('None: the vote is taken back'),
  }),
  reaction: record({
    messageId: target,
    emoji: shortText(MAX_EMOJI).allow('').description('Empty: the reaction is taken back'),
  }),
  edit: record({
    ...editFields,
    wrapped: optional(flag.description('Inside the wrapper that some phones put around edits')),
  }),
  encryptedEdit: record(editFields).description('An edit that only those can read who hold the message'),
  revoke: record({ messageId: target }),
  location: record({
    latitude: numeric.min(-MAX_LATITUDE).max(MAX_LATITUDE),
    longitude: numeric.min(-MAX_LONGITUDE).max(MAX_LONGITUDE),
    name: optional(shortText(MAX_PLACE_TEXT)),
    address: optional(shortText(MAX_PLACE_TEXT)),
    live: optional(flag),
  }),
  contact: contactContent,
  contacts: listOf(contactContent).min(MIN_CARDS).max(MAX_CARDS).description('Several cards in one message'),
  buttonReply: record({
    messageId: target.description('The message with the button'),
    id: shortText(MAX_REPLY_TEXT),
    displayText: shortText(MAX_REPLY_TEXT),
    as: optional(oneOf('interactive', 'buttons', 'template')).description(
      'The protocol message of the tap; default `interactive`, as phones send for native buttons',
    ),
  }),
  listReply: record({
    messageId: target.description('The message with the list'),
    id: shortText(MAX_REPLY_TEXT),
    title: shortText(MAX_REPLY_TEXT),
    as: optional(oneOf('list', 'interactive')).description(
      'The protocol message of the choice; default `list`, as phones send for legacy lists',
    ),
  }),
  pin: record({
    messageId: target,
    pinned: optional(flag.description('False unpins it')),
    duration: optional(whole(1, MAX_PIN_S).description('Seconds; a week by default')),
  }),
  timer: whole(0, MAX_EPHEMERAL_S).description(
    'Sets the timer of a private chat, in seconds; 0 turns it off',
  ),
  raw: Joi.string()
    .base64()
    .max(MAX_RAW_CHARS)
    .description('Any message of the protocol: an encoded `proto.Message`, base64'),
};

type Contents = { [Key in keyof typeof writeContents]?: TypeOf<(typeof writeContents)[Key]> };
/** Content of what a person writes: exactly one field, `linkPreview` aside. */
export interface WriteContent extends Contents {
  linkPreview?: LinkPreviewContent;
}

/** Fields that are valid only with one of the contents. */
export const contentOptions = {
  linkPreview: linkPreviewContent
    .description('Beside `text` only')
    .when('text', { is: Joi.exist(), otherwise: Joi.forbidden() }),
};
