import type { Request, Server } from '@hapi/hapi';
import { isLoopback, isOwnHost } from '../../domain/host.js';
import { Refusal } from '../wire/refusals.js';

/** Routes of WhatsApp's own hosts: clients send their `Origin`, and the names of those hosts. */
const OF_CLIENTS = /^\/(mms\/|newsletter\/|v\/|sw\.js$)/;
/** Content types that a page may send to any server: those of forms. */
const OF_FORMS = /^(text\/plain|application\/x-www-form-urlencoded|multipart\/form-data)\b/i;

/**
 * Refuses requests to the control API that pages of other sites make a browser send: the API has no token. Refuses bodies
 * that are neither JSON nor a file.
 */
export function refuseForeignPages(server: Server, listensOn: string): void {
  server.ext('onRequest', (request, h) => {
    if (OF_CLIENTS.test(request.path)) return h.continue;
    const { headers, info } = request;
    const { 'sec-fetch-site': site, origin } = headers;
    if (isLoopback(listensOn) && !isOwnHost(info.host))
      throw new Refusal(
        'host_unknown',
        'the Host of this request is not a name of this sandbox; use its address',
      );
    const isForeign = origin !== undefined && origin !== `http://${info.host}`;
    if (isForeign || site === 'cross-site' || site === 'same-site')
      throw new Refusal('cross_site', 'this request comes from a page of another site');
    if (hasBody(request) && !isAllowed(request.path, String(headers['content-type'] ?? '')))
      throw new Refusal(
        'content_type_unsupported',
        'the request body must be JSON: Content-Type: application/json',
      );
    return h.continue;
  });
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isAllowed(path: string, contentType: string): boolean {
  if (path === '/files') return contentType !== '' && !OF_FORMS.test(contentType);
  return /^application\/json\b/i.test(contentType);
}
