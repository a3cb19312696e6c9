import type { DaemonClient } from '../client.js';
import type { FleetAnswer } from './wire.js';

/** All sessions and nodes. */
export function readFleet(client: DaemonClient): Promise<FleetAnswer> {
  return client.call('GET', '/fleet', {});
}

/** Connects a session anew. @throws CliError */
export function reconnectSession(
  client: DaemonClient,
  clientId: string,
): Promise<{ ok: boolean; clientId: string; status: string }> {
  return client.call('POST', '/reconnect', { body: { clientId } });
}
