import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { media } from '../../../contract/media.js';
import { type ErrorCode, GatewayError } from '../../../domain/errors.js';
import type { Services, StoredFile } from '../../services/services.js';
import type { ByteRange } from '../../store/store.js';
import { requireOwn } from '../caller.js';
import { contentDisposition, presentationOf, type RangeHeaders, requestedRange } from '../file-headers.js';
import { ERROR_HEADER } from '../plugins/errors.js';
import { type Route, route } from '../route.js';

const OK = 200;
const PARTIAL = 206;
const UNSATISFIABLE = 416;

/** Content security policy: a file must never act as a page of this server. No scripts, no origin, only what a browser's player needs. */
const POLICY = [
  "default-src 'none'",
  "img-src 'self'",
  "media-src 'self'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  'sandbox',
].join('; ');

const HEADERS = {
  // the content of an id never changes
  'cache-control': 'private, max-age=31536000, immutable',
  'accept-ranges': 'bytes',
  'content-security-policy': POLICY,
  // pages of other origins may embed the file: whoever has the link may read it
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
};

/** A request and its response toolkit. */
interface Exchange {
  request: { method: string; headers: RangeHeaders };
  h: Pick<ResponseToolkit, 'entity' | 'response'>;
  library: Services['library'];
}

/** Requests that wait for a file. */
class Waits {
  readonly #waiting = new Set<AbortController>();
  #stopped = false;

  /** @param wait gets a signal that aborts when the client disconnects or the server stops */
  async during<T>(
    { events }: Pick<Request, 'events'>,
    wait: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const waiting = new AbortController();
    if (this.#stopped) waiting.abort();
    this.#waiting.add(waiting);
    events.once('disconnect', () => waiting.abort());
    try {
      return await wait(waiting.signal);
    } finally {
      this.#waiting.delete(waiting);
    }
  }

  stop(): void {
    this.#stopped = true;
    for (const waiting of this.#waiting) waiting.abort();
  }
}

const getMedia: Route = (server, parts) => {
  const waits = new Waits();
  // abort waits at the stop, because the server waits for answers in flight
  server.ext('onPreStop', () => waits.stop());
  const add = route(media.getMedia, async (request, { services: { library } }, h) => {
    const file = await waits.during(request, (signal) => library.find(request.params.id, signal));
    return answer(file, { request, h, library });
  });
  add(server, parts);
};

export const mediaRoutes: readonly Route[] = [
  route(media.listMediaFiles, async ({ query: { clientId, orgId, page, limit } }, { services }) => {
    const { files, total } = await services.library.list(clientId, orgId, { page, limit });
    return { ok: true, files, pagination: { page, limit, total } };
  }),
  route(media.getMediaFileUrl, async (request, { services }) => {
    const { params, query } = request;
    const { clientId, url } = await services.library.urlOf(params.messageId);
    requireOwn(request, { clientId });
    if (query.clientId !== undefined && query.clientId !== clientId) {
      throw new GatewayError('invalid_request', `clientId: the file is not one of ${query.clientId}`);
    }
    return { ok: true, url };
  }),
  getMedia,
];

async function answer(file: StoredFile, exchange: Exchange): Promise<ResponseObject> {
  const { request, h } = exchange;
  const { fileSize: size, sha256: etag } = file;
  const unchanged = h.entity({ etag });
  if (unchanged) return withHeaders(unchanged);
  const range = request.method === 'head' ? undefined : requestedRange(request.headers, { size, etag });
  if (range === 'unsatisfiable') return unsatisfiable(size, h);
  return withHeaders(await content(file, range, exchange));
}

async function content(
  { id, fileSize, mimeType, fileName }: StoredFile,
  range: ByteRange | undefined,
  { request, h, library }: Exchange,
): Promise<ResponseObject> {
  // an answer to HEAD has no body to open
  const body = request.method === 'head' ? '' : await library.open(id, range);
  const { type, how } = presentationOf(mimeType);
  const response = h.response(body).code(range ? PARTIAL : OK);
  response.bytes(range ? range.end - range.start + 1 : fileSize).type(type);
  // no charset: the encoding of a text file is unknown
  response.charset('');
  response.header('content-disposition', contentDisposition(how, fileName));
  if (range) response.header('content-range', `bytes ${range.start}-${range.end}/${fileSize}`);
  return response;
}

function withHeaders(response: ResponseObject): ResponseObject {
  for (const [name, value] of Object.entries(HEADERS)) response.header(name, value);
  return response;
}

function unsatisfiable(size: number, h: Exchange['h']): ResponseObject {
  const error = `Range: the file has ${size} bytes, and none of those that were asked for`;
  return h
    .response({ error })
    .code(UNSATISFIABLE)
    .header(ERROR_HEADER, 'range_unsatisfiable' satisfies ErrorCode)
    .header('content-range', `bytes */${size}`);
}
