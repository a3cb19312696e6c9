import { GatewayError } from './errors.js';
import { bareHost } from './host.js';
import { reason } from './reasons.js';

/** The kinds of proxy, each with its usual port. */
export const PROXY_PORTS = { http: 80, https: 443, socks5: 1080 } as const;
export type ProxyKind = keyof typeof PROXY_PORTS;

/** The public part of a proxy, without user and password. */
export interface ShownProxy {
  kind: ProxyKind;
  host: string;
  port: number;
}

/** A proxy with its credentials, which are empty for a proxy without authentication. */
export interface ProxyAddress extends ShownProxy {
  user: string;
  password: string;
}

const KINDS: Readonly<Record<string, ProxyKind>> = {
  'http:': 'http',
  'https:': 'https',
  'socks5:': 'socks5',
  // curl's name for SOCKS5 with name resolution by the proxy, which is always the case here
  'socks5h:': 'socks5',
};
const HOST = /^([\p{L}\p{N}_]([\p{L}\p{N}._-]*[\p{L}\p{N}_])?|\[[0-9a-f:.]+\])$/iu;
/** Bytes of a user name and of a password that SOCKS5 can carry (RFC 1929). */
const CREDENTIAL_BYTES = 255;

/**
 * Reads the URL of a proxy.
 * @throws GatewayError `invalid_request` with the rule that the URL breaks; its text never repeats the URL
 */
export function parseProxy(text: string): ProxyAddress {
  const scheme = /^([a-z][a-z0-9+.-]*:)\/\//i.exec(text)?.[1]?.toLowerCase() ?? '';
  const kind = KINDS[scheme];
  if (!kind) throw broken('its scheme must be http, https or socks5, as in socks5://user:password@host:1080');
  const port = /:([^:@\]/]*)\/?$/.exec(text.slice(text.lastIndexOf('@') + 1).replace(scheme, ''))?.[1];
  if (port !== undefined && !isPort(port)) throw broken('its port must be a number from 1 to 65535');
  if (!URL.canParse(text)) throw broken('its host must be a name or an IP address');
  const url = new URL(text);
  if (!HOST.test(url.hostname)) throw broken('its host must be a name or an IP address');
  if ((url.pathname !== '' && url.pathname !== '/') || url.search || url.hash) {
    throw broken('it must end after the port, without path or query');
  }
  const [user, password] = [decoded(url.username), decoded(url.password)];
  if (password && !user) throw broken('it must name a user beside the password');
  return {
    kind,
    host: bareHost(url.hostname),
    port: Number(url.port) || PROXY_PORTS[kind],
    user,
    password,
  };
}

/** The proxy without its credentials; undefined for an empty text, which stands for a direct connection. */
export function shownProxy(text: string): ShownProxy | undefined {
  if (!text) return undefined;
  const { kind, host, port } = parseProxy(text);
  return { kind, host, port };
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) <= 65_535;
}

function decoded(text: string): string {
  try {
    const plain = decodeURIComponent(text);
    if (Buffer.byteLength(plain) <= CREDENTIAL_BYTES) return plain;
  } catch {
    throw broken('a % in its user or password must be written as %25');
  }
  throw broken(`its user and password must each have at most ${CREDENTIAL_BYTES} bytes`);
}

function broken(rule: string): GatewayError {
  return new GatewayError('invalid_request', reason('field', { field: 'proxy', why: rule }));
}
