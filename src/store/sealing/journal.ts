import type { JournalEntry } from '../../domain/signal-state.js';
import type { JournalStore } from '../store.js';
import type { Sealer, Sealers } from './sealer.js';

/** Opens plaintexts and stanzas; they are sealed where they are committed, with the keys. */
export function sealedJournal(journal: JournalStore, sealers: Sealers): JournalStore {
  return {
    async get(clientId, id) {
      const entry = await journal.get(clientId, id);
      return entry && openEntry(await sealers.of(clientId), entry);
    },
    async open(clientId) {
      const entries = await journal.open(clientId);
      if (entries.length === 0) return [];
      const sealer = await sealers.of(clientId);
      return entries.map((entry) => openEntry(sealer, entry));
    },
    countOpen: (clientId) => journal.countOpen(clientId),
    close: (clientId, ids, at) => journal.close(clientId, ids, at),
    prune: (closedBefore) => journal.prune(closedBefore),
  };
}

/** Seals what a journal entry says; its ids and times stay readable. */
export function sealEntry(sealer: Sealer, entry: JournalEntry): JournalEntry {
  return {
    ...entry,
    plain: sealer.seal(['journal', 'plain', entry.id], entry.plain),
    stanza: sealer.seal(['journal', 'stanza', entry.id], entry.stanza),
  };
}

function openEntry(sealer: Sealer, entry: JournalEntry): JournalEntry {
  return {
    ...entry,
    plain: sealer.open(['journal', 'plain', entry.id], entry.plain),
    stanza: sealer.open(['journal', 'stanza', entry.id], entry.stanza),
  };
}
