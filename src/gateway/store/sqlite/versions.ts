import type { VersionStore } from '../store.js';
import type { OpenDatabase } from './database.js';

/** The newest client version, in the one row of the table `client_version`. */
export function sqliteVersions({ sqlite, run }: OpenDatabase): VersionStore {
  const select = sqlite.prepare<[], { version: string }>('SELECT version FROM client_version WHERE id = 1');
  const replace = sqlite.prepare<[string]>('REPLACE INTO client_version (id, version) VALUES (1, ?)');
  return {
    async get() {
      return run(() => select.get())?.version ?? '';
    },
    async put(version) {
      run(() => replace.run(version));
    },
  };
}
