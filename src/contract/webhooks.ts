import Joi from 'joi';
import { eventMedia as media, eventMeta as meta } from './event-parts.js';
import {
  EXTRA_EVENT_TYPES,
  type ExtraEventType,
  type GatewayEvent,
  MESSAGE_EVENT_TYPES,
  type MessageEventType,
} from './events/catalogue.js';
import { eventGroup, OPT_IN } from './extra-events.js';
import {
  clientId,
  count,
  flag,
  listOf,
  named,
  number,
  oneOf,
  optional,
  reasonFields,
  type TypeOf,
  text,
  time,
} from './schema.js';

/** Per-type objects of a text, which has at most one of them. */
const textExtras = {
  linkPreview: optional(
    named('EventLinkPreview', {
      url: text.description('The link as written in the text'),
      title: text,
      description: text,
    }),
  ),
  list: optional(
    named('EventList', {
      buttonText: text.description('The label of the button that opens the list'),
      sections: listOf(
        named('EventListSection', {
          title: text,
          rows: listOf(named('EventListRow', { id: text, title: text, description: text })),
        }),
      ),
    }),
  ),
  buttons: optional(
    listOf(
      named('EventButton', {
        type: oneOf('quick_reply', 'cta_url', 'cta_call', 'cta_copy'),
        displayText: text,
        id: optional(text).description('For `quick_reply` and `cta_copy`'),
        url: optional(text).description('For `cta_url`'),
        phoneNumber: optional(text).description('For `cta_call`, as the sender wrote it'),
        copyCode: optional(text).description('For `cta_copy`'),
      }),
    ),
  ).description('The buttons below the text'),
  pin: optional(
    named('EventPin', {
      targetId: text.description('The message that was pinned or unpinned for everyone in the chat'),
      pinned: flag,
      duration: count.description('Seconds until the pin ends by itself; 0 for an unpin'),
    }),
  ),
};
const contactFields = { displayName: text, phone: text, vcard: text };

/** The per-type object of each message event: its key, and its fields. */
const EXTRAS = {
  text: textExtras,
  image: { media },
  video: { media },
  audio: { media },
  document: { media },
  sticker: { media },
  poll_creation: {
    poll: named('EventPoll', {
      name: text,
      options: listOf(text),
      selectableCount: count.description('Number of options that one voter may choose'),
    }),
  },
  vote_update: {
    pollVote: named('EventPollVote', {
      pollMessageId: text,
      voter: text.description('User-part of the voter'),
      resolved: flag.description('The names of the chosen options are known'),
      selectedOptions: listOf(text),
      selectedHashes: listOf(text).description("Hex SHA-256 of each chosen option's name"),
    }),
  },
  interactive_reply: {
    interactive: named('EventInteractive', {
      kind: oneOf('button', 'list'),
      id: text,
      displayText: text,
      targetId: text.description('The message that held the button'),
    }),
  },
  contact: {
    contact: named('EventContact', {
      ...contactFields,
      contacts: optional(listOf(named('EventContactCard', contactFields))).description(
        'All of them, when several were shared',
      ),
    }),
  },
  location: {
    location: named('EventLocation', {
      latitude: number,
      longitude: number,
      name: text,
      address: text,
      live: flag.description('A live location: further events follow'),
    }),
  },
  reaction: {
    reaction: named('EventReaction', {
      targetId: text,
      targetFromMe: flag,
      emoji: text.description('The emoji; empty if the reaction was removed'),
    }),
  },
  edit: { edit: named('EventEdit', { targetId: text, body: text }) },
  revoke: {
    revoke: named('EventRevoke', {
      targetId: text,
      byAdmin: flag.description("True if an admin of the group deleted somebody else's message"),
    }),
  },
} satisfies Record<MessageEventType, Record<string, Joi.AnySchema>>;

const quoted = named('EventQuoted', {
  messageId: text,
  participant: optional(text).description("The author's user-part"),
  body: text,
  type: text,
});
const referral = named('EventReferral', {
  sourceUrl: text.description('Page of the ad or the post'),
  sourceId: text.description('Id of the ad or the post'),
  sourceType: text.description('`ad` or `post`'),
  title: text,
  body: text,
  mediaType: oneOf('', 'image', 'video'),
  mediaUrl: text.description("Address of the ad's video"),
  thumbnailUrl: text,
  ctwaClid: text.description("The click, for the ad platform's conversions API"),
  ref: text.description('The text that the advertiser gave to the ad'),
  sourceApp: text.description('The app that showed the ad, such as `facebook`'),
  entryPointConversionSource: text.description('How the chat began, such as `ctwa_ad`'),
  entryPointConversionApp: text,
  conversionSource: text.description('The campaign that the conversion counts for, such as `FB_Ads`'),
}).description('The ad from which the person began to write; fields that the ad lacks are empty');
const envelope = {
  event: oneOf('message.received', 'message.sent').description(
    '`message.sent` for what the linked number did',
  ),
  clientId,
  orgId: text,
  timestamp: time,
  chatRoomId: text,
  myLid: text,
  clientLid: text,
  remoteJid: text,
  remoteName: text,
  remotePhone: text,
  remoteUsername: text,
  pushName: text,
  avatarUrl: text,
  fromMe: flag,
  isGroup: flag,
  messageId: text,
  body: text.description('Text, caption or rendered text'),
  quoted: optional(quoted),
  referral: optional(referral),
  mentions: listOf(text),
  isForwarded: flag,
  meta: optional(meta),
  group: optional(eventGroup).description('The group and the author, for group messages'),
};

