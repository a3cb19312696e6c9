import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Server } from '@hapi/hapi';
import Joi from 'joi';
import type { Parts } from '../clients/parts.js';
import { directPath, MEDIA_HOSTS, mediaUrl } from '../media/host.js';
import { MAX_FILE_BYTES } from '../media/store.js';
import { nameOfMedia } from '../phone/media.js';
import type { Phones } from '../phone/phone.js';
import { Refusal } from '../wire/refusals.js';

interface MediaParams {
  /** `image`, `video`, `audio`, `document`, or another word of the client. */
  kind: string;
  /** SHA-256 of the encrypted bytes, base64url; in downloads with an optional suffix. */
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

/** The media hosts of the network: upload and download of encrypted files, and of pictures. */
export function mediaRoutes(server: Server, { network, phones }: Parts): void {
  /** Why this media host does not take an upload now, if it does not. */
  const refusalOf = (auth: string, host: string): Refusal | undefined => {
    const lid = network.media.tokens.owner(auth);
    const account = lid === undefined ? undefined : network.directory.byLid(lid);
    if (!account) return new Refusal(401, 'not a media token of this network');
    if (host === MEDIA_HOSTS[0] && network.faults.take('media-host-down', account))
      return new Refusal(503, 'this media host is down');
    if (network.faults.take('reject-media', account)) return new Refusal(500, 'upload rejected');
    return undefined;
  };
  server.route<{ Params: MediaParams; Query: { auth: string }; Payload: Readable }>({
    method: 'POST',
    path: '/mms/{kind}/{hash}',
    options: {
      payload: { output: 'stream', parse: false, maxBytes: MAX_FILE_BYTES },
      validate: { params: uploadParams, query: Joi.object({ auth: Joi.string().default('') }).unknown() },
    },
    handler: async ({ params: { kind, hash }, query, payload, info }) => {
      const refusal = refusalOf(query.auth, info.hostname);
      if (refusal) {
        // a client that still writes its file would otherwise see a closed connection, and not the answer
        await finished(payload.resume());
        throw refusal;
      }
      const { name } = await network.media.blobs.put([payload], hash);
      const path = directPath(kind, name);
      return { url: mediaUrl(path), direct_path: path };
    },
  });
  server.route<{ Params: MediaParams }>({
    method: 'GET',
    path: '/v/{kind}/{hash}.enc',
    handler: async ({ params }, h) => {
      const blob = await network.media.blobs.get(params.hash);
      if (!blob && network.media.blobs.isExpired(params.hash))
        throw new Refusal(410, 'this media has expired');
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
      if (!network.media.pictureUrls.isGood(params.sha256, query))
        throw new Refusal(403, 'the URL is not signed, or has expired');
      const file = await network.media.files.get(params.sha256);
      if (!file) throw new Refusal(404, 'no such picture');
      return h.response(file.stream).type('image/jpeg').bytes(file.size);
    },
  });
  server.route<{ Payload: { messageId?: string } }>({
    method: 'POST',
    path: '/media/expire',
    options: { validate: { payload: Joi.object({ messageId: Joi.string() }).allow(null) } },
    handler: async ({ payload }) => {
      // a phone that has not opened a message yet still fetches its file
      await phones.settled();
      const messageId = payload?.messageId;
      const name = messageId === undefined ? undefined : requireMediaName(phones, messageId);
      return { expired: await network.media.blobs.expire(name) };
    },
  });
  server.route<{ Payload: Readable }>({
    method: 'POST',
    path: '/files',
    options: { payload: { output: 'stream', parse: false, maxBytes: MAX_FILE_BYTES } },
    handler: async ({ payload }, h) => {
      const { sha256: file, size } = await network.media.files.put([payload]);
      return h.response({ file, size }).code(201);
    },
  });
}

/** The name of a message's file on the media host. @throws Refusal 404 when no phone holds such a message. */
function requireMediaName(phones: Phones, messageId: string): string {
  for (const { held } of phones.all) {
    const message = held.get(messageId);
    const name = message && nameOfMedia(message);
    if (name) return name;
  }
  throw new Refusal(404, `no phone holds a message ${messageId} with a file`);
}
