import { openStore } from '../../../src/store/open.js';

/**
 * A process for tests to kill: opens the store in the folder of its first argument and commits generation after
 * generation, each to credentials, 20 keys and the journal, saying the number of each on standard output.
 */
const [, , dataDir = ''] = process.argv;
const store = await openStore({ url: 'sqlite', dataDir, encryptionKey: new Uint8Array(32).fill(7) });
for (let generation = 1; ; generation += 1) {
  const value = Buffer.from(String(generation));
  await store.keys.commit('acme', {
    credentials: value,
    keys: Array.from({ length: 20 }, (_, id) => ({ type: 'session', id: String(id), value })),
    journal: [
      { id: String(generation), messageId: 'M', plain: value, stanza: value, receivedAt: generation },
    ],
  });
  process.stdout.write(`${generation}\n`);
}
