import type { proto } from '@whiskeysockets/baileys';
import type { ClientConnection, Companion } from '../state/account.js';
import type { Network } from '../state/network.js';
import { viewPayload } from '../state/registration.js';
import { failure, NETWORK_JID, stanza } from '../wire/stanza.js';

/** Stanzas of the offline queue that come unasked where the others must be asked for (whatsapp-rust `offline_resume.rs`). */
const UNASKED = 5;

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
  // zapo says `active` at its first connection only, and never after it lost one
  if (!credentials.payload.passive && companion.connection === connection)
    startDelivery(connection, companion, network);
}

/** The device is ready, by its login or by `active`: the network may push stanzas from now on. */
export function startDelivery(
  connection: ClientConnection,
  { account, mailbox }: Companion,
  { faults }: Network,
): void {
  if (mailbox.isOpen) return;
  const isLimited = faults.take('offline-batches', account);
  mailbox.open((waiting) => connection.send(waiting), isLimited ? UNASKED : undefined);
}
