import { request } from 'undici';
import { errorMessage } from '../../../domain/error-message.js';
import { GatewayError } from '../../../domain/errors.js';
import { addressOf, type MediaRoute } from '../media/route.js';

/** Far more than any picture of a person or a group has. */
const MAX_BYTES = 5 * 1024 * 1024;
const GONE: ReadonlySet<number> = new Set([403, 404, 410]);

/**
 * Fetches a picture by the address that the network signed.
 * @throws GatewayError `media_gone`, `media_unfetchable`
 */
export async function fetchPicture(
  url: string,
  { following }: MediaRoute,
  signal?: AbortSignal,
): Promise<{ bytes: Uint8Array; mimeType: string }> {
  const address = addressOf({ url, directPath: '' });
  if (!address) throw new GatewayError('media_unfetchable', 'The picture is at no host of the network.');
  try {
    const answer = await request(address, { dispatcher: following, ...(signal && { signal }) });
    if (GONE.has(answer.statusCode)) {
      await answer.body.dump();
      throw new GatewayError(
        'media_gone',
        `The network does not have the picture (HTTP ${answer.statusCode}).`,
      );
    }
    const bytes = await collect(answer.body);
    if (answer.statusCode !== 200) throw new Error(`HTTP ${answer.statusCode}`);
    return { bytes, mimeType: String(answer.headers['content-type'] ?? 'image/jpeg') };
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    signal?.throwIfAborted();
    const why = errorMessage(error);
    throw new GatewayError('media_unfetchable', `The picture could not be fetched (${why}). Try again.`, {
      cause: error,
    });
  }
}

async function collect(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
