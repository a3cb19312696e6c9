import type { DaemonClient } from '../client.js';
import type { TestEventAnswer } from '../wire.js';
import type { FailedRow, FleetAnswer } from './wire.js';

/** Failed deliveries that are shown of a session. */
const FAILED_SHOWN = 100;

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

/** What could not be delivered to a session's receiver, newest first. */
export async function readFailed(client: DaemonClient, clientId: string): Promise<FailedRow[]> {
  const query = { clientId, limit: String(FAILED_SHOWN) };
  const answer = await client.call<{ failedDeliveries: FailedRow[] }>('GET', '/failed-deliveries', { query });
  return answer.failedDeliveries;
}

/** Sends one of them again, and tells whether it arrived. */
export function resendFailed(client: DaemonClient, id: string): Promise<TestEventAnswer> {
  return client.call('POST', `/failed-deliveries/${encodeURIComponent(id)}/resend`, {});
}
