import { hash, timingSafeEqual } from 'node:crypto';
import Boom from '@hapi/boom';
import type { Lifecycle, Plugin, Request, UserCredentials } from '@hapi/hapi';
import { GatewayError, isGatewayError } from '../../../domain/errors.js';
import type { Services } from '../../services/services.js';
import { confinedTo, requireOwn } from '../caller.js';
import { goneSignal } from '../gone.js';
import type { Refusals } from '../refusals.js';
import type { RequestLimits } from '../request-limits.js';
import type { TenantThrottle } from '../tenant-throttle.js';
import type { WrongTokens } from '../wrong-tokens.js';

declare module '@hapi/hapi' {
  interface PluginsStates {
    /** The sessions that the per-session secret of a request opens, as one text. */
    secret?: string;
    /** For a body of undeclared length: the secret, and the bytes that the connection had read before it. */
    paced?: { secret: string; bytesBefore: number };
  }
}

const STREAM = '/events';
/** Makes a browser ask for the token, as a password. */
const BASIC =
  'Basic realm="Switchboard: leave the user name empty, the password is the API token", charset="UTF-8"';

interface AuthOptions {
  /** The master token. */
  token: string;
  sessions: Pick<Services['sessions'], 'sessionsOfSecret'>;
  wrongTokens: WrongTokens;
  limits: RequestLimits;
  throttle: TenantThrottle;
  refusals: Refusals;
}

/**
 * Authenticates callers: the master token may do everything, a per-session secret only what concerns its session. A
 * wrong token gets the same 401 whether the session that it names exists or not.
 */
export const auth: Plugin<AuthOptions> = {
  name: 'auth',
  register(server, { token, sessions, wrongTokens, limits, throttle, refusals }) {
    const master = digest(token);

    async function callerOf(given: string): Promise<UserCredentials | undefined> {
      if (timingSafeEqual(digest(given), master)) return {};
      const clientIds = await sessions.sessionsOfSecret(given);
      return clientIds.length === 0 ? undefined : { clientIds };
    }

    async function enter(request: Request, clientIds: readonly string[]): Promise<void> {
      const secret = clientIds.toSorted().join(' ');
      request.plugins.secret = secret;
      // streams are limited separately
      if (request.route.path === STREAM) return;
      limits.enterSecret(request, clientIds);
      const { socket, headers } = request.raw.req;
      const declared = Number(headers['content-length'] ?? 0);
      if (headers['transfer-encoding']) request.plugins.paced = { secret, bytesBefore: socket.bytesRead };
      await throttle.begin(secret, declared, goneSignal(request));
    }

    const holdRefusal: Lifecycle.Method = async (request, h) => {
      const { response, plugins } = request;
      if (plugins.secret !== undefined && isGatewayError(response)) {
        await refusals.refuse(plugins.secret, response.code, goneSignal(request));
      }
      return h.continue;
    };

    server.auth.scheme('token', () => ({
      async authenticate(request, h) {
        // the node that received the request has authenticated its caller
        const { hop } = request.plugins;
        if (hop?.rights) return h.authenticated({ credentials: { user: hop.rights } });
        const tokens = tokensOf(request);
        for (const given of tokens) {
          const user = await callerOf(given);
          if (!user) continue;
          if (user.clientIds) await enter(request, user.clientIds);
          else throttle.note();
          return h.authenticated({ credentials: { user } });
        }
        if (tokens.length > 0) await wrongTokens.refuse(request.info.remoteAddress, goneSignal(request));
        // without a scheme here, because hapi would join both schemes in one header, of which browsers read only the first
        const refusal = Boom.unauthorized();
        refusal.output.headers['WWW-Authenticate'] = isForBrowsers(request) ? ['Bearer', BASIC] : 'Bearer';
        throw refusal;
      },
    }));
    server.events.on('response', (request) => {
      limits.leave(request);
      const { paced } = request.plugins;
      if (paced) throttle.addBody(paced.secret, request.raw.req.socket.bytesRead - paced.bytesBefore);
    });
    server.ext('onPreResponse', holdRefusal, { before: 'errors' });
    server.auth.strategy('token', 'token');
    server.auth.default('token');
    // after parsing and before validation: permission comes first
    server.ext('onCredentials', (request, h) => {
      requireOwnSession(request);
      return h.continue;
    });
  },
};

/** @throws GatewayError forbidden when a per-session secret is used for another session, or where the master token is needed */
function requireOwnSession(request: Request): void {
  if (confinedTo(request) !== undefined && request.route.settings.app?.masterOnly) {
    throw new GatewayError('forbidden', 'this needs the master token');
  }
  requireOwn(request);
}

/** True for the page of the API and its assets: people open the page in a browser, which has no token. */
function isForBrowsers({ route: { path } }: Request): boolean {
  return path === '/openapi.json' || path === '/docs' || path.startsWith('/docs/');
}

/**
 * The tokens of a request; `Authorization` counts first. A browser remembers a password and also sends it with requests
 * that other sites cause, so a password opens only the page of the API.
 */
function tokensOf(request: Request): string[] {
  const { authorization, 'x-v3-secret': secret } = request.headers;
  const text = typeof authorization === 'string' ? authorization : '';
  const [, scheme = '', credentials = ''] = /^(bearer|basic) +(.+)$/i.exec(text) ?? [];
  const isBasic = scheme.toLowerCase() === 'basic';
  if (isBasic && !isForBrowsers(request)) return [secret].filter(isPresent);
  const given = isBasic ? passwordOf(credentials) : credentials;
  return [given, secret].filter(isPresent);
}

function isPresent(token: unknown): token is string {
  return typeof token === 'string' && token !== '';
}

/** A browser can send a token only as a password: `https://:<token>@host/docs`. */
function passwordOf(credentials: string): string {
  const decoded = Buffer.from(credentials, 'base64').toString('utf8');
  return decoded.slice(decoded.indexOf(':') + 1);
}

/** Compares in constant time. */
export function isToken(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token));
}

/** Hashes a token: digests have one length, so that the comparison does not reveal the token's length. */
function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
