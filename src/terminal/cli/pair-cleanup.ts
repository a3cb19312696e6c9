import type { CallOptions } from '../../client/generated/operations.generated.js';
import type { Client } from '../../contract/index.js';
import type { DaemonClient } from './client.js';

/** Milliseconds for both calls. */
const TIMEOUT_MS = 10_000;

export async function findSession(
  client: DaemonClient,
  clientId: string,
  call?: CallOptions,
): Promise<Client | undefined> {
  const { clients } = await client.listClients({}, call);
  return clients.find((row) => row.clientId === clientId);
}

/**
 * Deletes a session whose pairing failed, unless its number was linked meanwhile. The calls have a signal of their own, because
 * the command may have been interrupted.
 *
 * @returns what is left to do, if that failed
 */
export async function deleteUnlinked(client: DaemonClient, clientId: string): Promise<string[]> {
  const call = { signal: AbortSignal.timeout(TIMEOUT_MS) };
  try {
    const session = await findSession(client, clientId, call);
    if (session?.jid === '') await client.disconnect({ clientId }, call);
    return [];
  } catch {
    return [`delete the session, which may be left behind: switchboard sessions disconnect ${clientId}`];
  }
}
