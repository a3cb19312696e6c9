import {
  count,
  flag,
  listOf,
  named,
  number as numeric,
  oneOf,
  optional,
  record,
  type TypeOf,
  text,
} from '../schema.js';
import { mapOf, seconds } from './fields.js';

/** A file as the phone got it from the media host. */
const mediaView = named('MediaView', {
  mimeType: text,
  size: count.description('Bytes, decrypted'),
  sha256: text.description('SHA-256 of the decrypted bytes, in hex; empty when the phone could not get them'),
  error: optional(text).description('Why the phone could not get the file'),
  fileName: optional(text),
  caption: optional(text),
  seconds: optional(count),
  width: optional(count),
  height: optional(count),
  pageCount: optional(count),
  waveform: optional(count).description('How many values the waveform has'),
  thumbnail: optional(count).description('Bytes of the preview picture'),
  voice: flag,
  animated: flag,
  viewOnce: flag,
});
export type MediaView = TypeOf<typeof mediaView>;

const pollView = named('PollView', {
  name: text,
  options: listOf(text),
  selectableCount: count.description('How many options one may choose; 0: any number'),
  votes: mapOf(listOf(text)).description(
    'Number of who voted → chosen options; hex SHA-256 where no option fits',
  ),
});

const locationView = named('LocationView', {
  latitude: numeric,
  longitude: numeric,
  name: text,
  address: text,
  live: flag,
});

const contactView = named('ContactView', {
  displayName: text,
  phone: text.description('E.164 with `+`; empty when the card has none'),
  vcard: text,
});
export type ContactView = TypeOf<typeof contactView>;

/** A button, in the words of the gateway's API. */
const buttonView = named('ButtonView', {
  type: text,
  displayText: text,
  id: optional(text),
  url: optional(text),
  phoneNumber: optional(text),
  copyCode: optional(text),
});
export type ButtonView = TypeOf<typeof buttonView>;

/** A tap on a button. */
const buttonReplyContent = named('ButtonReplyContent', {
  messageId: text.description('The message with the button'),
  id: text,
  displayText: text,
});
export type ButtonReplyContent = TypeOf<typeof buttonReplyContent>;

/** A choice from a list. */
const listReplyContent = named('ListReplyContent', {
  messageId: text.description('The message with the list'),
  id: text,
  title: text,
});

/** A list of rows, in the words of the gateway's API. */
const listView = named('ListView', {
  title: text,
  buttonText: text,
  sections: listOf(
    record({ title: text, rows: listOf(record({ id: text, title: text, description: text })) }),
  ),
});
export type ListView = TypeOf<typeof listView>;

const linkPreviewView = named('LinkPreviewView', {
  matchedText: text.description('The link in the text'),
  title: text,
  description: optional(text),
  thumbnail: optional(count).description('Bytes of the preview picture; absent when there is none'),
});

/** Content of a message beside its text, by its type. */
const contentFields = {
  media: optional(mediaView),
  poll: optional(pollView),
  location: optional(locationView),
  contact: optional(contactView).description('The first one, when there are several'),
  contacts: optional(listOf(contactView)),
  buttonReply: optional(buttonReplyContent),
  listReply: optional(listReplyContent),
  timer: optional(count).description(
    'For type `timer`: seconds after which later messages of the chat disappear; 0 when they stay',
  ),
  linkPreview: optional(linkPreviewView),
  backgroundColor: optional(text).description('Of a text in a status: `#` and six hex digits'),
  font: optional(count).description('Of a text in a status'),
  list: optional(listView).description('For type `list`'),
  bodyText: optional(text).description('For types `buttons` and `list`'),
  footerText: optional(text),
  buttons: optional(listOf(buttonView)),
  rendered: optional(flag).description(
    'Whether a phone shows the buttons or the list; false when the stanza lacks the `<biz>` element for them',
  ),
};

/** The state of a message at one recipient, in this order; `played` for voice notes and the like. */
export const receiptState = oneOf('delivered', 'read', 'played').meta({ name: 'ReceiptState' });
export type ReceiptState = TypeOf<typeof receiptState>;

/** A decrypted message on a phone, with all later changes applied. */
export const messageView = named('MessageView', {
  messageId: text,
  from: text.description("The author's number"),
  to: text.description("The group's jid, or the recipient's number; `status@broadcast` for a status"),
  fromMe: flag,
  type: text.description(
    "The content's key or a medium's kind; `unknown` with the protocol's field names in `text`",
  ),
  text: text.description('Text, caption or label; empty once the message is revoked'),
  quotedMessageId: optional(text),
  quotedAuthor: optional(text).description(
    'Who wrote the quoted message, as the message says: a number where known, else a jid',
  ),
  quotedText: optional(text).description('What the preview of the quoted message shows'),
  mentions: listOf(text).description('Numbers where known, else jids'),
  forwarded: flag,
  forwardingScore: optional(count).description('How often it was forwarded; absent when it was not'),
  pin: optional(record({ by: text, until: seconds })).description(
    'Who pinned it for everybody in the chat, and until when',
  ),
  ephemeral: optional(count).description('Seconds after which it disappears'),
  edited: flag,
  history: optional(listOf(text)).description('Earlier texts of an edited message, oldest first'),
  revoked: flag,
  reactions: mapOf(text).description('Number of the author of the reaction → emoji'),
  receipts: mapOf(receiptState).description('Number of the recipient → state'),
  timestamp: seconds,
  ...contentFields,
});
export type MessageView = TypeOf<typeof messageView>;
export type ContentFields = Pick<MessageView, keyof typeof contentFields>;

/** A change of an earlier message. */
export const changeView = named('ChangeView', {
  messageId: text.description('Id of the change itself'),
  from: text,
  to: text,
  fromMe: flag,
  type: oneOf('reaction', 'edit', 'revoke', 'vote', 'pin'),
  targetId: text.description('The message that it changes'),
  applied: flag.description(
    'False when the phone ignored it: the phone does not hold the target, or the author may not do that',
  ),
  emoji: optional(text).description('Empty when a reaction was taken back'),
  text: optional(text).description('The new text of an edit'),
  options: optional(listOf(text)).description('The chosen options of a vote'),
  pinned: optional(flag).description('For a pin: false when the message was unpinned'),
  timestamp: seconds,
});
export type ChangeView = TypeOf<typeof changeView>;

/** The settings of a chat, shared by a phone and its linked devices. */
export const chatView = named('ChatView', {
  with: text.description("The partner's number where known, else a jid; or the group's jid"),
  unread: flag.description('Marked as unread by hand; says nothing about new messages'),
  archived: flag,
  pinned: flag,
  muted: flag,
  deletedMessages: listOf(text).description('Ids of the messages that are deleted for this account only'),
  starredMessages: optional(listOf(text)).description(
    'Ids of the starred messages; absent when there are none',
  ),
});
export type ChatView = TypeOf<typeof chatView>;

export const typingState = oneOf('composing', 'recording', 'paused');

/** A typing state that a phone saw. */
export const chatstateView = named('ChatstateView', {
  from: text,
  chat: optional(text).description("The group's jid, when it was in one"),
  state: typingState,
  at: count.description('Milliseconds since the epoch'),
});
export type ChatstateView = TypeOf<typeof chatstateView>;
