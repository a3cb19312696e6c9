import type { JournalEntry } from '../../domain/signal-state.js';
import type { IncomingMessage, OwnIdentity } from '../link.js';
import { buildIncoming } from './incoming.js';
import { decodeStanza } from './stanza.js';

/**
 * Rebuilds the messages of journal entries, in the order in which the entries are given. Entries that belong to one
 * stanza become one message; those that cannot be read are left out.
 */
export function restoreMessages(entries: readonly JournalEntry[], me: OwnIdentity): IncomingMessage[] {
  const open = new Map(entries.map((entry) => [entry.id, entry]));
  return entries.flatMap((entry) => {
    // an earlier entry of the same stanza has taken this one along
    if (!open.has(entry.id)) return [];
    try {
      return [restoreOne(entry, open, me)];
    } catch {
      // nothing in a stanza that nobody can read could be announced
      return [];
    }
  });
}

function restoreOne(entry: JournalEntry, open: Map<string, JournalEntry>, me: OwnIdentity): IncomingMessage {
  const { attrs, parts } = decodeStanza(entry.stanza);
  const found = parts.flatMap((id) => {
    const part = open.get(id);
    open.delete(id);
    return part ? [{ journalId: id, plain: part.plain, receivedAt: part.receivedAt }] : [];
  });
  return buildIncoming(attrs, found, me);
}
