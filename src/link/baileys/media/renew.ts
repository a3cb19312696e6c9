import {
  assertMediaContent,
  type BinaryNode,
  decodeMediaRetryNode,
  decryptMediaRetryData,
  encryptMediaRetryRequest,
  getUrlFromDirectPath,
  proto,
  type WASocket,
} from '@whiskeysockets/baileys';
import type { Clock } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import { LIMITS } from '../../../domain/limits.js';
import type { MediaMessage } from '../../link.js';
import { MEDIA_HOST } from './route.js';

const ANSWER = 'CB:notification,type:mediaretry';
const { SUCCESS } = proto.MediaRetryNotification.ResultType;

/**
 * Asks the linked phone to upload a file again. The library's own way has no bound and leaves a listener behind.
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
    .catch((error: unknown) => answer.giveUp(error));
  const directPath = directPathIn(await answer.node, mediaKey, messageId);
  return { directPath, url: getUrlFromDirectPath(directPath, MEDIA_HOST) };
}

/** The phone's answer, whatever it says; undefined when none came. */
function answerFor({ ws }: WASocket, clock: Clock, messageId: string) {
  let giveUp: (reason?: unknown) => void = () => undefined;
  const node = new Promise<BinaryNode | undefined>((resolve) => {
    const settle = (answer?: BinaryNode) => {
      cancel();
      ws.off(ANSWER, onAnswer);
      ws.off('close', giveUp);
      ws.off('error', giveUp);
      resolve(answer);
    };
    const onAnswer = (answer: BinaryNode) => {
      if (answer.attrs.id === messageId) settle(answer);
    };
    giveUp = () => settle();
    const cancel = clock.after(LIMITS.mediaRenewMs, giveUp);
    ws.on(ANSWER, onAnswer);
    ws.on('close', giveUp);
    ws.on('error', giveUp);
  });
  return { node, giveUp };
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

/** It may be switched off. */
function unanswered(): GatewayError {
  return new GatewayError('media_phone_silent', 'The linked phone did not answer for the file. Try again.');
}

function gone(why: string, cause?: unknown): GatewayError {
  return new GatewayError('media_gone', `The file cannot be had again: ${why}.`, { cause });
}
