import { openStore } from '../../../../src/gateway/store/open.js';
import { commitGeneration } from './generations.js';

/**
 * A process for tests to kill: opens the store in the folder of its first argument, or at the URL of its second, and
 * commits generation after generation, saying the number of each on standard output.
 */
const [, , dataDir = '', url = 'sqlite'] = process.argv;
const store = await openStore({ url, dataDir, encryptionKey: new Uint8Array(32).fill(7) });
for (let generation = 1; ; generation += 1) {
  await commitGeneration(store, generation);
  process.stdout.write(`${generation}\n`);
}
