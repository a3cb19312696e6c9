import { randomUUID } from 'node:crypto';
import { fileTypeFromFile } from 'file-type';
import type { DaemonClient } from './client.js';
import { Progress } from './progress.js';
import { repeatably } from './send.js';
import { openUpload } from './upload.js';
import type { SendAnswer } from './wire.js';

/** A file to send, and with what. */
export interface MediaToSend {
  clientId: string;
  to: string;
  /** A path, or an address that the daemon fetches. */
  source: string;
  /** Overrides what the file is found to be. */
  mimeType?: string;
  caption?: string;
  /** Of an address only: a file on disk has a name. */
  fileName?: string;
  asVoice: boolean;
  asSticker: boolean;
  quotedMessageId?: string;
  mentions?: string[];
  metaData?: object;
}

/** True when the daemon is to fetch it. */
export function isAddress(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

/** Sends a file of this machine's, or one that the daemon fetches. @throws CliError */
export function sendMedia(
  client: DaemonClient,
  media: MediaToSend,
  key: string = randomUUID(),
): Promise<SendAnswer> {
  return repeatably(key, () => (isAddress(media.source) ? sendAddress : sendFile)(client, media, key));
}

function sendAddress(client: DaemonClient, media: MediaToSend, key: string): Promise<SendAnswer> {
  const { source, asVoice, asSticker, ...rest } = media;
  const body = { ...rest, downloadUrl: source, sendAudioAsVoice: asVoice, asSticker };
  return client.send('/send-media-message', body, key);
}

async function sendFile(client: DaemonClient, media: MediaToSend, key: string): Promise<SendAnswer> {
  const { clientId, to, source, caption, quotedMessageId, mentions, metaData } = media;
  const fields = {
    clientId,
    to,
    caption,
    quotedMessageId,
    sendAudioAsVoice: media.asVoice ? 'true' : undefined,
    asSticker: media.asSticker ? 'true' : undefined,
    mentions: mentions?.join(','),
    metaData: metaData && JSON.stringify(metaData),
  };
  let progress: Progress | undefined;
  const mimeType = media.mimeType ?? (await detectType(source));
  const upload = await openUpload(source, mimeType, fields, (bytes) => progress?.add(bytes));
  progress = new Progress(source, upload.size);
  try {
    return await client.upload('/send-media-message', clientId, upload, key);
  } finally {
    progress.end();
  }
}

/** By its first bytes; what they do not tell is a document. */
export async function detectType(path: string): Promise<string> {
  const found = await fileTypeFromFile(path).catch(() => undefined);
  return found?.mime ?? 'application/octet-stream';
}
