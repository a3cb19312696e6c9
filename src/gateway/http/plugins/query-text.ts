import type { Plugin } from '@hapi/hapi';
import { GatewayError } from '../../../domain/errors.js';

/** Characters of a field's name that an error repeats. */
const SHOWN_NAME = 64;

/** Refuses a query with bytes that are not UTF-8, which hapi's parser would silently replace. */
export const queryText: Plugin<undefined> = {
  name: 'queryText',
  register(server) {
    // after authentication, and before a request is forwarded
    server.ext(
      'onPostAuth',
      (request, h) => {
        const field = unreadableField(request.raw.req.url ?? '');
        if (field !== undefined)
          throw new GatewayError('invalid_request', `${field} must be UTF-8 in the query`);
        return h.continue;
      },
      { before: 'owner' },
    );
  },
};

/** The name of the first field of a query that is not UTF-8 after decoding; undefined if there is none. */
function unreadableField(url: string): string | undefined {
  const start = url.indexOf('?');
  if (start === -1 || !url.includes('%', start)) return undefined;
  for (const pair of url.slice(start + 1).split('&')) {
    const [encoded = ''] = pair.split('=', 1);
    const name = decoded(encoded);
    if (name === undefined) return 'the name of a field';
    if (decoded(pair) === undefined) return name.slice(0, SHOWN_NAME);
  }
  return undefined;
}

/** @returns undefined for bytes that are not UTF-8 */
function decoded(text: string): string | undefined {
  try {
    // a percent sign outside an escape stands for itself
    return decodeURIComponent(text.replaceAll(/%(?![0-9a-f]{2})/gi, '%25'));
  } catch {
    return undefined;
  }
}
