import { pipeline, type Readable } from 'node:stream';
import {
  assertMediaContent,
  type BinaryNode,
  decodeMediaRetryNode,
  decryptMediaRetryData,
  encryptMediaRetryRequest,
  getMediaKeys,
  getUrlFromDirectPath,
  proto,
  type WASocket,
} from '@whiskeysockets/baileys';
import type { Clock } from '../../../../domain/clock.js';
import { errorMessage, GatewayError } from '../../../../domain/errors.js';
import { LIMITS } from '../../../../domain/limits.js';
import type { MediaMessage, MediaSource } from '../../link.js';
import { proxyFailureIn } from '../tunnel.js';
import { Decryption } from './cipher.js';
import { addressOf, fetchFile, MEDIA_HOST, type MediaRoute } from './route.js';

const ORIGIN = 'https://web.whatsapp.com';
const FOUND = 200;
/** HTTP statuses for a file that the network does not have. */
const GONE: ReadonlySet<number> = new Set([403, 404, 410]);

/** A file of a message, or a part of the account's history. */
type EncryptedSource = Omit<MediaSource, 'mediaType'> & {
  mediaType: MediaSource['mediaType'] | 'md-msg-hist';
};

/**
 * Downloads a file and decrypts it as a stream, see the port.
 * @throws GatewayError `media_gone`, `media_unfetchable`, `proxy_failed`; the reason of the signal when it aborts
 */
export async function download(
  route: MediaRoute,
  media: EncryptedSource,
  signal?: AbortSignal,
): Promise<Readable> {
  const address = addressOf(media);
  if (!address) throw new GatewayError('media_unfetchable', 'The message names no place at a media host.');
  const keys = await getMediaKeys(media.mediaKey, media.mediaType).catch(keyless);
  const encrypted = await fetchFrom(address, route, signal);
  const decryption = new Decryption(keys, media);
  // the reader gets a failure from the stream itself; the callback prevents that a failure without a reader ends the process
  pipeline(encrypted, decryption, () => undefined);
  decryption.on('error', () => undefined);
  return decryption;
}

async function fetchFrom(address: string, route: MediaRoute, signal?: AbortSignal): Promise<Readable> {
  const options = { headers: { origin: ORIGIN }, ...(signal && { signal }) };
  const { statusCode, body } = await fetchFile(address, route, options).catch((error: unknown) => {
    signal?.throwIfAborted();
    const failure = proxyFailureIn(error);
    if (failure) throw new GatewayError('proxy_failed', `${failure.message} The file was not downloaded.`);
    return unfetchable(errorMessage(error), error);
  });
  if (statusCode === FOUND) return body;
  await body.dump();
  if (!GONE.has(statusCode)) return unfetchable(`HTTP ${statusCode}`);
  throw new GatewayError('media_gone', `The network no longer has this file (HTTP ${statusCode}).`);
}

function keyless(cause: unknown): never {
  throw new GatewayError('media_unfetchable', 'The message names no key for its file.', { cause });
}

function unfetchable(why: string, cause?: unknown): never {
  throw new GatewayError('media_unfetchable', `The media host did not give the file (${why}). Try again.`, {
    cause,
  });
}

const ANSWER = 'CB:notification,type:mediaretry';
const { SUCCESS } = proto.MediaRetryNotification.ResultType;

/**
 * Asks the linked phone to upload a file again. The library's own request has no timeout and leaves a listener behind.
 * @throws GatewayError `media_gone`, `media_phone_silent`
 */
export async function renewMedia(
  sock: WASocket,
  clock: Clock,
  { chat, messageId, fromMe, participant, content }: MediaMessage,
): Promise<{ directPath: string; url: string }> {
  const mediaKey = mediaKeyIn(content);
  const key = { remoteJid: chat, id: messageId, fromMe, ...(participant && { participant }) };
  const answer = answerFor(sock, clock, messageId);
  await sock
    .sendNode(encryptMediaRetryRequest(key, mediaKey, sock.authState.creds.me?.id ?? ''))
    .catch((error: unknown) => answer.stop(error));
  const directPath = directPathIn(await answer.node, mediaKey, messageId);
  return { directPath, url: getUrlFromDirectPath(directPath, MEDIA_HOST) };
}

/** The phone's answer; undefined when none came. */
function answerFor({ ws }: WASocket, clock: Clock, messageId: string) {
  let stop: (reason?: unknown) => void = () => undefined;
  const node = new Promise<BinaryNode | undefined>((resolve) => {
    const settle = (answer?: BinaryNode) => {
      cancel();
      ws.off(ANSWER, onAnswer);
      ws.off('close', stop);
      ws.off('error', stop);
      resolve(answer);
    };
    const onAnswer = (answer: BinaryNode) => {
      if (answer.attrs.id === messageId) settle(answer);
    };
    stop = () => settle();
    const cancel = clock.after(LIMITS.mediaRenewMs, stop);
    ws.on(ANSWER, onAnswer);
    ws.on('close', stop);
    ws.on('error', stop);
  });
  return { node, stop };
}

function directPathIn(answer: BinaryNode | undefined, mediaKey: Uint8Array, messageId: string): string {
  if (!answer) throw unanswered();
  try {
    const { media, error } = decodeMediaRetryNode(answer);
    if (!media) throw error;
    const { result, directPath } = decryptMediaRetryData(media, mediaKey, messageId);
    if (result === SUCCESS && directPath) return directPath;
  } catch (error) {
    throw gone('the linked phone does not have it either', error);
  }
  throw gone('the linked phone does not have it either');
}

function mediaKeyIn(content: MediaMessage['content']): Uint8Array {
  try {
    const { mediaKey } = assertMediaContent(content);
    if (mediaKey?.length) return mediaKey;
  } catch (error) {
    throw gone('the message has no file', error);
  }
  throw gone('the message does not tell the key of its file');
}

/** The error for a phone that does not answer, for example because it is off. */
function unanswered(): GatewayError {
  return new GatewayError('media_phone_silent', 'The linked phone did not answer for the file. Try again.');
}

function gone(why: string, cause?: unknown): GatewayError {
  return new GatewayError('media_gone', `The file cannot be had again: ${why}.`, { cause });
}
