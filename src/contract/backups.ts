import { operation } from './operation.js';

export const backups = {
  getBackup: operation({
    method: 'GET',
    path: '/backup',
    owner: 'any',
    access: 'master',
    summary: 'Download a backup of the whole store, for `switchboard store restore`',
    description: `The file holds every session with its keys, messages and files; of several nodes, any one answers for all. \
Sends and messages go on meanwhile. Secrets are encrypted, and the encryption key of the store is not in the file: a restore \
needs both.

The backup is whole if the answer ends properly: if the daemon stops or cannot read its store, it cuts the connection. \
\`switchboard store backup\` checks that. A caller who takes nothing for a minute is cut off. One backup runs on a node at a time.`,
    answer: 'application/octet-stream',
    errors: ['backup_running', 'store_missing', 'store_unsupported', 'encryption_key_wrong'],
  }),
};