/** `poll_creation` → `PollCreationEvent` */
function nameOf(type: string): string {
  return `${type.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;
}

function messageEvent(type: MessageEventType): Joi.ObjectSchema {
  return named(nameOf(type), { ...envelope, type: oneOf(type), ...EXTRAS[type] });
}

const SUMMARIES: Readonly<Record<MessageEventType | ExtraEventType, string>> = {
  text: 'A text message',
  image: 'A picture',
  video: 'A video',
  audio: 'A sound or a voice note',
  document: 'A document',
  sticker: 'A sticker',
  poll_creation: 'A poll was sent',
  vote_update: 'A vote was cast',
  interactive_reply: 'A button was tapped',
  contact: 'A contact card was shared',
  location: 'A pinned or live location was shared',
  reaction: 'An emoji was added to an earlier message, or removed',
  edit: 'An earlier message was edited',
  revoke: 'An earlier message was deleted for everyone',
  message_status: 'An own message was sent, delivered, read, played or failed (opt-in)',
  session_status: "A session's status changed (opt-in)",
  call: 'Somebody calls the linked number, or the call ended (opt-in)',
  presence: 'A person types, records, or comes online (opt-in)',
  group_update: 'The members or the settings of a group changed (opt-in)',
  message_unreadable: 'A message arrived that could not be read (opt-in)',
  account_status: 'The network restricts the linked number, or no longer does (opt-in)',
  identity_change: 'The security code of a person changed (opt-in)',
  channel_post: 'A post of a channel that the linked number follows, or a change of one (opt-in)',
  status_post: 'A status was posted or deleted (opt-in)',
};

/** One schema for each event type that a receiver may get. */
export interface EventType {
  type: MessageEventType | ExtraEventType;
  name: string;
  summary: string;
  optIn: boolean;
  schema: Joi.ObjectSchema;
}

/** Every event of the catalogue. */
export const EVENT_TYPES: readonly EventType[] = [
  ...MESSAGE_EVENT_TYPES.map((type) => eventType(type, messageEvent(type), false)),
  ...EXTRA_EVENT_TYPES.map((type) => eventType(type, OPT_IN[type], true)),
];

function eventType(type: EventType['type'], schema: Joi.ObjectSchema, optIn: boolean): EventType {
  return { type, name: nameOf(type), summary: SUMMARIES[type], optIn, schema };
}

/** Any event that a receiver may get; `type` is the discriminator. */
export const webhookEvent = Joi.alternatives<GatewayEvent>(...EVENT_TYPES.map(({ schema }) => schema)).meta({
  name: 'WebhookEvent',
  discriminator: 'type',
});

const delivery = { at: time, clientId, deliveryId: text, type: text };

/** An entry of `/events`: one JSON object in the data of each server-sent event. */
export const streamEntries = {
  event: named('EventEntry', {
    kind: oneOf('event'),
    at: time,
    clientId,
    event: webhookEvent,
  }),
  attempt: named('AttemptEntry', {
    kind: oneOf('attempt'),
    ...delivery,
    messageId: text,
    url: text,
    receiver: optional(text).description('Id of the receiver; absent for the webhook of the session'),
    attempt: count.description('1 to 4'),
    outcome: oneOf('delivered', 'rejected', 'failed'),
    status: count.description("The receiver's HTTP status; 0 without an answer"),
    ...reasonFields,
    reason: text.description('Why it was not delivered; empty when it was'),
    durationMs: number,
  }),
  dropped: named('DroppedEntry', {
    kind: oneOf('dropped'),
    ...delivery,
    ...reasonFields,
    reason: text.description('Why it is not delivered'),
    receiver: optional(text),
  }),
  room: named('RoomEntry', {
    kind: oneOf('room'),
    at: time,
    clientId: text.description('The session; empty if rooms of any session may have changed'),
    chatRoomId: text.description('The room; empty if any room may have changed'),
    messageId: optional(text),
    formerId: optional(text).description('Previous id of the room, after a rename'),
  }),
};
/** Any entry of the stream; `kind` is the discriminator. */
export const streamEntry = Joi.alternatives(...Object.values(streamEntries)).meta({
  name: 'StreamEntry',
  discriminator: 'kind',
});

export type AttemptEntry = TypeOf<typeof streamEntries.attempt>;
export type DroppedEntry = TypeOf<typeof streamEntries.dropped>;
export type RoomEntry = TypeOf<typeof streamEntries.room>;
