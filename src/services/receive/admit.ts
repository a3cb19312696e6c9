import { parseJid } from '../../domain/address.js';
import { unwrap } from '../../kinds/unwrap.js';
import type { IncomingMessage } from '../../link/link.js';

/**
 * Only people's and groups' messages go on: broadcast lists, status updates, channels and newsletters are never
 * delivered. Nor is the frame of an album, which only says how many pictures will follow: they come by themselves.
 * @returns why a message is not admitted; undefined when it is.
 */
export function admit(message: IncomingMessage): string | undefined {
  if (message.chat.endsWith('@broadcast')) return 'broadcast';
  if (message.chat.endsWith('@newsletter')) return 'newsletter';
  if (!parseJid(message.chat)) return 'unknown address';
  return unwrap(message.content).albumMessage ? 'album' : undefined;
}
