import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';

/** A call was refused because its host is, or resolves to, an address inside somebody's network. */
export class PrivateAddressError extends Error {
  constructor(host: string, address: string) {
    const where = host === address ? host : `${host} (${address})`;
    super(`${where} is a loopback, link-local, private or reserved address; --allow-private-urls permits it`);
    this.name = 'PrivateAddressError';
  }
}

export interface GuardOptions {
  /** True switches the guard off. */
  allowPrivate: boolean;
  /** Milliseconds for the connection to stand, name look-up and TLS included. */
  timeoutMs: number;
  /** Resolves names in place of the system's resolver. */
  lookup?: LookupFunction;
}

/** The only block of IPv6 in which public addresses are given out; the rest holds mapped and reserved forms. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** True for an IP address that anybody may reach. IPv4 inside IPv6 is read as IPv4. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}

/**
 * A connector for undici that refuses addresses inside networks (SSRF) where it cannot be fooled: a name is resolved
 * once and the connection goes to the very addresses that were checked. A refusal reaches the caller as a
 * `PrivateAddressError`. For every call to an address that an API caller may choose: webhooks, look-ups, downloads.
 */
export function guardedConnector({
  allowPrivate,
  timeoutMs,
  lookup,
}: GuardOptions): buildConnector.connector {
  const resolve: LookupFunction = lookup ?? systemLookup;
  if (allowPrivate) return buildConnector({ timeout: timeoutMs, lookup: resolve });
  const connect = buildConnector({ timeout: timeoutMs, lookup: checked(resolve) });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    // an address in the URL is connected to without any look-up
    if (isIP(host) && !isPublicAddress(host)) return callback(new PrivateAddressError(host, host), null);
    connect(options, callback);
  };
}

/** Fails when any of a name's addresses is not public: a name with both kinds is an attack or a mistake. */
function checked(resolve: LookupFunction): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, found, family) => {
      if (error) return callback(error, []);
      const addresses = typeof found === 'string' ? [{ address: found, family: family ?? 4 }] : found;
      const inside = addresses.find(({ address }) => !isPublicAddress(address));
      if (inside) return callback(new PrivateAddressError(host, inside.address), []);
      const [first] = addresses;
      if (options.all || !first) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}
