import { createHash } from 'node:crypto';
import { formatJid } from '../../domain/address.js';
import { DAY_MS, type EpochMs } from '../../domain/clock.js';
import { GatewayError } from '../../domain/errors.js';
import { newMessageId } from '../../domain/ids.js';
import type { JsonObject } from '../../domain/json.js';
import { formatRoomId } from '../../domain/room.js';
import { composeVcard } from '../../domain/vcard.js';
import {
  type AccountStatusEvent,
  type CallEvent,
  type ChannelPostEvent,
  EXTRA_EVENT_TYPES,
  type ExtraEventType,
  type GatewayEvent,
  type GroupUpdateEvent,
  type IdentityChangeEvent,
  type MessageEventType,
  type MessageStatusEvent,
  type MessageUnreadableEvent,
  type PresenceEvent,
  type SessionStatusEvent,
  type StatusPostEvent,
} from './catalogue.js';
import type { EventEnvelope } from './envelope.js';
import type { EventExtras, MediaExtra } from './extras.js';

/** The session that a sample is for. */
interface SampleContext {
  clientId: string;
  /** Empty when the session has none. */
  orgId: string;
  /** User-part of the session's own LID; empty before pairing, then the sample has an invented one. */
  myLid: string;
  at: EpochMs;
  /** Values in place of the defaults. */
  fields?: SampleFields;
}

/** Values of a sample that the caller may choose. */
export interface SampleFields {
  /** Also set in the per-type object: caption, emoji, question, option or name. */
  body?: string;
  messageId?: string;
  remoteName?: string;
  remotePhone?: string;
  pushName?: string;
}

/** The parts of a sample that depend on its type. */
interface Sample {
  body: string;
  extra?: EventExtras;
}

const MADE_UP_LID = '90000000000001';
const PERSON = { lid: '90000000000002', phone: '+15550000002', name: 'Test person' };
const CALLER = { from: PERSON.lid, fromPhone: PERSON.phone, fromName: PERSON.name };
const MADE_UP_GROUP = '120363000000000001';
const MADE_UP_CHANNEL = '120363040000000001@newsletter';
const MADE_UP_CHANGE = '1795257228-1';
const EARLIER = '3EB0A9253D5F6C2B1E7A90';
const TEXT = 'This is a test event from Switchboard';

/** Samples by type; `said` replaces the default text. */
const SAMPLES: Readonly<Record<MessageEventType, (at: number, said?: string) => Sample>> = {
  text: (_at, said = TEXT) => ({ body: said }),
  image: (at, said = TEXT) => ({
    body: said,
    extra: { media: media(at, 'image/jpeg', 'image', { caption: said, width: 1_280, height: 960 }) },
  }),
  video: (at, said = TEXT) => ({
    body: said,
    extra: {
      media: media(at, 'video/mp4', 'video', { caption: said, seconds: 12, width: 1_280, height: 720 }),
    },
  }),
  audio: (at) => ({
    body: '',
    extra: { media: media(at, 'audio/ogg; codecs=opus', 'audio', { seconds: 7, voice: true }) },
  }),
  document: (at, said = TEXT) => ({
    body: said,
    extra: { media: media(at, 'application/pdf', 'document', { caption: said, fileName: 'test.pdf' }) },
  }),
  sticker: (at) => ({
    body: '',
    extra: { media: media(at, 'image/webp', 'sticker', { width: 512, height: 512, animated: false }) },
  }),
  poll_creation: (_at, said = 'Lunch?') => ({
    body: said,
    extra: { poll: { name: said, options: ['Pizza', 'Soup', 'Salad'], selectableCount: 1 } },
  }),
  vote_update: (_at, said = 'Pizza') => ({
    body: said,
    extra: {
      pollVote: {
        pollMessageId: EARLIER,
        voter: PERSON.lid,
        resolved: true,
        selectedOptions: [said],
        selectedHashes: [createHash('sha256').update(said).digest('hex')],
      },
    },
  }),
  interactive_reply: (_at, said = 'Yes') => ({
    body: said,
    extra: { interactive: { kind: 'button', id: 'yes', displayText: said, targetId: EARLIER } },
  }),
  contact: (_at, said = 'Ada Example') => ({
    body: said,
    extra: {
      contact: { displayName: said, phone: '+15550000003', vcard: composeVcard(said, '15550000003') },
    },
  }),
  location: (_at, said = 'Test place') => ({
    body: said,
    extra: {
      location: {
        latitude: 52.520_008,
        longitude: 13.404_954,
        name: said,
        address: 'Berlin',
        live: false,
      },
    },
  }),
  reaction: (_at, said = '👍') => ({
    body: said,
    extra: { reaction: { targetId: EARLIER, targetFromMe: true, emoji: said } },
  }),
  edit: (_at, said = TEXT) => ({ body: said, extra: { edit: { targetId: EARLIER, body: said } } }),
  revoke: () => ({ body: '', extra: { revoke: { targetId: EARLIER, byAdmin: false } } }),
};

