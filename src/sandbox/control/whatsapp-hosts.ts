import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ResponseToolkit, Server } from '@hapi/hapi';
import Joi from 'joi';
import { MAX_FILE_BYTES } from '../../contract/sandbox/contents.js';
import { wait } from '../../domain/clock.js';
import type { NetworkParts } from '../clients/network-parts.js';
import { directPath, HISTORY_FOLDER, MEDIA_HOSTS, mediaUrl, nameInPath, plainPath } from '../media/host.js';
import { serviceWorker } from '../state/rules.js';
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

/**
 * The servers of WhatsApp's own names that clients use: upload and download of encrypted files, pictures, and the page that
 * names the current version. They are no part of the control API.
 */
export function whatsAppHosts(server: Server, { network }: NetworkParts): void {
  /** Why this media host does not take an upload now, if it does not. */
  const refusalOf = (auth: string, host: string): Refusal | undefined => {
    const lid = network.media.tokens.owner(auth);
    const account = lid === undefined ? undefined : network.directory.byLid(lid);
    if (!account) return new Refusal('media_token_unknown', 'not a media token of this network');
    if (host === MEDIA_HOSTS[0] && network.faults.take('media-host-down', account))
      return new Refusal('media_host_down', 'this media host is down');
    if (network.faults.take('reject-media', account)) return new Refusal('media_rejected', 'upload rejected');
    return undefined;
  };
  /** Takes uploads below a path. @param answer what is told of a file, by its kind and its name in the store */
  const takeUploads = (path: string, answer: (kind: string, name: string) => object): void => {
    server.route<{ Params: MediaParams; Query: { auth: string }; Payload: Readable }>({
      method: 'POST',
      path: `${path}/{kind}/{hash}`,
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
        return answer(kind, name);
      },
    });
  };
  takeUploads('/mms', (kind, name) => placeOf(directPath(kind, name)));
  // not encrypted; the answer has a handle, which the post names (whatsmeow `upload.go`, zapo `newsletter/content.ts`)
  takeUploads('/newsletter', (kind, name) => ({
    ...placeOf(plainPath(kind, name)),
    handle: network.media.handles.make(),
  }));
  const download = async ({ hash }: MediaParams, h: Pick<ResponseToolkit, 'response'>) => {
    const blob = await network.media.blobs.get(hash);
    if (!blob && network.media.blobs.isExpired(hash))
      throw new Refusal('media_expired', 'this media has expired');
    if (!blob) throw new Refusal('media_unknown', 'no such media');
    // the length lets the server answer range requests
    return h.response(blob.stream).type('application/octet-stream').bytes(blob.size);
  };
  server.route<{ Params: MediaParams }>({
    method: 'GET',
    path: '/newsletter/{kind}/{hash}',
    handler: ({ params }, h) => download(params, h),
  });
  server.route<{ Params: MediaParams }>({
    method: 'GET',
    path: '/v/{kind}/{hash}.enc',
    handler: ({ params }, h) => download(params, h),
  });
  // clients delete the parts of the history that they have read (whatsmeow `DeleteMedia`); nothing else is deleted by anybody
  server.route<{ Params: MediaParams; Query: { auth: string; d_md: string } }>({
    method: 'DELETE',
    path: `/mms/${HISTORY_FOLDER}/{hash}`,
    options: {
      validate: {
        query: Joi.object({ auth: Joi.string().default(''), d_md: Joi.string().default('') }).unknown(),
      },
    },
    handler: async ({ query }, h) => {
      if (network.media.tokens.owner(query.auth) === undefined)
        throw new Refusal('media_token_unknown', 'not a media token of this network');
      const path = Buffer.from(query.d_md, 'base64url').toString();
      await network.media.blobs.remove(nameInPath(path) ?? '');
      return h.response().code(200);
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
        throw new Refusal('url_not_signed', 'the URL is not signed, or has expired');
      const file = await network.media.files.get(params.sha256);
      if (!file) throw new Refusal('media_unknown', 'no such picture');
      return h.response(file.stream).type('image/jpeg').bytes(file.size);
    },
  });
  server.route({
    method: 'GET',
    path: '/sw.js',
    handler: async (_request, h) => {
      const { rules, stats, faults, clock } = network;
      stats.versionLookups++;
      const fault = faults.take('no-version-page');
      if (!fault) return h.response(serviceWorker(rules.revision)).type('text/javascript');
      await wait(clock, fault.ms);
      throw new Refusal('page_unavailable', 'the page is not available');
    },
  });
}

/** The address of an uploaded file, as clients write it into their messages. */
function placeOf(path: string): { url: string; direct_path: string } {
  return { url: mediaUrl(path), direct_path: path };
}
