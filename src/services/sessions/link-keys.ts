import type { LinkKeys } from '../../link/link.js';
import type { Store } from '../../store/store.js';

/**
 * One session's view of the stored Signal state, as a link wants it.
 * @param confirm rejects when the session is not this node's: asked before each login
 */
export function bindKeys(
  store: Pick<Store, 'keys' | 'journal'>,
  clientId: string,
  confirm: (clientId: string) => Promise<void>,
): LinkKeys {
  return {
    async credentials() {
      await confirm(clientId);
      return store.keys.credentials(clientId);
    },
    get: (type, ids) => store.keys.get(clientId, type, ids),
    commit: (commit) => store.keys.commit(clientId, commit),
    journalEntry: (id) => store.journal.get(clientId, id),
  };
}
