import {
  type CacheStore,
  generateWAMessage,
  generateWAMessageFromContent,
  isLidUser,
  jidNormalizedUser,
  type MessageGenerationOptionsFromContent,
  proto,
  type WASocket,
} from '@whiskeysockets/baileys';
import type { MessageContent, OutgoingMessage } from '../link.js';
import type { FileToSend, Uploader } from './media/upload.js';

const MEDIA_TYPES = ['image', 'video', 'audio', 'document', 'sticker'] as const;

/**
 * Makes the message of what a kind composed; files are uploaded.
 * @param now milliseconds since the epoch
 * @throws GatewayError `send_rejected` when a file cannot be uploaded
 */
export async function compose(
  sock: WASocket,
  uploader: Uploader,
  message: OutgoingMessage,
  now: number,
): Promise<MessageContent> {
  const { to, content } = message;
  if ('encoded' in content) return proto.Message.decode(content.encoded);
  const options = generationOptions(sock, message);
  if ('raw' in content) return contentOf(generateWAMessageFromContent(to, content.raw, options));
  const file = fileIn(content);
  if (!file) return contentOf(await generateWAMessage(to, content, { ...options, upload: neverUpload }));
  const mediaCache = await uploaded(uploader, file, now);
  const made = await generateWAMessage(to, content, { ...options, upload: neverUpload, mediaCache });
  // some of its fields still are what the kind wrote, and not yet what the network carries
  return proto.Message.decode(proto.Message.encode(contentOf(made)).finish());
}

function generationOptions(
  { authState: { creds } }: WASocket,
  { to, messageId, quoted }: OutgoingMessage,
): MessageGenerationOptionsFromContent {
  return {
    messageId,
    userJid: jidNormalizedUser((isLidUser(to) && creds.me?.lid) || creds.me?.id),
    ...(quoted && {
      quoted: {
        key: { remoteJid: to, id: quoted.messageId, fromMe: quoted.fromMe, participant: quoted.participant },
        message: quoted.content,
      },
    }),
  };
}

function contentOf({ message }: { message?: MessageContent | null }): MessageContent {
  return message ?? {};
}

function fileIn(content: object): FileToSend | undefined {
  for (const mediaType of MEDIA_TYPES) {
    const file: unknown = Reflect.get(content, mediaType);
    if (file instanceof Object && 'url' in file) return { mediaType, path: String(file.url) };
  }
  return undefined;
}

/**
 * The file as the library's cache of uploads holds it. The library's own upload would keep a copy on the disk, stop the
 * process when that is full, and not say what went wrong where.
 */
async function uploaded(uploader: Uploader, file: FileToSend, now: number): Promise<CacheStore> {
  const place = await uploader.upload(file);
  const mediaKeyTimestamp = Math.floor(now / 1000);
  const message = proto.Message.fromObject({ [`${file.mediaType}Message`]: { ...place, mediaKeyTimestamp } });
  const files = new Map();
  files.set(`${file.mediaType}:${file.path}`, proto.Message.encode(message).finish());
  return {
    get: (key) => files.get(key),
    set: () => undefined,
    del: () => undefined,
    flushAll: () => undefined,
  };
}

function neverUpload(): never {
  throw new Error('files are uploaded before their message is made');
}
