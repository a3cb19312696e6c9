import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { fileTypeFromFile } from 'file-type';
import type { DaemonClient } from './client.js';
import { Progress } from './progress.js';
import { repeatably } from './send.js';
import { spoolStandardInput } from './spool.js';
import { openUpload } from './upload.js';
import type { SendAnswer } from './wire.js';

/** A file to send, and with what. */
export interface MediaToSend {
  clientId: string;
  to: string;
  /** A path, an address that the daemon fetches, or `-` for standard input. */
  source: string;
  /** Overrides what the file is found to be. */
  mimeType?: string;
  caption?: string;
  /** Under which it arrives; a file on disk has a name. */
  fileName?: string;
  asVoice: boolean;
  asSticker: boolean;
  quotedMessageId?: string;
  mentions?: string[];
  metaData?: object;
}

export interface SendMediaOptions {
  /** Makes it safe to send again; made up when absent. */
  key?: string;
  /** Draws no progress. */
  quiet?: boolean;
  /** Ends the reading of standard input. */
  signal?: AbortSignal;
}

/** True when the daemon is to fetch it. */
export function isAddress(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

/**
 * Sends a file of this machine's, or one that the daemon fetches.
 * @throws CliError
 */
export async function sendMedia(
  client: DaemonClient,
  media: MediaToSend,
  { key = randomUUID(), quiet = false, signal }: SendMediaOptions = {},
): Promise<SendAnswer> {
  if (isAddress(media.source)) return repeatably(key, () => sendAddress(client, media, key));
  if (media.source !== '-') return repeatably(key, () => sendFile(client, media, key, quiet));
  const spooled = await spoolStandardInput(signal);
  try {
    const named = { ...media, source: spooled.path, fileName: media.fileName ?? 'file' };
    return await repeatably(key, () => sendFile(client, named, key, quiet));
  } finally {
    await spooled.remove();
  }
}

function sendAddress(client: DaemonClient, media: MediaToSend, key: string): Promise<SendAnswer> {
  const { source, asVoice, asSticker, ...rest } = media;
  const body = { ...rest, downloadUrl: source, sendAudioAsVoice: asVoice, asSticker };
  return client.send('/send-media-message', body, key);
}

async function sendFile(
  client: DaemonClient,
  media: MediaToSend,
  key: string,
  quiet: boolean,
): Promise<SendAnswer> {
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
  const name = media.fileName ?? basename(source);
  const upload = await openUpload(source, mimeType, fields, (bytes) => progress?.add(bytes), name);
  if (!quiet) progress = new Progress(name, upload.size);
  try {
    return await client.upload('/send-media-message', clientId, upload, key);
  } finally {
    progress?.end();
  }
}

/** By its first bytes; what they do not tell is a document. */
export async function detectType(path: string): Promise<string> {
  const found = await fileTypeFromFile(path).catch(() => undefined);
  return found?.mime ?? 'application/octet-stream';
}
