import { MEDIA_HOSTS } from '../media/paths.js';
import { MAX_FILE_BYTES } from '../media/shelf.js';
import { stanza } from '../wire/stanza.js';
import { asker, asks, IqError, type IqNamespace } from './iq.js';

const TTL_S = 3_600;

/** Where media go, and what to show there. */
export const mediaConn: IqNamespace = {
  xmlns: 'w:m',
  answer(request) {
    if (!asks(request, 'set', 'media_conn')) throw new IqError(400, 'bad-request');
    const auth = request.network.mediaTokens.of(asker(request).account);
    const hosts = MEDIA_HOSTS.map((hostname, position) =>
      stanza('host', {
        hostname,
        type: position === 0 ? 'primary' : 'fallback',
        maxContentLengthBytes: String(MAX_FILE_BYTES),
      }),
    );
    const ttl = String(TTL_S);
    return { content: [stanza('media_conn', { auth, ttl, auth_ttl: ttl }, hosts)] };
  },
};
