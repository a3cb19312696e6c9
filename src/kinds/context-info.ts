import type { proto } from '@whiskeysockets/baileys';
import { parseJid } from '../domain/address.js';
import type { QuotedMessage } from '../events/envelope.js';
import type { Content } from './kind.js';
import { unwrap } from './unwrap.js';

/** What any kind may carry beside its content. */
export interface MessageContext {
  /** What it answers; `read` turns the quoted content into its type and body. */
  quoted?: QuotedMessage;
  /** User-parts. */
  mentions: string[];
  isForwarded: boolean;
}

/**
 * Reads quote, mentions and the forwarded flag, wherever the kind keeps them.
 * @param read how a quoted content is shown.
 */
export function readContext(
  content: Content,
  read: (quoted: Content) => { type: string; body: string },
): MessageContext {
  const info = findContextInfo(unwrap(content));
  const context: MessageContext = {
    mentions: (info?.mentionedJid ?? []).flatMap((jid) => parseJid(jid)?.user ?? []),
    isForwarded: Boolean(info?.isForwarded),
  };
  if (info?.stanzaId) {
    const participant = parseJid(info.participant)?.user;
    const shown = info.quotedMessage ? read(unwrap(info.quotedMessage)) : { type: 'text', body: '' };
    context.quoted = {
      messageId: info.stanzaId,
      ...(participant && { participant }),
      body: shown.body,
      type: shown.type,
    };
  }
  return context;
}

/** Each kind keeps its context in its own message object; the protocol has one field name for it. */
function findContextInfo(content: Content): proto.IContextInfo | undefined {
  for (const part of Object.values(content)) {
    if (part && typeof part === 'object' && 'contextInfo' in part && part.contextInfo) {
      return part.contextInfo;
    }
  }
  return undefined;
}
