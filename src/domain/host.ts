import { isIP, isIPv4 } from 'node:net';

/** True for a listen address that only programs on this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/**
 * True when the `Host` of a request cannot be a name of a foreign page that leads to loopback (DNS rebinding): an address,
 * `localhost` and the names below it, and the known names.
 * @param host with a port or without
 */
export function isOwnHost(host: string, known: ReadonlySet<string> = new Set()): boolean {
  const name = nameIn(host);
  if (name === undefined) return false;
  const isAddress = isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
  return isAddress || name === 'localhost' || name.endsWith('.localhost') || known.has(name);
}

/** The name or address in a `Host` header, in lower case and without its port; undefined when it is malformed. */
export function nameIn(host: string): string | undefined {
  const url = `http://${host}`;
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

/** A host of a URL without the brackets of IPv6, for sockets and name look-ups. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** A host in the form for URLs: an IPv6 address gets brackets. */
export function hostInUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}
