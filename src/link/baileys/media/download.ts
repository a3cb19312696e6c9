import { pipeline, type Readable } from 'node:stream';
import { getMediaKeys } from '@whiskeysockets/baileys';
import { request } from 'undici';
import { errorMessage } from '../../../domain/error-message.js';
import { GatewayError } from '../../../domain/errors.js';
import type { MediaSource } from '../../link.js';
import { Decryption } from './decrypt.js';
import { addressOf, type MediaRoute } from './route.js';

const ORIGIN = 'https://web.whatsapp.com';
const FOUND = 200;
/** How the network says that it does not have a file, or not any more. */
const GONE: ReadonlySet<number> = new Set([403, 404, 410]);

/** A file of a message, or a part of the account's past. */
type Encrypted = Omit<MediaSource, 'mediaType'> & { mediaType: MediaSource['mediaType'] | 'md-msg-hist' };

/**
 * Fetches a file and decrypts it while it flows, see the port.
 * @throws GatewayError `media_gone`, `media_unfetchable`; the reason of the signal when it aborts
 */
export async function download(route: MediaRoute, media: Encrypted, signal?: AbortSignal): Promise<Readable> {
  const address = addressOf(media);
  if (!address) throw new GatewayError('media_unfetchable', 'The message names no place at a media host.');
  const keys = await getMediaKeys(media.mediaKey, media.mediaType).catch(keyless);
  const encrypted = await fetchFrom(address, route, signal);
  const decryption = new Decryption(keys, media);
  // whoever reads learns of a failure from the stream itself; that nobody reads yet must not end the process
  pipeline(encrypted, decryption, () => undefined);
  decryption.on('error', () => undefined);
  return decryption;
}

async function fetchFrom(address: string, route: MediaRoute, signal?: AbortSignal): Promise<Readable> {
  const options = { dispatcher: route.following, headers: { origin: ORIGIN }, ...(signal && { signal }) };
  const { statusCode, body } = await request(address, options).catch((error: unknown) => {
    signal?.throwIfAborted();
    return unfetchable(errorMessage(error), error);
  });
  if (statusCode === FOUND) return body;
  await body.dump();
  if (!GONE.has(statusCode)) return unfetchable(`HTTP ${statusCode}`);
  throw new GatewayError('media_gone', `The network does not have this file any more (HTTP ${statusCode}).`);
}

function keyless(cause: unknown): never {
  throw new GatewayError('media_unfetchable', 'The message names no key for its file.', { cause });
}

function unfetchable(why: string, cause?: unknown): never {
  throw new GatewayError('media_unfetchable', `The media host did not give the file (${why}). Try again.`, {
    cause,
  });
}
