import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { GatewayError } from '../../domain/errors.js';
import { bareHost } from '../../domain/host.js';
import { type Reason, reason, textOf } from '../../domain/reasons.js';

/** The host of a call is, or resolves to, a private address. */
export class PrivateAddressError extends Error {
  readonly reason: Reason;

  constructor(host: string, address: string) {
    const where = host === address ? host : `${host} (${address})`;
    const why = reason('address_private', { where });
    super(textOf(why));
    this.reason = why;
    this.name = 'PrivateAddressError';
  }
}

/** Limits of a guarded name look-up. */
export interface GuardedLookup {
  /** Switches the guard off. */
  allowPrivate: boolean;
  /** Replaces the system's resolver. */
  lookup?: LookupFunction | undefined;
}

/** Internal addresses in a public range: the metadata service of Azure. */
const INSIDE: ReadonlySet<string> = new Set(['168.63.129.16']);
/** The only IPv6 block with public addresses; the rest are mapped and reserved forms. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** True for a publicly routable IP address. IPv4 inside IPv6 is read as IPv4. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || INSIDE.has(parsed.toString())) return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}

/**
 * Refuses a URL with a literal private address, so that the caller learns it at once. Host names are checked at each
 * call.
 * @param field names the address in the error
 * @param url valid and absolute; empty for none
 * @throws GatewayError invalid_request
 */
export function requirePublicUrl(field: string, url: string): void {
  if (url === '') return;
  const written = bareHost(new URL(url).hostname);
  const host = plainHost(new URL(url).hostname);
  if (host === undefined)
    throw new GatewayError('invalid_request', `${field}: ${written} is not a host name`);
  const isLocal = /^(.+\.)?localhost\.?$/.test(host);
  if (!isLocal && !(isIP(host) && !isPublicAddress(host))) return;
  const { reason: why } = new PrivateAddressError(written, host);
  throw new GatewayError('invalid_request', reason('field', { field, why }));
}

/**
 * The canonical form of a host, such as 127.0.0.1 for 127.1, 2130706433, 0x7f000001 and 0177.0.0.1: the URL parser does
 * this for http(s) URLs, but not for those of brokers. Undefined if the text is no host.
 */
function plainHost(hostname: string): string | undefined {
  const address = `http://${hostname}/`;
  return URL.canParse(address) ? bareHost(new URL(address).hostname) : undefined;
}

/** Refuses a literal private IP address. Host names are checked by the guarded look-up. @throws PrivateAddressError */
export function requireAllowedHost(host: string, allowPrivate: boolean): void {
  if (!allowPrivate && isIP(host) && !isPublicAddress(host)) throw new PrivateAddressError(host, host);
}

/** A look-up for clients of other protocols: returns checked addresses only. */
export function guardedLookup({ allowPrivate, lookup }: GuardedLookup): LookupFunction {
  const resolve: LookupFunction = lookup ?? systemLookup;
  return allowPrivate ? resolve : checked(resolve);
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
