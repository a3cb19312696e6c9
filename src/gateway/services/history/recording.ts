import type { EventEnvelope } from '../../../contract/events/envelope.js';
import type { MediaExtra } from '../../../contract/events/extras.js';
import { newFileId } from '../../../domain/ids.js';
import { LIMITS } from '../../../domain/limits.js';
import { VOTE_TYPE } from '../../../domain/room.js';
import type { UnreadableReason } from '../../../domain/unreadable.js';
import type { StoredType } from '../../kinds/kind.js';
import type { IncomingMessage } from '../../link/link.js';
import type { HistoryMessage, RoomUpdate } from '../../store/store.js';
import { mediaSource } from '../files/downloader.js';
import { type Authorship, jidsOf } from '../identities/parties.js';

/** A message to write to the history: its event, and what receivers do not get. */
export interface Recording {
  event: EventEnvelope;
  /** The message with the content from which the event was composed. */
  message: IncomingMessage;
  author: Authorship;
  /** Undefined when the message changes an earlier one and is no row of its own. */
  storedType: StoredType | undefined;
  /** `metaData` of an API send. */
  metaData?: Record<string, unknown> | undefined;
  /** Why the message could not be read; its row is replaced when the message arrives after all. */
  unreadable?: UnreadableReason | undefined;
}

/** True for the row of a message that could not be read. */
export function isUnreadable({ extras }: Pick<HistoryMessage, 'extras'>): boolean {
  return extras.unreadable !== undefined;
}

/** The per-type objects of an event that are stored with the row. */
const KEPT = [
  ...(['media', 'poll', 'pollVote', 'interactive', 'contact', 'location'] as const),
  ...(['linkPreview', 'list', 'buttons', 'pin'] as const),
] as const;

export function rowOf(
  { event, message, author, metaData, unreadable }: Recording,
  storedType: StoredType,
  content: Uint8Array,
): HistoryMessage {
  const { messageId, chatRoomId, body, fromMe, pushName, media } = event;
  return {
    messageId,
    chatRoomId,
    body,
    messageType: storedType,
    fromMe,
    author: jidsOf(author)[0] ?? '',
    pushname: pushName,
    sentAt: message.timestamp,
    deleted: false,
    fromAi: metaData?.fromAI === true,
    media: media && {
      mimeType: media.mimeType,
      mediaType: media.mediaType,
      fileName: media.fileName,
      fileSize: media.fileSize,
    },
    fileId: media && isStored(media) ? newFileId() : '',
    extras: { ...extrasOf(event), ...(unreadable && { unreadable: { reason: unreadable } }) },
    content,
  };
}

/** Whether the message's file is downloaded; the row is written either way. */
function isStored(media: MediaExtra): boolean {
  return mediaSource(media) !== undefined && media.fileSize <= LIMITS.libraryFileBytes;
}

/** The room's new state after a message. */
export function roomOf(event: EventEnvelope): RoomUpdate {
  const { chatRoomId, myLid, clientLid, isGroup, remoteJid, body, fromMe, type } = event;
  return {
    chatRoomId,
    name: event.group?.subject || event.remoteName || event.remotePhone,
    myLid,
    clientLid,
    isGroup,
    remoteJid,
    lastMessage: body,
    unread: !fromMe && type !== VOTE_TYPE,
  };
}

function extrasOf(event: EventEnvelope): Record<string, unknown> {
  const { mentions, isForwarded, quoted, referral, group, meta } = event;
  const extras: Record<string, unknown> = {};
  for (const key of KEPT) if (event[key]) extras[key] = event[key];
  if (mentions.length > 0) extras.mentions = mentions;
  if (isForwarded) extras.forwarded = true;
  if (quoted) extras.quoted = quoted;
  if (referral) extras.referral = referral;
  if (group) extras.group = group;
  if (meta) extras.meta = { ...meta, fromAI: meta.fromAI === true };
  return extras;
}
