import type { MediaExtra } from '../events/extras.js';
import type { ComposeContext, OutgoingFile, ReadContext, Reading } from './kind.js';

/** The media that events name by their own types. */
export type MediaType = 'image' | 'video' | 'audio' | 'document' | 'sticker';

/** A 64-bit number, as the protocol library gives it. */
type Big = number | { toNumber(): number };
type Maybe<T> = T | null | undefined;

/** What the network's media messages have in common; not each has all of it. */
export interface MediaFields {
  url?: Maybe<string>;
  directPath?: Maybe<string>;
  mediaKey?: Maybe<Uint8Array>;
  fileSha256?: Maybe<Uint8Array>;
  fileEncSha256?: Maybe<Uint8Array>;
  mediaKeyTimestamp?: Maybe<Big>;
  fileLength?: Maybe<Big>;
  mimetype?: Maybe<string>;
  fileName?: Maybe<string>;
  title?: Maybe<string>;
  caption?: Maybe<string>;
  seconds?: Maybe<number>;
  width?: Maybe<number>;
  height?: Maybe<number>;
}

/** What only some media have. */
type Marks = Pick<MediaExtra, 'voice' | 'animated'>;

/** What an event says of a file; its body is the caption. */
export function readMedia(
  mediaType: MediaType,
  fields: MediaFields,
  { viewOnce }: Pick<ReadContext, 'viewOnce'>,
  marks: Marks = {},
): Reading {
  const { mimetype, fileName, title, caption, seconds, width, height } = fields;
  const media: MediaExtra = {
    mimeType: mimetype || 'application/octet-stream',
    mediaType,
    fileName: fileName || title || '',
    fileSize: toNumber(fields.fileLength),
    caption: caption ?? '',
    ...(seconds && { seconds }),
    ...(width && height && { width, height }),
    ...marks,
    ...(viewOnce && { viewOnce }),
    download: readDownload(fields),
  };
  return { type: mediaType, body: media.caption, extra: { media } };
}

function readDownload(fields: MediaFields): MediaExtra['download'] {
  return {
    url: fields.url ?? '',
    directPath: fields.directPath ?? '',
    mediaKey: base64(fields.mediaKey),
    fileSha256: base64(fields.fileSha256),
    fileEncSha256: base64(fields.fileEncSha256),
    mediaKeyTimestamp: toNumber(fields.mediaKeyTimestamp),
  };
}

/**
 * What every file is sent with. What was not found out about it is left out, and nobody else computes it: the link
 * uploads files by itself.
 */
export function composeFile(file: OutgoingFile, { mentionedJids }: ComposeContext) {
  const { mimeType, width, height, thumbnail } = file;
  return {
    mimetype: mimeType,
    ...(width && height && { width, height }),
    ...(thumbnail && { jpegThumbnail: base64(thumbnail) }),
    ...(mentionedJids.length > 0 && { mentions: mentionedJids }),
  };
}

/** True for a MIME type that begins so, whatever the case of its letters: `image/` for pictures. */
export function isOfType(mimeType: string, type: `${string}/${string}`): boolean {
  return mimeType.trim().toLowerCase().startsWith(type);
}

function base64(bytes: Maybe<Uint8Array>): string {
  return Buffer.from(bytes ?? []).toString('base64');
}

function toNumber(value: Maybe<Big>): number {
  return typeof value === 'object' && value !== null ? value.toNumber() : (value ?? 0);
}
