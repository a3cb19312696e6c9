import { MAX_BLOB_BYTES } from '../media/blobs.js';
import { stanza } from '../wire/stanza.js';
import { asker, asks, IqError, type IqNamespace } from './iq.js';

/** The real network's host: URLs look real, and clients that send its traffic here need no other name. */
const HOSTNAME = 'mmg.whatsapp.net';
const TTL_S = 3_600;

/** Where media go, and what to show there. */
export const mediaConn: IqNamespace = {
  xmlns: 'w:m',
  answer(request) {
    if (!asks(request, 'set', 'media_conn')) throw new IqError(400, 'bad-request');
    const auth = request.network.mediaTokens.of(asker(request).account);
    const attrs = { hostname: HOSTNAME, type: 'primary', maxContentLengthBytes: String(MAX_BLOB_BYTES) };
    const ttl = String(TTL_S);
    return { content: [stanza('media_conn', { auth, ttl, auth_ttl: ttl }, [stanza('host', attrs)])] };
  },
};
