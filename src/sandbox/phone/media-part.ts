import type { proto } from '@whiskeysockets/baileys';
import type { MediaKind } from '../api.js';

/** What a message says of its file. */
export type MediaPart =
  | proto.Message.IImageMessage
  | proto.Message.IVideoMessage
  | proto.Message.IAudioMessage
  | proto.Message.IDocumentMessage
  | proto.Message.IStickerMessage;

/** The file of a message without its wrappers; undefined when it has none. */
export function findMedia(message: proto.IMessage): { kind: MediaKind; part: MediaPart } | undefined {
  const { imageMessage, videoMessage, ptvMessage, audioMessage, documentMessage, stickerMessage } = message;
  const video = videoMessage ?? ptvMessage;
  if (imageMessage) return { kind: 'image', part: imageMessage };
  if (video) return { kind: 'video', part: video };
  if (audioMessage) return { kind: 'audio', part: audioMessage };
  if (documentMessage) return { kind: 'document', part: documentMessage };
  if (stickerMessage) return { kind: 'sticker', part: stickerMessage };
  return undefined;
}
