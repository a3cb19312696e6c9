import { type Address, formatJid } from '../../domain/address.js';
import type { QuotedReference } from '../../link/link.js';
import type { Session } from '../sessions/session.js';
import type { EarlierMessages } from './earlier-messages.js';

/**
 * The message that is answered, as far as it is kept; an unknown id is sent all the same. One of another chat counts as
 * unknown, so that nobody is shown what was written to others.
 */
export async function quote(
  messageId: string,
  session: Session,
  chat: Address,
  earlier: EarlierMessages,
): Promise<QuotedReference> {
  const found = await earlier.find(session, chat, messageId);
  const known = found && (await earlier.isIn(session, chat, found)) ? found : undefined;
  const participant = known?.author || (chat.kind === 'group' ? '' : formatJid(chat));
  return {
    messageId,
    fromMe: known?.fromMe ?? false,
    ...(participant && { participant }),
    content: known?.content ?? {},
  };
}
