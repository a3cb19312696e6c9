import { openWrappers } from '../../domain/wrappers.js';
import type { Content } from './kind.js';

/** Contents that WhatsApp's own clients forward. */
const FORWARDABLE = [
  'extendedTextMessage',
  'imageMessage',
  'videoMessage',
  'ptvMessage',
  'audioMessage',
  'documentMessage',
  'stickerMessage',
  'contactMessage',
  'contactsArrayMessage',
  'locationMessage',
] as const;

/**
 * The content of a message as it is forwarded: without its quote and mentions, and with the count of how often it was
 * forwarded. Its file is not uploaded again: the copy names the same file and key. As in WhatsApp's own clients, somebody
 * else's message counts one more; an own message that was never forwarded is sent without the mark (Baileys,
 * `generateForwardMessageContent`).
 *
 * @param fromMe true if the linked number sent the message
 * @returns undefined for a content that cannot be forwarded, such as one that may be viewed once
 */
export function composeForward(content: Content, fromMe: boolean): Content | undefined {
  const { content: inner, viewOnce } = openWrappers(content);
  if (viewOnce) return undefined;
  const { conversation, ...others } = inner;
  const source: Content = conversation ? { extendedTextMessage: { text: conversation } } : others;
  const field = FORWARDABLE.find((name) => source[name]);
  const part = field && source[field];
  if (!part) return undefined;
  const { isForwarded, forwardingScore } = part.contextInfo ?? {};
  // some clients set only the mark, without a score
  const before = forwardingScore || (isForwarded ? 1 : 0);
  const score = before + (fromMe ? 0 : 1);
  const contextInfo = score > 0 ? { isForwarded: true, forwardingScore: score } : {};
  return { [field]: { ...part, contextInfo } };
}
