import type { WASocket } from '@whiskeysockets/baileys';
import type { OlderMessages } from '../../link.js';

/**
 * Asks the own phone for the messages of a chat before the oldest known one (`HISTORY_SYNC_ON_DEMAND`). The answer is a part
 * of the history with the id of the request.
 * @returns the id of the request
 */
export function askForOlder(
  sock: Pick<WASocket, 'fetchMessageHistory'>,
  { chat, oldest, count }: OlderMessages,
): Promise<string> {
  const { messageId: id, fromMe, sentAt } = oldest;
  // phones expect milliseconds (whatsmeow `BuildHistorySyncRequest`)
  return sock.fetchMessageHistory(count, { remoteJid: chat, id, fromMe }, sentAt);
}
