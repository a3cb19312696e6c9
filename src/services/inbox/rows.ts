import { randomUUID } from 'node:crypto';
import { LIMITS } from '../../domain/limits.js';
import type { EventEnvelope } from '../../events/envelope.js';
import type { MediaExtra } from '../../events/extras.js';
import type { StoredType } from '../../kinds/kind.js';
import type { HistoryMessage, RoomUpdate } from '../../store/store.js';
import { jidsOf } from '../authorship.js';
import { mediaSource } from '../library/media-source.js';
import type { Recording } from './recording.js';

/** The per-type objects that are kept with a message as the receiver got them. */
const KEPT = ['media', 'poll', 'pollVote', 'interactive', 'contact', 'location'] as const;

/** A message as the history keeps it. */
export function rowOf(
  { event, message, author, metaData }: Recording,
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
    fileId: media && isStored(media) ? randomUUID() : '',
    extras: extrasOf(event),
    content,
  };
}

/** Whether a message's file is fetched; a message is kept without one too. */
function isStored(media: MediaExtra): boolean {
  return mediaSource(media) !== undefined && media.fileSize <= LIMITS.libraryFileBytes;
}

/** What a message does to its room. */
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
    // a vote is nothing to read, though it is a row
    unread: !fromMe && type !== 'vote_update',
  };
}

function extrasOf(event: EventEnvelope): Record<string, unknown> {
  const { mentions, isForwarded, quoted, group, meta } = event;
  const extras: Record<string, unknown> = {};
  for (const key of KEPT) if (event[key]) extras[key] = event[key];
  if (mentions.length > 0) extras.mentions = mentions;
  if (isForwarded) extras.forwarded = true;
  if (quoted) extras.quoted = quoted;
  if (group) extras.group = group;
  if (meta) extras.meta = { ...meta, fromAI: meta.fromAI === true };
  return extras;
}