/** Types without a text. */
const WITHOUT_BODY: readonly string[] = ['audio', 'sticker', 'revoke'];
const EXTRA: readonly string[] = EXTRA_EVENT_TYPES;

/**
 * A sample event from an invented person to the session. Each has a new `messageId`, so that receivers which drop duplicates
 * accept it; ids of other messages are invented.
 * @throws GatewayError invalid_request for fields that an event of that type does not have
 */
export function sampleEvent(type: MessageEventType | ExtraEventType, context: SampleContext): GatewayEvent {
  checkFields(type, context.fields);
  if (type === 'message_status') return messageStatus(context);
  if (type === 'session_status') return sessionStatus(context);
  if (type === 'call') return call(context);
  if (type === 'presence') return presence(context);
  if (type === 'group_update') return groupUpdate(context);
  if (type === 'message_unreadable') return unreadable(context);
  if (type === 'account_status') return accountStatus(context);
  if (type === 'identity_change') return identityChange(context);
  if (type === 'channel_post') return channelPost(context);
  if (type === 'status_post') return statusPost(context);
  const { clientId, orgId, myLid, at, fields: { body: said, ...fields } = {} } = context;
  const { body, extra } = SAMPLES[type](at, said);
  const envelope: EventEnvelope = {
    event: 'message.received',
    type,
    clientId,
    orgId,
    timestamp: new Date(at).toISOString(),
    chatRoomId: formatRoomId({ clientId, myLid: myLid || MADE_UP_LID, other: PERSON.lid }),
    myLid: myLid || MADE_UP_LID,
    clientLid: PERSON.lid,
    remoteJid: formatJid({ kind: 'lid', user: PERSON.lid }),
    remoteName: PERSON.name,
    remotePhone: PERSON.phone,
    remoteUsername: '',
    pushName: PERSON.name,
    avatarUrl: '',
    fromMe: false,
    isGroup: false,
    messageId: newMessageId(),
    body,
    mentions: [],
    isForwarded: false,
  };
  return { ...envelope, ...fields, ...extra };
}

/**
 * Whether an event that is stored as JSON is a sample: earlier releases listed undelivered samples among the failed
 * deliveries. A sample of `account_status` names no invented person, and cannot be distinguished from a real event.
 */
export function isSampleEvent(event: JsonObject): boolean {
  const { type, clientLid, by, reason, changeId, from, channelJid } = event;
  if (type === 'message_status') return by === PERSON.lid;
  if (type === 'session_status') return reason === TEXT;
  if (type === 'channel_post') return channelJid === MADE_UP_CHANNEL;
  if (type === 'status_post') return from === PERSON.lid;
  if (type === 'group_update') return clientLid === MADE_UP_GROUP && changeId === MADE_UP_CHANGE;
  return clientLid === PERSON.lid;
}

function checkFields(type: string, fields: SampleFields = {}): void {
  const isStatus = EXTRA.includes(type);
  const [first] = Object.keys(fields);
  if (isStatus && first)
    throw new GatewayError('invalid_request', `an event of type ${type} has no ${first}`);
  if (fields.body !== undefined && WITHOUT_BODY.includes(type)) {
    throw new GatewayError('invalid_request', `an event of type ${type} has no body of its own`);
  }
}

function messageStatus({ clientId, orgId, at }: SampleContext): MessageStatusEvent {
  return {
    event: 'message.status',
    type: 'message_status',
    clientId,
    orgId,
    timestamp: new Date(at).toISOString(),
    messageId: newMessageId(),
    status: 'delivered',
    by: PERSON.lid,
    code: '',
  };
}

function sessionStatus({ clientId, orgId, at }: SampleContext): SessionStatusEvent {
  return {
    event: 'session.status',
    type: 'session_status',
    clientId,
    orgId,
    timestamp: new Date(at).toISOString(),
    status: 'connected',
    previousStatus: 'reconnecting',
    reason: TEXT,
  };
}

