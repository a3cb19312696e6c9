import type { Readable } from 'node:stream';
import type { Server } from '@hapi/hapi';
import Joi from 'joi';
import { rejectMedia } from '../faults/reject-media.js';
import { MAX_BLOB_BYTES } from '../media/blobs.js';
import type { Network } from '../network.js';
import { Refusal } from '../refusal.js';

const MEDIA_ORIGIN = 'https://mmg.whatsapp.net';

interface MediaParams {
  /** `image`, `video`, `audio`, `document`, or what else clients come up with. */
  kind: string;
  /** SHA-256 of the encrypted bytes, base64url. */
  hash: string;
}

const uploadParams = Joi.object({
  kind: Joi.string()
    .pattern(/^[a-z-]{1,32}$/, 'kind')
    .required(),
  // some clients keep the padding
  hash: Joi.string()
    .replace(/=+$/, '')
    .pattern(/^[\w-]{43}$/, 'base64url SHA-256')
    .required(),
});

/** The network's media host: it takes and gives encrypted files. */
export function mediaRoutes(server: Server, network: Network): void {
  server.route<{ Params: MediaParams; Query: { auth: string }; Payload: Readable }>({
    method: 'POST',
    path: '/mms/{kind}/{hash}',
    options: {
      payload: { output: 'stream', parse: false, maxBytes: MAX_BLOB_BYTES },
      validate: { params: uploadParams, query: Joi.object({ auth: Joi.string().default('') }).unknown() },
    },
    handler: async ({ params: { kind, hash }, query, payload }) => {
      const account = network.mediaTokens.owner(query.auth);
      if (!account) throw new Refusal(401, 'not a media token of this network');
      if (network.faults.take(rejectMedia, account)) throw new Refusal(500, 'upload rejected');
      await network.blobs.put(hash, payload);
      const path = `/v/${kind}/${hash}.enc`;
      return { url: `${MEDIA_ORIGIN}${path}`, direct_path: path };
    },
  });
  server.route<{ Params: MediaParams }>({
    method: 'GET',
    path: '/v/{kind}/{hash}.enc',
    handler: async ({ params }, h) => {
      const blob = await network.blobs.get(params.hash);
      if (!blob) throw new Refusal(404, 'no such media');
      // the length lets the server answer range requests
      return h.response(blob.stream).type('application/octet-stream').bytes(blob.size);
    },
  });
}
