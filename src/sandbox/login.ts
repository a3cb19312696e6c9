import type { Connection } from './connection.js';
import type { Network } from './network.js';
import { NETWORK_JID } from './wire/jid.js';
import { stanza } from './wire/stanza.js';

/** Who a client says it is, and the static Noise key that it proved to hold. */
export interface Credentials {
  pn: string;
  device: number;
  clientKey: Buffer;
}

/**
 * Lets a linked device in, or answers with a failure: 401 when it is not (or no longer) linked or holds another
 * key. An older connection of the same device is replaced.
 */
export function login(connection: Connection, network: Network, credentials: Credentials): void {
  const account = network.registry.byPn(credentials.pn);
  const companion = account?.companions.get(credentials.device);
  if (!account || companion?.record.noiseKey !== credentials.clientKey.toString('base64')) {
    connection.close(stanza('failure', { reason: '401', location: 'frc' }));
    return;
  }
  if (network.faults.refuseLogin(connection, account, network)) return;
  if (companion.connection) {
    network.stats.conflicts++;
    const conflict = stanza('conflict', { type: 'replaced' });
    companion.connection.close(stanza('stream:error', {}, [conflict]));
  }
  connection.companion = companion;
  companion.connection = connection;
  connection.expectWords();
  network.stats.countLogin(account.number, companion.id);
  network.tellDevice(companion, 'connected');
  connection.send(
    stanza('success', {
      from: NETWORK_JID,
      t: String(network.now()),
      props: '27',
      location: 'frc',
      lid: account.jid('lid', companion.id),
      creation: String(account.record.createdAt),
    }),
  );
  network.faults.strikeLogin(connection, account, network);
}
