import { hash, timingSafeEqual } from 'node:crypto';
import Boom from '@hapi/boom';
import type { Plugin, Request, UserCredentials } from '@hapi/hapi';
import { GatewayError } from '../../domain/errors.js';
import type { Sessions } from '../../services/services.js';
import { confinedTo, requireOwn } from '../caller.js';

export interface AuthOptions {
  /** The master token. */
  token: string;
  sessions: Pick<Sessions, 'sessionOfSecret'>;
}

/**
 * Who may call: the master token may do everything, a per-session secret whatever concerns its session. A token that
 * opens nothing gets the same 401 whether the session that it asks for exists or not.
 */
export const auth: Plugin<AuthOptions> = {
  name: 'auth',
  register(server, { token, sessions }) {
    const master = digest(token);

    async function callerOf(given: string): Promise<UserCredentials | undefined> {
      if (timingSafeEqual(digest(given), master)) return {};
      const clientId = await sessions.sessionOfSecret(given);
      return clientId === undefined ? undefined : { clientId };
    }

    server.auth.scheme('token', () => ({
      async authenticate(request, h) {
        for (const given of tokensOf(request)) {
          const user = await callerOf(given);
          if (user) return h.authenticated({ credentials: { user } });
        }
        throw Boom.unauthorized(null, 'Bearer');
      },
    }));
    server.auth.strategy('token', 'token');
    server.auth.default('token');
    // the body is parsed here and not validated yet: whom a secret concerns must be known before anything else
    server.ext('onCredentials', (request, h) => {
      requireOwnSession(request);
      return h.continue;
    });
  },
};

/** @throws GatewayError forbidden when a per-session secret asks for anything but its session */
function requireOwnSession(request: Request): void {
  if (confinedTo(request) !== undefined && request.route.settings.app?.masterOnly) {
    throw new GatewayError('forbidden', 'this needs the master token');
  }
  requireOwn(request);
}

/** The tokens of a request; `Authorization` counts first. */
function tokensOf({ headers }: Request): string[] {
  const { authorization, 'x-v3-secret': secret } = headers;
  const text = typeof authorization === 'string' ? authorization : '';
  const [, scheme = '', credentials = ''] = /^(bearer|basic) +(.+)$/i.exec(text) ?? [];
  const given = scheme.toLowerCase() === 'basic' ? passwordOf(credentials) : credentials;
  return [given, secret].filter((token): token is string => typeof token === 'string' && token !== '');
}

/** A browser can send a token only as a password: `https://:<token>@host/docs`. */
function passwordOf(credentials: string): string {
  const decoded = Buffer.from(credentials, 'base64').toString('utf8');
  return decoded.slice(decoded.indexOf(':') + 1);
}

/** Digests have one length, so that the comparison's time tells nothing of the token's. */
function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
