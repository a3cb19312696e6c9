import { GatewayError } from './errors.js';

/** Replaces user and password in shown URLs. */
const HIDDEN = '***';
const AUTHORITY = /^([a-z][a-z+.-]*:\/\/)([^/?#]*)@([^/?#]*)/i;

/** A receiver's URL for callers, with `***` instead of user and password. */
export function withoutCredentials(url: string): string {
  return url.replace(AUTHORITY, `$1${HIDDEN}@$3`);
}

/**
 * Replaces `***` in a URL, which a caller may have read before, by the user and password of the present URL, so that a
 * change of the path keeps them. The credentials never go to another host.
 * @param field names the address in the error
 * @param present the stored address; empty without one
 * @throws GatewayError invalid_request if the present address has no credentials, or leads elsewhere
 */
export function withKeptCredentials(field: string, url: string, present: string): string {
  const [, scheme, given, host] = AUTHORITY.exec(url) ?? [];
  if (given !== HIDDEN) return url;
  const [, presentScheme, kept, presentHost] = AUTHORITY.exec(present) ?? [];
  if (kept === undefined || scheme !== presentScheme || host !== presentHost) {
    const rule = `${HIDDEN} keeps the stored user and password only for the same scheme, host and port; write user and password out`;
    throw new GatewayError('invalid_request', `${field}: ${rule}`);
  }
  return url.replace(AUTHORITY, () => `${scheme}${kept}@${host}`);
}

/** The header `Authorization` for the user and password of a URL; undefined without them. */
export function basicAuthorization({ username, password }: URL): string | undefined {
  if (!username && !password) return undefined;
  const pair = `${decoded(username)}:${decoded(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // keep a percent sign outside an escape unchanged
    return text;
  }
}
