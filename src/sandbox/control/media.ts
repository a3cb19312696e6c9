import type { Readable } from 'node:stream';
import type { Server } from '@hapi/hapi';
import Joi from 'joi';
import { mediaHostDown } from '../faults/media-host-down.js';
import { rejectMedia } from '../faults/reject-media.js';
import { directPath, MEDIA_HOSTS, mediaUrl } from '../media/paths.js';
import { MAX_FILE_BYTES } from '../media/shelf.js';
import type { Network } from '../network.js';
import { nameOfMedia } from '../phone/media.js';
import { Refusal } from '../refusal.js';

interface MediaParams {
  /** `image`, `video`, `audio`, `document`, or what else clients come up with. */
  kind: string;
  /** SHA-256 of the encrypted bytes, base64url; a download's may have a suffix. */
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
      payload: { output: 'stream', parse: false, maxBytes: MAX_FILE_BYTES },
      validate: { params: uploadParams, query: Joi.object({ auth: Joi.string().default('') }).unknown() },
    },
    handler: async ({ params: { kind, hash }, query, payload, info }) => {
      const account = network.mediaTokens.owner(query.auth);
      if (!account) throw new Refusal(401, 'not a media token of this network');
      if (info.hostname === MEDIA_HOSTS[0] && network.faults.take(mediaHostDown, account))
        throw new Refusal(503, 'this media host is down');
      if (network.faults.take(rejectMedia, account)) throw new Refusal(500, 'upload rejected');
      const { name } = await network.blobs.put([payload], hash);
      const path = directPath(kind, name);
      return { url: mediaUrl(path), direct_path: path };
    },
  });
  server.route<{ Params: MediaParams }>({
    method: 'GET',
    path: '/v/{kind}/{hash}.enc',
    handler: async ({ params }, h) => {
      const blob = await network.blobs.get(params.hash);
      if (!blob && network.blobs.isExpired(params.hash)) throw new Refusal(410, 'this media has expired');
      if (!blob) throw new Refusal(404, 'no such media');
      // the length lets the server answer range requests
      return h.response(blob.stream).type('application/octet-stream').bytes(blob.size);
    },
  });
  server.route<{ Params: { sha256: string }; Query: { oh: string; oe: string } }>({
    method: 'GET',
    path: '/v/pictures/{sha256}.jpg',
    options: {
      validate: {
        query: Joi.object({ oh: Joi.string().default(''), oe: Joi.string().default('') }).unknown(),
      },
    },
    handler: async ({ params, query }, h) => {
      if (!network.pictureUrls.isGood(params.sha256, query))
        throw new Refusal(403, 'the URL is not signed, or has expired');
      const file = await network.files.get(params.sha256);
      if (!file) throw new Refusal(404, 'no such picture');
      return h.response(file.stream).type('image/jpeg').bytes(file.size);
    },
  });
  server.route<{ Payload: { messageId?: string } }>({
    method: 'POST',
    path: '/media/expire',
    options: { validate: { payload: Joi.object({ messageId: Joi.string() }).allow(null) } },
    handler: async ({ payload }) => {
      const messageId = payload?.messageId;
      const name = messageId === undefined ? undefined : requireMediaName(network, messageId);
      return { expired: await network.blobs.expire(name) };
    },
  });
  server.route<{ Payload: Readable }>({
    method: 'POST',
    path: '/files',
    options: { payload: { output: 'stream', parse: false, maxBytes: MAX_FILE_BYTES } },
    handler: async ({ payload }, h) => {
      const { sha256: file, size } = await network.files.put([payload]);
      return h.response({ file, size }).code(201);
    },
  });
}

/** The name of a message's file on the media host. @throws Refusal 404 when no phone holds such a message. */
function requireMediaName(network: Network, messageId: string): string {
  for (const account of network.registry.accounts) {
    const held = network.phone(account).held.get(messageId);
    const name = held && nameOfMedia(held);
    if (name) return name;
  }
  throw new Refusal(404, `no phone holds a message ${messageId} with a file`);
}
