import { isIP } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { containing } from '../../domain/contained.js';
import { bareHost } from '../../domain/host.js';
import { type GuardedLookup, guardedLookup, isPublicAddress, PrivateAddressError } from './guard.js';

/**
 * A connector for undici that refuses private addresses (SSRF). A name is resolved once, and the connection goes to the
 * addresses that were checked, so that DNS rebinding does not get past it. A refused call fails with
 * `PrivateAddressError`. Use it for every address that an API caller chooses: webhooks, look-ups, downloads.
 */
export function guardedConnector({
  allowPrivate,
  timeoutMs,
  lookup,
}: GuardedLookup & { timeoutMs: number }): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, lookup: guardedLookup({ allowPrivate, lookup }) });
  return (options, callback) => {
    const host = bareHost(options.hostname);
    // an IP address in the URL needs no look-up
    const isRefused = !allowPrivate && isIP(host) && !isPublicAddress(host);
    if (isRefused) return callback(new PrivateAddressError(host, host), null);
    connect(options, containing(callback));
  };
}

/** Connections to addresses that an API caller chose, kept alive. The caller's deadline covers connecting, headers and body. */
export function guardedAgent({
  connect,
  connections,
  ...guard
}: Parameters<typeof guardedConnector>[0] & {
  /** Connections to one origin; default: no limit. */
  connections?: number | undefined;
  /** Replaces the guarded connector, for tests. */
  connect?: buildConnector.connector | undefined;
}): Agent {
  return new Agent({
    connections: connections || undefined,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: connect ?? guardedConnector(guard),
  });
}
