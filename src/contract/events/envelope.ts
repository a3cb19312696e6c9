import type { EventExtras } from './extras.js';

/** The body of every message event. Empty optional strings are `""`. */
export interface EventEnvelope extends EventExtras {
  event: 'message.received' | 'message.sent';
  type: string;
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC. */
  timestamp: string;
  chatRoomId: string;
  myLid: string;
  clientLid: string;
  remoteJid: string;
  remoteName: string;
  remotePhone: string;
  remoteUsername: string;
  pushName: string;
  avatarUrl: string;
  fromMe: boolean;
  isGroup: boolean;
  messageId: string;
  body: string;
  quoted?: QuotedMessage;
  referral?: Referral;
  mentions: string[];
  isForwarded: boolean;
  meta?: EventMeta;
  group?: GroupSender;
}

/** The message that this one quotes. */
export interface QuotedMessage {
  messageId: string;
  participant?: string;
  body: string;
  type: string;
}

/** The ad from which a person began to write (click to WhatsApp). Fields that the ad does not have are empty. */
export interface Referral {
  /** Page of the ad or the post. */
  sourceUrl: string;
  /** Id of the ad or the post. */
  sourceId: string;
  /** `ad` or `post`. */
  sourceType: string;
  title: string;
  body: string;
  mediaType: '' | 'image' | 'video';
  /** Address of the ad's video. */
  mediaUrl: string;
  thumbnailUrl: string;
  /** The click, for the ad platform's conversions API. */
  ctwaClid: string;
  /** The text that the advertiser gave to the ad. */
  ref: string;
  /** The app that showed the ad, such as `facebook` or `instagram`. */
  sourceApp: string;
  /** How the chat began, such as `ctwa_ad`. */
  entryPointConversionSource: string;
  entryPointConversionApp: string;
  /** The campaign that the conversion counts for, such as `FB_Ads`. */
  conversionSource: string;
}

/** The author of a group message, and the group. */
export interface GroupSender {
  jid: string;
  subject: string;
  participant: string;
  participantPhone?: string;
  participantUsername?: string;
}

/** The caller's metaData on the echo of an API send: the known fields, and all of it as `raw`. */
export interface EventMeta {
  fromAI?: unknown;
  userId?: unknown;
  userName?: unknown;
  sender?: unknown;
  name?: unknown;
  raw: Record<string, unknown>;
}

const PICKED = ['fromAI', 'userId', 'userName', 'sender', 'name'] as const;

/** The metaData of a send in the form of its echo. */
export function eventMeta(metaData: Record<string, unknown>): EventMeta {
  const meta: EventMeta = { raw: metaData };
  for (const field of PICKED) if (metaData[field] !== undefined) meta[field] = metaData[field];
  return meta;
}
