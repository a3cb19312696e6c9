import { quotedNumberIn } from '../../kinds/context-info.js';
import type { MessageContent } from '../../link/link.js';
import type { SessionRecord } from '../../store/store.js';
import type { Contacts } from '../contacts.js';

/**
 * Who wrote what a message quotes, where it names them by a number though their LID is known: events name people by the LID.
 * Mentions stay as they are, because the text holds them too.
 * @returns user-part of the LID; empty when there is nothing to put right
 */
export async function lidOfQuoted(
  { clientId, lid, pn }: SessionRecord,
  content: MessageContent,
  contacts: Pick<Contacts, 'find'>,
): Promise<string> {
  const number = quotedNumberIn(content);
  if (number === undefined) return '';
  return number === pn ? lid : ((await contacts.find(clientId, { pn: number }))?.lid ?? '');
}
