import { operation } from './operation.js';

export const backups = {
  getBackup: operation({
    method: 'GET',
    path: '/backup',
    owner: 'any',
    access: 'master',
    summary: 'Download a backup of the whole store, for `switchboard store restore`',
    description: `A [backup](operations.md#back-up) holds every session with its keys, messages and files; of several nodes, any one answers \
for all. The daemon keeps sending and receiving messages meanwhile. Secrets in the file are encrypted, and the encryption key is not \
in it: a restore needs both.

The daemon cuts the connection if it stops or cannot read its store: only an answer that ends properly is whole. \
\`switchboard store backup\` checks the end of the answer; \`switchboard store restore FILE --dry-run\` checks every byte, with the key. \
A caller who reads nothing for a minute is cut off. One backup runs on a node at a time.`,
    answer: 'application/octet-stream',
    errors: ['backup_running', 'store_missing', 'store_unsupported', 'encryption_key_wrong'],
  }),
};
