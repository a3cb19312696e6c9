import { boundedCache } from '../../../domain/bounded-cache.js';
import { isBrokerUrl } from '../../../domain/brokers.js';
import { GatewayError } from '../../../domain/errors.js';
import { hostInUrl } from '../../../domain/host.js';
import { originOf, shownUrl } from '../../../domain/text.js';
import { requirePublicUrl } from '../guard.js';
import { readTarget, type Target } from '../webhook.js';
import { InvalidSinkUrl, readDestination } from './destinations.js';

/** Cache of parsed addresses, because each event needs one. */
const targets = boundedCache<Target>(1_000);

/** Parses a receiver's address, of a webhook or of a broker; undefined if it is neither. */
export function targetOf(url: string): Target | undefined {
  const known = targets.get(url);
  if (known) return known;
  const target = isBrokerUrl(url)
    ? { origin: originOf(url), path: '', shown: shownUrl(url), broker: url }
    : readTarget(url);
  if (target) targets.set(url, target);
  return target;
}

/**
 * Checks a broker's address.
 * @param field names the address in the error
 * @param url an address for which `isBrokerUrl` holds
 * @throws GatewayError invalid_request, which names the broken rule
 */
function requireSinkUrl(field: string, url: string, allowPrivate: boolean): void {
  try {
    const destination = readDestination(url);
    if (allowPrivate) return;
    requirePublicUrl(field, url);
    const others = destination.protocol === 'kafka' ? destination.others : [];
    for (const { host } of others) requirePublicUrl(field, `kafka://${hostInUrl(host)}`);
  } catch (error) {
    if (!(error instanceof InvalidSinkUrl)) throw error;
    throw new GatewayError('invalid_request', `${field}: ${error.message}`);
  }
}

/**
 * Checks the address of a receiver.
 * @param field names the address in the error
 * @param url valid and absolute, or with the scheme of a broker
 * @throws GatewayError invalid_request
 */
export function requireReceiverUrl(field: string, url: string, allowPrivate: boolean): void {
  if (isBrokerUrl(url)) requireSinkUrl(field, url, allowPrivate);
  else if (!allowPrivate) requirePublicUrl(field, url);
}
