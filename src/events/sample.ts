import { createHash } from 'node:crypto';
import { formatJid } from '../domain/address.js';
import { newMessageId } from '../domain/ids.js';
import { formatRoomId } from '../domain/room.js';
import { composeVcard } from '../kinds/vcard.js';
import type { ExtraEventType, GatewayEvent, MessageEventType } from './catalogue.js';
import type { EventEnvelope } from './envelope.js';
import type { EventExtras, MediaExtra } from './extras.js';
import type { MessageStatusEvent } from './message-status.js';
import type { SessionStatusEvent } from './session-status.js';

/** Whose event a sample pretends to be. */
export interface SampleContext {
  clientId: string;
  /** Empty when the session has none. */
  orgId: string;
  /** User-part of the session's own LID; empty before pairing, then a made-up one is shown. */
  myLid: string;
  /** Milliseconds since the epoch. */
  at: number;
}

/** What a sample says: the text beside the envelope, and the per-type object. */
interface Sample {
  body: string;
  extra?: EventExtras;
}

const MADE_UP_LID = '90000000000001';
const PERSON = { lid: '90000000000002', phone: '+15550000002', name: 'Test person' };
const EARLIER = '3EB0A9253D5F6C2B1E7A90';
const TEXT = 'This is a test event from Switchboard';

const VCARD = composeVcard('Ada Example', '15550000003');

const SAMPLES: Readonly<Record<MessageEventType, (at: number) => Sample>> = {
  text: () => ({ body: TEXT }),
  image: (at) => ({
    body: TEXT,
    extra: { media: media(at, 'image/jpeg', 'image', { caption: TEXT, width: 1_280, height: 960 }) },
  }),
  video: (at) => ({
    body: TEXT,
    extra: {
      media: media(at, 'video/mp4', 'video', { caption: TEXT, seconds: 12, width: 1_280, height: 720 }),
    },
  }),
  audio: (at) => ({
    body: '',
    extra: { media: media(at, 'audio/ogg; codecs=opus', 'audio', { seconds: 7, voice: true }) },
  }),
  document: (at) => ({
    body: TEXT,
    extra: { media: media(at, 'application/pdf', 'document', { caption: TEXT, fileName: 'test.pdf' }) },
  }),
  sticker: (at) => ({
    body: '',
    extra: { media: media(at, 'image/webp', 'sticker', { width: 512, height: 512, animated: false }) },
  }),
  poll_creation: () => ({
    body: 'Lunch?',
    extra: { poll: { name: 'Lunch?', options: ['Pizza', 'Soup', 'Salad'], selectableCount: 1 } },
  }),
  vote_update: () => ({
    body: 'Pizza',
    extra: {
      pollVote: {
        pollMessageId: EARLIER,
        voter: PERSON.lid,
        resolved: true,
        selectedOptions: ['Pizza'],
        selectedHashes: [createHash('sha256').update('Pizza').digest('hex')],
      },
    },
  }),
  interactive_reply: () => ({
    body: 'Yes',
    extra: { interactive: { kind: 'button', id: 'yes', displayText: 'Yes', targetId: EARLIER } },
  }),
  contact: () => ({
    body: 'Ada Example',
    extra: { contact: { displayName: 'Ada Example', phone: '+15550000003', vcard: VCARD } },
  }),
  location: () => ({
    body: 'Test place',
    extra: {
      location: {
        latitude: 52.520_008,
        longitude: 13.404_954,
        name: 'Test place',
        address: 'Berlin',
        live: false,
      },
    },
  }),
  reaction: () => ({
    body: '👍',
    extra: { reaction: { targetId: EARLIER, targetFromMe: true, emoji: '👍' } },
  }),
  edit: () => ({ body: TEXT, extra: { edit: { targetId: EARLIER, body: TEXT } } }),
  revoke: () => ({ body: '', extra: { revoke: { targetId: EARLIER, byAdmin: false } } }),
};

/**
 * An event of a type as it could have happened, from a made-up person to the session. Each has a new `messageId`, so
 * that receivers that drop what they have seen take it; those that it refers to are made up.
 */
export function sampleEvent(type: MessageEventType | ExtraEventType, context: SampleContext): GatewayEvent {
  if (type === 'message_status') return messageStatus(context);
  if (type === 'session_status') return sessionStatus(context);
  const { clientId, orgId, myLid, at } = context;
  const { body, extra } = SAMPLES[type](at);
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
  return { ...envelope, ...extra };
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

/** A file that nobody can fetch: address, key and hashes have the right form and nothing behind them. */
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

/** 32 bytes in base64 that are the same for the same name. */
function bytesOf(name: string): string {
  return createHash('sha256').update(`switchboard test ${name}`).digest('base64');
}
