import {
  type CacheStore,
  generateWAMessage,
  generateWAMessageFromContent,
  type MessageGenerationOptionsFromContent,
  proto,
} from '@whiskeysockets/baileys';
import type { ComposeContext, Composed, Content } from '../../../../src/gateway/kinds/kind.js';

export const CHAT = '90000000000002@lid';
export const OWN = '90000000000001@lid';
/** A path that does not exist: kinds must not open the file. */
export const FILE_PATH = '/nowhere/file';
export const MENTIONED = '90000000000003@lid';

/** The context in which a kind composes for a private chat. */
export const CONTEXT: ComposeContext = { chat: CHAT, now: Date.UTC(2026, 10, 22), mentionedJids: [] };

/** Where the media host keeps the file of a test, and what decrypts it. */
export const PLACE = {
  url: 'https://mmg.whatsapp.net/v/t62/file.enc?ccb=11-4',
  directPath: '/v/t62/file.enc?ccb=11-4',
  mediaKey: Buffer.alloc(32, 1),
  fileSha256: Buffer.alloc(32, 2),
  fileEncSha256: Buffer.alloc(32, 3),
  fileLength: 5_000_000_000,
  mediaKeyTimestamp: 1_795_000_000,
};

/** The same as an event shows it. */
export const DOWNLOAD = {
  url: PLACE.url,
  directPath: PLACE.directPath,
  mediaKey: PLACE.mediaKey.toString('base64'),
  fileSha256: PLACE.fileSha256.toString('base64'),
  fileEncSha256: PLACE.fileEncSha256.toString('base64'),
  mediaKeyTimestamp: PLACE.mediaKeyTimestamp,
};

/**
 * A composed message as recipients decode it: built by the library like in the link, encoded and decoded.
 * @param quoted what it answers
 */
export async function overTheWire(composed: Composed, quoted?: Content): Promise<Content> {
  const options: MessageGenerationOptionsFromContent = {
    userJid: OWN,
    ...(quoted && { quoted: { key: { remoteJid: CHAT, id: 'QUOTED', fromMe: false }, message: quoted } }),
  };
  const made =
    'raw' in composed
      ? generateWAMessageFromContent(CHAT, composed.raw, options)
      : await generateWAMessage(CHAT, composed, { ...options, upload: neverUpload, mediaCache: UPLOADED });
  return proto.Message.decode(proto.Message.encode(made.message ?? {}).finish());
}

/** The file at `FILE_PATH` counts as uploaded, whatever kind it is sent as. */
const uploaded = new Map();
for (const mediaType of ['image', 'video', 'audio', 'document', 'sticker']) {
  const message = proto.Message.fromObject({ [`${mediaType}Message`]: PLACE });
  uploaded.set(`${mediaType}:${FILE_PATH}`, proto.Message.encode(message).finish());
}

const UPLOADED: CacheStore = {
  get: (key) => uploaded.get(key),
  set: () => undefined,
  del: () => undefined,
  flushAll: () => undefined,
};

function neverUpload(): never {
  throw new Error('nothing is uploaded');
}
