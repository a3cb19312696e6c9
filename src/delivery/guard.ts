import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { GatewayError } from '../domain/errors.js';
import { bareHost } from '../domain/host.js';
import { type Reason, reason, textOf } from '../domain/reasons.js';

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

/** Whom a look-up may find. */
export interface GuardedLookup {
  /** Switches the guard off. */
  allowPrivate: boolean;
  /** Replaces the system's resolver. */
  lookup?: LookupFunction | undefined;
}

/** Public by their range, and yet inside: the metadata service of Azure. */
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
 * Refuses an address that is private as it is written, so that the caller learns it at once. A name is checked at each call.
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
 * A host in its usual form, such as 127.0.0.1 for 127.1, 2130706433, 0x7f000001 and 0177.0.0.1: URLs of browsers' schemes are read so, those
 * of brokers are not. Undefined if it cannot be one.
 */
function plainHost(hostname: string): string | undefined {
  const address = `http://${hostname}/`;
  return URL.canParse(address) ? bareHost(new URL(address).hostname) : undefined;
}

/** Refuses a private IP address as it is written. Names are checked by their look-up. @throws PrivateAddressError */
export function requireAllowedHost(host: string, allowPrivate: boolean): void {
  if (!allowPrivate && isIP(host) && !isPublicAddress(host)) throw new PrivateAddressError(host, host);
}

/** The look-up that a client of another protocol must use, so that it connects only to addresses that were checked. */
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