/** The conversation with the invented person, or with an invented group. */
function conversation({ clientId, orgId, myLid, at }: SampleContext, group?: string) {
  const own = myLid || MADE_UP_LID;
  return {
    clientId,
    orgId,
    timestamp: new Date(at).toISOString(),
    chatRoomId: formatRoomId({ clientId, myLid: own, other: group ?? PERSON.lid }),
    myLid: own,
    clientLid: group ?? PERSON.lid,
    remoteJid: group
      ? formatJid({ kind: 'group', user: group })
      : formatJid({ kind: 'lid', user: PERSON.lid }),
    isGroup: group !== undefined,
  };
}

function accountStatus({ clientId, orgId, at }: SampleContext): AccountStatusEvent {
  const until = new Date(at + DAY_MS).toISOString();
  return {
    event: 'account.status',
    type: 'account_status',
    clientId,
    orgId,
    timestamp: new Date(at).toISOString(),
    restricted: true,
    until,
    reason: 'the network does not let this number begin chats for now (DEFAULT)',
    warning: '',
    newChats: { used: 12, limit: 100, resetsAt: until },
  };
}

function channelPost({ clientId, orgId, at }: SampleContext): ChannelPostEvent {
  return {
    event: 'channel.post',
    type: 'channel_post',
    clientId,
    orgId,
    timestamp: new Date(at).toISOString(),
    channelJid: MADE_UP_CHANNEL,
    messageId: newMessageId(),
    serverId: 104,
    action: 'posted',
    fromMe: false,
    kind: 'text',
    body: TEXT,
  };
}

function statusPost({ clientId, orgId, at }: SampleContext): StatusPostEvent {
  return {
    event: 'status.post',
    type: 'status_post',
    clientId,
    orgId,
    timestamp: new Date(at).toISOString(),
    messageId: newMessageId(),
    from: PERSON.lid,
    fromPhone: PERSON.phone,
    fromName: PERSON.name,
    fromMe: false,
    kind: 'text',
    body: TEXT,
    expiresAt: new Date(at + DAY_MS).toISOString(),
  };
}

function unreadable(context: SampleContext): MessageUnreadableEvent {
  return {
    event: 'message.unreadable',
    type: 'message_unreadable',
    ...conversation(context),
    remoteName: PERSON.name,
    remotePhone: PERSON.phone,
    remoteUsername: '',
    pushName: PERSON.name,
    avatarUrl: '',
    fromMe: false,
    messageId: newMessageId(),
    reason: 'undecryptable',
  };
}

function call(context: SampleContext): CallEvent {
  return {
    event: 'call',
    type: 'call',
    ...conversation(context),
    callId: 'C0FFEE00000000000000000000000001',
    status: 'missed',
    ...CALLER,
    isVideo: false,
    rejected: false,
    offline: false,
  };
}

function presence(context: SampleContext): PresenceEvent {
  return {
    event: 'presence',
    type: 'presence',
    ...conversation(context),
    state: 'composing',
    ...CALLER,
    lastSeen: '',
  };
}

function identityChange(context: SampleContext): IdentityChangeEvent {
  return { event: 'identity.change', type: 'identity_change', ...conversation(context), ...CALLER };
}

function groupUpdate(context: SampleContext): GroupUpdateEvent {
  return {
    event: 'group.update',
    type: 'group_update',
    ...conversation(context, MADE_UP_GROUP),
    changeId: MADE_UP_CHANGE,
    change: 'added',
    fromMe: false,
    by: { user: PERSON.lid, phone: PERSON.phone, name: PERSON.name },
    members: [{ user: '90000000000003', phone: '+15550000003', name: 'Ada Example' }],
    value: '',
  };
}

/** A file that does not exist: address, key and hashes have the right form. */
function media(at: number, mimeType: string, mediaType: string, more: Partial<MediaExtra>): MediaExtra {
  const directPath = `/v/t62.0000-00/switchboard-test-${mediaType}.enc?ccb=11-4&oe=00000000`;
  return {
    mimeType,
    mediaType,
    fileName: '',
    fileSize: 48_213,
    caption: '',
    ...more,
    download: {
      url: `https://mmg.whatsapp.net${directPath}`,
      directPath,
      mediaKey: bytesOf('media key'),
      fileSha256: bytesOf('file'),
      fileEncSha256: bytesOf('encrypted file'),
      mediaKeyTimestamp: Math.floor(at / 1_000),
    },
  };
}

/** 32 bytes in base64, derived from the name. */
function bytesOf(name: string): string {
  return createHash('sha256').update(`switchboard test ${name}`).digest('base64');
}
