import { parseJid } from '../../domain/address.js';
import type { IncomingMessage } from '../../link/link.js';

/**
 * Only people's and groups' messages go on: broadcast lists, status updates, channels and newsletters are never
 * delivered.
 * @returns why a message is not admitted; undefined when it is.
 */
export function admit(message: IncomingMessage): string | undefined {
  if (message.chat.endsWith('@broadcast')) return 'broadcast';
  if (message.chat.endsWith('@newsletter')) return 'newsletter';
  return parseJid(message.chat) ? undefined : 'unknown address';
}
