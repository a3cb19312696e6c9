import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import Joi from 'joi';
import type { Library, StoredFile } from '../../../services/services.js';
import type { ByteRange } from '../../../store/store.js';
import { type RangeHeaders, requestedRange } from '../../byte-range.js';
import { contentDisposition } from '../../content-disposition.js';
import { type Route, route } from '../../route.js';
import { presentationOf } from './presentation.js';

const OK = 200;
const PARTIAL = 206;
const UNSATISFIABLE = 416;

/** Whatever a file holds, it is no page of ours: no scripts, no origin, nothing loaded but what a browser's player needs. */
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
  // a file never changes under its id
  'cache-control': 'private, max-age=31536000, immutable',
  'accept-ranges': 'bytes',
  'content-security-policy': POLICY,
  // pages of other origins may embed it: whoever knows the link may have the file
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
};

interface MediaParams {
  id: string;
  fileName?: string;
}

/** What of a request and its toolkit the answer is made with. */
interface Exchange {
  request: { method: string; headers: RangeHeaders };
  h: Pick<ResponseToolkit, 'entity' | 'response'>;
  library: Library;
}

/** Requests that wait for a file. */
class Waits {
  readonly #waiting = new Set<AbortController>();
  #stopped = false;

  /** @param wait is given a signal that aborts when the client is gone or the server is about to stop */
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

/** Stored files, for whoever knows the id. The name only makes the link readable. */
export const media: Route = (server, parts) => {
  const waits = new Waits();
  // a server that stops waits for answers under way
  server.ext('onPreStop', () => waits.stop());
  const files = route({
    method: 'GET',
    path: '/media/{id}/{fileName?}',
    owner: 'any',
    description: 'A stored file, whole or in part; needs no token but its link',
    open: true,
    pathIsSecret: true,
    // links get parameters on their way through mails and pages
    query: Joi.object().unknown(),
    params: Joi.object<MediaParams>({
      id: Joi.string().max(64).required().example('7d9f9a1e-5a0c-4f0e-9f43-6b8f0f3f4a51'),
      fileName: Joi.string().allow('').example('offer.pdf'),
    }),
    headers: Joi.object<RangeHeaders>({
      range: Joi.string().allow('').example('bytes=0-1023'),
      'if-range': Joi.string().allow(''),
    }).unknown(),
    async handler(request, { services: { library } }, h) {
      const file = await waits.during(request, (signal) => library.find(request.params.id, signal));
      return answer(file, { request, h, library });
    },
  });
  files(server, parts);
};

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
  // texts of strangers are in whatever encoding they are in
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
  return h.response({ error }).code(UNSATISFIABLE).header('content-range', `bytes */${size}`);
}
