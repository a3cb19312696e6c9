import Boom from '@hapi/boom';
import type { Plugin, Request } from '@hapi/hapi';
import { GatewayError } from '../../../domain/errors.js';
import { isOwnHost, nameIn } from '../../../domain/host.js';
import { cameFromNode } from '../peers.js';
import type {} from './owner.js';

interface ForeignPagesOptions {
  /** True if the server listens on loopback only: then any other host name got here by DNS rebinding. */
  isLoopback: boolean;
  /** Addresses of this service, whose host names are accepted; empty ones are skipped. */
  urls: readonly string[];
}

/**
 * Refuses requests that pages of other sites make a browser send. Such a page cannot read the answers, but its request
 * may have an effect (a form); and a host name that resolves to loopback gives the page the origin of this server (DNS
 * rebinding). Only open routes need the check of the host, because the page has no token.
 */
export const foreignPages: Plugin<ForeignPagesOptions> = {
  name: 'foreign-pages',
  register(server, { isLoopback, urls }) {
    const own = new Set(urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).hostname));
    server.ext('onPreAuth', (request, h) => {
      if (cameFromNode(request)) return h.continue;
      if (request.method !== 'get' && request.method !== 'head') requireOwnPage(request);
      if (isLoopback && request.route.settings.app?.open) requireOwnHost(request.info.host, own);
      return h.continue;
    });
  },
};

/** @throws GatewayError cross_site; Boom 415 */
function requireOwnPage({ headers }: Request): void {
  if (headers['sec-fetch-site'] === 'cross-site') {
    throw new GatewayError(
      'cross_site',
      'this request comes from a page of another site; call the API from a program',
    );
  }
  const isOfBrowser = headers['sec-fetch-site'] !== undefined || headers.origin !== undefined;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (isOfBrowser && hasBody && !headers['content-type']) throw Boom.unsupportedMediaType();
}

/** @throws GatewayError host_unknown */
function requireOwnHost(host: string, own: ReadonlySet<string>): void {
  if (isOwnHost(host, own)) return;
  const name = nameIn(host);
  const message = name
    ? `${name} is not a known name of this service; if it is one, set --public-url http://${name}`
    : 'the Host of this request is malformed';
  throw new GatewayError('host_unknown', message);
}
