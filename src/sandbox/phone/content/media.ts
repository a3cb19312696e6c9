import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { proto } from '@whiskeysockets/baileys';
import type { MediaContent, MediaKind, MediaView } from '../../../contract/sandbox/index.js';
import type { Network } from '../../state/network.js';
import { Refusal } from '../../wire/refusals.js';
import { findMedia, type MediaPart, uploadFile, uploadPlainFile } from '../media.js';
import type { StanzaShape } from '../phone-messages.js';
import type { PhoneContent, Writing } from './content.js';

const CHUNK_BYTES = 64 * 1024;
const WAVEFORM_VALUES = 64;
const LOUDEST = 100;
const WAVE_STEP = 7;

/** A file: picture, video, sound, document or sticker. */
export const media: PhoneContent = {
  write: {
    key: 'media',
    async compose({ media: file }, writing) {
      if (!file) return undefined;
      const part = await composePart(writing, file);
      return { message: wrap(file, FIELDS[file.kind](part, file)), shape: shapeOf(file) };
    },
  },
  read(message, { viewOnce }) {
    const found = findMedia(message);
    if (!found) return undefined;
    const view = { ...viewPart(found.part), viewOnce };
    return { type: found.kind, text: view.caption ?? '', media: view };
  },
};

/** The message of a file in a channel, which is not encrypted, and the `mediatype` of its stanza. */
export async function composeForChannel(
  network: Network,
  content: MediaContent,
): Promise<{ message: proto.IMessage; mediaType: string }> {
  const { sha256, size } = await takeFile(network, content);
  const uploaded = await uploadPlainFile(network, sha256, content.kind);
  if (!uploaded) throw new Refusal('file_unknown', `no phone holds a file ${sha256}`);
  const { mimeType: mimetype } = content;
  const part = { ...uploaded, mimetype, fileSha256: Buffer.from(sha256, 'hex'), fileLength: size };
  const mediaType = shapeOf(content).enc?.mediatype ?? content.kind;
  return { message: FIELDS[content.kind](part, content), mediaType };
}

/** Uploads a file, and returns the fields that all kinds of files share. */
async function composePart({ network, contextInfo }: Writing, content: MediaContent) {
  const { sha256, size } = await takeFile(network, content);
  const uploaded = await uploadFile(network, sha256, content.kind);
  if (!uploaded) throw new Refusal('file_unknown', `no phone holds a file ${sha256}`);
  return {
    ...uploaded,
    mimetype: content.mimeType,
    fileSha256: Buffer.from(sha256, 'hex'),
    fileLength: size,
    mediaKeyTimestamp: network.now(),
    ...(contextInfo && { contextInfo }),
  };
}

type Part = Partial<Awaited<ReturnType<typeof composePart>>>;

/** The message of each kind of file. */
const FIELDS: Record<MediaKind, (part: Part, content: MediaContent) => proto.IMessage> = {
  image: (part, { caption, width, height, viewOnce }) => ({
    imageMessage: { ...part, caption, width, height, viewOnce },
  }),
  video: (part, { caption, width, height, seconds, animated, viewOnce }) => ({
    videoMessage: { ...part, caption, width, height, seconds, gifPlayback: animated, viewOnce },
  }),
  audio: (part, { seconds, voice, viewOnce }) => ({
    audioMessage: { ...part, seconds, ptt: voice, viewOnce, ...(voice && { waveform: waveform() }) },
  }),
  document: (part, { caption, fileName, pageCount }) => ({
    documentMessage: { ...part, caption, fileName, title: fileName, pageCount },
  }),
  sticker: (part, { width, height, animated }) => ({
    stickerMessage: { ...part, width, height, isAnimated: animated },
  }),
};

/** Adds the wrapper that phones put around some files. */
function wrap({ kind, caption, viewOnce }: MediaContent, message: proto.IMessage): proto.IMessage {
  if (kind === 'document' && caption) return { documentWithCaptionMessage: { message } };
  if (!viewOnce) return message;
  return kind === 'audio' ? { viewOnceMessageV2Extension: { message } } : { viewOnceMessageV2: { message } };
}

function shapeOf({ kind, voice, animated }: MediaContent): StanzaShape {
  if (kind === 'audio' && voice) return { type: 'media', enc: { mediatype: 'ptt' } };
  if (kind === 'video' && animated) return { type: 'media', enc: { mediatype: 'gif' } };
  return { type: 'media', enc: { mediatype: kind } };
}

/** Stores the file to send, or finds it. @throws Refusal 404 when the phones do not hold it */
async function takeFile(network: Network, { base64, size = 0, file }: MediaContent) {
  if (base64 !== undefined) return network.media.files.put([Readable.from([Buffer.from(base64, 'base64')])]);
  if (file === undefined) return network.media.files.put([Readable.from(noise(size))]);
  const kept = await network.media.files.get(file);
  if (!kept) throw new Refusal('file_unknown', `no phone holds a file ${file}`);
  kept.stream.destroy();
  return { sha256: file, size: kept.size };
}

function* noise(size: number): Generator<Buffer> {
  for (let left = size; left > 0; left -= CHUNK_BYTES) yield randomBytes(Math.min(left, CHUNK_BYTES));
}

function waveform(): Uint8Array {
  return Uint8Array.from({ length: WAVEFORM_VALUES }, (_, position) => (position * WAVE_STEP) % LOUDEST);
}

function viewPart(part: MediaPart): Omit<MediaView, 'viewOnce'> {
  return {
    mimeType: part.mimetype ?? '',
    size: Number(part.fileLength ?? 0),
    sha256: Buffer.from(part.fileSha256 ?? []).toString('hex'),
    ...given('fileName', 'fileName' in part && part.fileName),
    ...given('caption', 'caption' in part && part.caption),
    ...given('seconds', 'seconds' in part && part.seconds),
    ...given('width', 'width' in part && part.width),
    ...given('height', 'height' in part && part.height),
    ...given('pageCount', 'pageCount' in part && part.pageCount),
    ...given('waveform', 'waveform' in part && part.waveform?.length),
    ...given('thumbnail', thumbnailOf(part)?.length),
    voice: 'ptt' in part && Boolean(part.ptt),
    animated:
      ('gifPlayback' in part && Boolean(part.gifPlayback)) ||
      ('isAnimated' in part && Boolean(part.isAnimated)),
  };
}

function thumbnailOf(part: MediaPart): Uint8Array | null | undefined {
  if ('jpegThumbnail' in part) return part.jpegThumbnail;
  return 'pngThumbnail' in part ? part.pngThumbnail : undefined;
}

/** A field that is left out when it is empty. */
function given<Key extends string, Value>(key: Key, value: Value | false | null | undefined | '' | 0) {
  return value ? { [key]: value } : {};
}
