import type { proto } from '@whiskeysockets/baileys';
import { parseJid } from '../domain/address.js';
import type { QuotedMessage } from '../events/envelope.js';
import type { Content } from './kind.js';
import { isSilent } from './silent.js';
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
 * Reads quote, mentions and the forwarded flag, wherever the kind keeps them; of an edit those of the new content.
 * @param read how a quoted content is shown.
 */
export function readContext(
  content: Content,
  read: (quoted: Content) => { type: string; body: string },
): MessageContext {
  const info = contextInfoOf(content);
  const context: MessageContext = {
    mentions: (info?.mentionedJid ?? []).flatMap((jid) => parseJid(jid)?.user ?? []),
    isForwarded: Boolean(info?.isForwarded || info?.forwardingScore),
  };
  if (info?.stanzaId) {
    const participant = parseJid(info.participant)?.user;
    const { quotedMessage } = info;
    // who answers a message without holding it quotes an empty one
    const isShown = quotedMessage && !isSilent(quotedMessage);
    const shown = isShown ? read(quotedMessage) : { type: 'text', body: '' };
    context.quoted = {
      messageId: info.stanzaId,
      ...(participant && { participant }),
      body: shown.body,
      type: shown.type,
    };
  }
  return context;
}

/** The number by which a content names who wrote what it quotes: a user-part; undefined when it names nobody so. */
export function quotedNumberIn(content: Content): string | undefined {
  const address = parseJid(contextInfoOf(content)?.participant);
  return address?.kind === 'pn' ? address.user : undefined;
}

/** The context that names people in a content of one's own; nothing when there are none. */
export function mentioning(jids: string[]): { contextInfo?: proto.IContextInfo } {
  return jids.length > 0 ? { contextInfo: { mentionedJid: jids } } : {};
}

function contextInfoOf(content: Content): proto.IContextInfo | undefined {
  const inner = unwrap(content);
  const edited = inner.protocolMessage?.editedMessage;
  return findContextInfo(edited ? unwrap(edited) : inner);
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
