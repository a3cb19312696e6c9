import type { proto } from '@whiskeysockets/baileys';
import type { ClientConnection } from '../state/account.js';
import type { Network } from '../state/network.js';
import { viewPayload } from '../state/registration.js';
import { failure, NETWORK_JID, stanza } from '../wire/stanza.js';

/**
 * Logs a linked device in, or answers with a failure: 401 when the device is not linked or presents another key. An
 * older connection of the same device is replaced.
 */
export function login(
  connection: ClientConnection,
  network: Network,
  credentials: { pn: string; device: number; clientKey: Buffer; payload: proto.IClientPayload },
): void {
  const account = network.directory.byPn(credentials.pn);
  const companion = account?.companions.get(credentials.device);
  if (!account || companion?.record.noiseKey !== credentials.clientKey.toString('base64')) {
    connection.close(failure('401'));
    return;
  }
  if (network.faults.refuseLogin(connection, companion)) return;
  companion.connection?.replace();
  connection.companion = companion;
  companion.connection = connection;
  companion.login = viewPayload(credentials.payload);
  connection.watchSilence();
  network.stats.countLogin(account.number, companion.id);
  network.reportDevice(companion, 'connected');
  connection.send(
    stanza('success', {
      from: NETWORK_JID,
      t: String(network.now()),
      props: '27',
      location: 'frc',
      lid: account.jid('lid', companion.id),
      creation: String(account.record.createdAt),
      display_name: account.record.name || undefined,
    }),
  );
  network.faults.afterLogin(connection, companion);
}
