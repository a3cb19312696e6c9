import { MONGODB_URL } from '../store/support/mongo.js';
import { foreignSends } from './cluster/foreign-sends.js';
import { takeOver } from './cluster/take-over.js';
import { twoWorkers } from './cluster/two-workers.js';
import type { Lab } from './support/lab.js';
import type { Comparison } from './support/measurement.js';

/** Several nodes on one MongoDB: what passing on costs, what a second worker brings, how long a take-over takes. */
export async function cluster(lab: Lab): Promise<Comparison[]> {
  if (!MONGODB_URL) {
    console.error('  left out: it needs a MongoDB server, named by SWITCHBOARD_TEST_MONGODB');
    return [];
  }
  return [await foreignSends(lab), ...(await twoWorkers(lab)), await takeOver(lab)];
}
