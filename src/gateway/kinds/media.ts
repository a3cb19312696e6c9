import type { MediaExtra } from '../../contract/events/extras.js';
import type { ComposeContext, Composed, Content, FileWishes, Kind, OutgoingFile, Reading } from './kind.js';

/** The kinds of files. */
export type MediaType = 'image' | 'video' | 'audio' | 'document' | 'sticker';

/** A 64-bit number, as the protocol library gives it. */
type Big = number | { toNumber(): number };
type Maybe<T> = T | null | undefined;

/** Fields of the network's media messages; not every message has all of them. */
interface MediaFields {
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

/** The differences between kinds of files. */
interface Medium {
  type: MediaType;
  takes(mimeType: string, wishes: FileWishes): boolean;
  /** @param common fields that every kind of file is sent with */
  compose(file: OutgoingFile, wishes: FileWishes, common: ReturnType<typeof commonFields>): Composed;
  fieldsIn(content: Content): Maybe<MediaFields>;
  /** Fields that only this kind has. */
  marksIn?(content: Content): Pick<MediaExtra, 'voice' | 'animated'>;
}

const WEBP = 'image/webp';

/** Kinds of files, in the order in which they are tried for a file; a document takes any. */
const MEDIA: readonly Medium[] = [
  {
    type: 'sticker',
    takes: (mimeType, { asSticker }) => asSticker && isOfType(mimeType, WEBP),
    compose: ({ path, animated = false }, _wishes, common) => ({
      sticker: { url: path },
      ...common,
      isAnimated: animated,
    }),
    fieldsIn: ({ stickerMessage }) =>
      stickerMessage && { ...stickerMessage, mimetype: stickerMessage.mimetype || WEBP },
    marksIn: ({ stickerMessage }) => ({
      animated: Boolean(stickerMessage?.isAnimated || stickerMessage?.isLottie),
    }),
  },
  {
    type: 'image',
    takes: (mimeType) => isOfType(mimeType, 'image/'),
    compose: ({ path }, { caption }, common) => ({
      image: { url: path },
      ...common,
      ...(caption && { caption }),
    }),
    fieldsIn: ({ imageMessage }) => imageMessage,
  },
  {
    // a film, a silent loop (GIF), or a round video recorded in the chat
    type: 'video',
    takes: (mimeType) => isOfType(mimeType, 'video/'),
    compose: ({ path, seconds }, { caption }, common) => ({
      video: { url: path },
      ...common,
      ...(seconds && { seconds }),
      ...(caption && { caption }),
    }),
    fieldsIn: ({ videoMessage, ptvMessage }) => videoMessage ?? ptvMessage,
    marksIn: ({ videoMessage, ptvMessage }) =>
      (videoMessage ?? ptvMessage)?.gifPlayback ? { animated: true } : {},
  },
  {
    type: 'audio',
    takes: (mimeType) => isOfType(mimeType, 'audio/'),
    compose: ({ path, seconds, waveform }, { asVoice }, common) => ({
      audio: { url: path },
      ...common,
      ptt: asVoice,
      ...(seconds && { seconds }),
      ...(asVoice && waveform && { waveform }),
    }),
    fieldsIn: ({ audioMessage }) => audioMessage,
    marksIn: ({ audioMessage }) => ({ voice: audioMessage?.ptt === true }),
  },
  {
    type: 'document',
    takes: () => true,
    compose: ({ path, fileName, pageCount }, { caption }, common) => {
      const content = {
        document: { url: path },
        ...common,
        fileName,
        title: fileName,
        ...(pageCount && { pageCount }),
        ...(caption && { caption }),
      };
      return content;
    },
    fieldsIn: ({ documentMessage }) => documentMessage,
  },
];

/** The kinds of messages with a file. */
export const MEDIA_KINDS: readonly Kind[] = MEDIA.map(({ type, takes, compose, fieldsIn, marksIn }) => ({
  name: type,
  storedType: type,
  file: {
    takes,
    compose: (file, wishes, context) => compose(file, wishes, commonFields(file, context)),
  },
  read(content, context) {
    const fields = fieldsIn(content);
    return fields ? readMedia(type, fields, context.viewOnce, marksIn?.(content)) : undefined;
  },
}));

/** The event fields of a file; its body is the caption. */
function readMedia(
  mediaType: MediaType,
  fields: MediaFields,
  viewOnce: boolean,
  marks: Pick<MediaExtra, 'voice' | 'animated'> = {},
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

/** The fields of every file, without unknown facts. The library cannot compute them, because it never sees the file. */
function commonFields(file: OutgoingFile, { mentionedJids }: ComposeContext) {
  const { mimeType, width, height, thumbnail } = file;
  return {
    mimetype: mimeType,
    ...(width && height && { width, height }),
    ...(thumbnail && { jpegThumbnail: base64(thumbnail) }),
    ...(mentionedJids.length > 0 && { mentions: mentionedJids }),
  };
}

/** True for a MIME type with this prefix, such as `image/`, in upper or lower case. */
function isOfType(mimeType: string, type: `${string}/${string}`): boolean {
  return mimeType.trim().toLowerCase().startsWith(type);
}

function base64(bytes: Maybe<Uint8Array>): string {
  return Buffer.from(bytes ?? []).toString('base64');
}

function toNumber(value: Maybe<Big>): number {
  return typeof value === 'object' && value !== null ? value.toNumber() : (value ?? 0);
}
