import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { fileTypeFromFile } from 'file-type';
import { FormData, Response } from 'undici';
import type { SendMediaAnswer } from '../../contract/index.js';
import type { DaemonClient } from './client.js';
import { CliError } from './errors.js';
import { ProgressBar } from './progress.js';
import { explainLostAnswer } from './send.js';
import { spoolStandardInput } from './terminal.js';

export interface MediaToSend {
  clientId: string;
  to: string;
  /** A path, a URL that the daemon downloads, or `-` for standard input. */
  source: string;
  /** Overrides the detected type. */
  mimeType?: string;
  caption?: string;
  /** File name for the recipient; default: the name of the file. */
  fileName?: string;
  asVoice: boolean;
  asSticker: boolean;
  quotedMessageId?: string;
  mentions?: string[];
  metaData?: Record<string, unknown>;
  whenAllowed?: boolean;
}

/** True for a URL, which the daemon downloads. */
export function isAddress(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

/**
 * Sends a local file, or one that the daemon downloads.
 * @throws CliError
 */
export async function sendMedia(
  client: DaemonClient,
  media: MediaToSend,
  {
    key = randomUUID(),
    quiet = false,
    signal,
  }: {
    /** Idempotency key; default: random. */
    key?: string;
    /** Show no progress. */
    quiet?: boolean;
    /** Aborts reading standard input. */
    signal?: AbortSignal;
  } = {},
): Promise<SendMediaAnswer> {
  if (isAddress(media.source)) return explainLostAnswer(key, () => sendAddress(client, media, key));
  if (media.whenAllowed) {
    throw new CliError('usage', '--when-allowed needs a file that the daemon can fetch later: give its URL');
  }
  if (media.source !== '-') return explainLostAnswer(key, () => sendFile(client, media, key, quiet));
  const spooled = await spoolStandardInput(signal);
  try {
    const named = { ...media, source: spooled.path, fileName: media.fileName ?? 'file' };
    return await explainLostAnswer(key, () => sendFile(client, named, key, quiet));
  } finally {
    await spooled.remove();
  }
}

function sendAddress(client: DaemonClient, media: MediaToSend, key: string): Promise<SendMediaAnswer> {
  const { source, asVoice, asSticker, ...rest } = media;
  const request = { ...rest, downloadUrl: source, sendAudioAsVoice: asVoice, asSticker };
  return client.sendMediaMessage(request, { idempotencyKey: key });
}

async function sendFile(
  client: DaemonClient,
  media: MediaToSend,
  key: string,
  quiet: boolean,
): Promise<SendMediaAnswer> {
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
  let progress: ProgressBar | undefined;
  const mimeType = media.mimeType ?? (await detectType(source));
  const name = media.fileName ?? basename(source);
  const upload = await openUpload(source, mimeType, fields, (bytes) => progress?.add(bytes), name);
  if (!quiet) progress = new ProgressBar(name, upload.size);
  try {
    return await client.upload(clientId, upload, key);
  } finally {
    progress?.end();
  }
}

/** Detects the MIME type by the first bytes. */
export async function detectType(path: string): Promise<string> {
  const found = await fileTypeFromFile(path).catch(() => undefined);
  return found?.mime ?? 'application/octet-stream';
}

/**
 * Opens a multipart form with a file, which streams from disk.
 * @param fields undefined values are left out
 * @param onBytes called with the size of each chunk sent
 * @param name file name in the form
 * @throws CliError `usage` if the file is not readable
 */
export async function openUpload(
  path: string,
  mimeType: string,
  fields: Readonly<Record<string, string | undefined>>,
  onBytes: (bytes: number) => void,
  name: string = basename(path),
): Promise<{
  contentType: string;
  body: Readable;
  /** Bytes of the file. */
  size: number;
}> {
  const size = await fileSize(path);
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, value);
  form.append('file', await openAsBlob(path, { type: mimeType }), name);
  const { body, headers } = new Response(form);
  if (!body) throw new Error('a form has a body');
  return {
    contentType: headers.get('content-type') ?? '',
    body: counted(Readable.fromWeb(body), onBytes),
    size,
  };
}

function counted(source: Readable, onBytes: (bytes: number) => void): Readable {
  return Readable.from(
    (async function* () {
      for await (const chunk of source) {
        onBytes(chunk.length);
        yield chunk;
      }
    })(),
  );
}

/** Size of a file in bytes. @throws CliError `usage` if it is not a readable file */
export async function fileSize(path: string): Promise<number> {
  const found = await stat(path).catch((error: unknown) => {
    throw new CliError('usage', `${path} cannot be read`, { cause: error });
  });
  if (found.isFile()) return found.size;
  throw new CliError('usage', `${path} is not a file`);
}
