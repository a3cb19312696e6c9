import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { MONGODB_URL, makeTestDatabase, type TestDatabase } from '../../store/support/mongo.js';
import type { GatewaySide } from './gateway-side.js';
import type { Lab } from './lab.js';

const LOOK_MS = 100;
const LOOKS_AT_MOST = 300;

/** Nodes on one database, each in a process of its own. */
export interface Cluster {
  nodes: readonly GatewaySide[];
  /** One more. */
  add(): Promise<GatewaySide>;
}

/** Runs a measurement with nodes on a MongoDB database of their own; undefined where no server is named. */
export async function withCluster<Result>(
  lab: Lab,
  size: number,
  measure: (cluster: Cluster) => Promise<Result>,
  settings: { leaseSeconds?: number } = {},
): Promise<Result> {
  if (!MONGODB_URL) throw new Error('SWITCHBOARD_TEST_MONGODB must name a server');
  const database = makeTestDatabase(MONGODB_URL);
  const encryptionKey = randomBytes(32).toString('hex');
  const nodes: GatewaySide[] = [];
  const add = async () => {
    const nodeName = `node-${nodes.length + 1}`;
    const node = await lab.gateway(async () => ({
      store: database.url,
      encryptionKey,
      nodeName,
      ...settings,
    }));
    nodes.push(node);
    return node;
  };
  try {
    for (let count = 0; count < size; count++) await add();
    return await measure({ nodes, add });
  } finally {
    await endAll(nodes, database);
  }
}

async function endAll(nodes: readonly GatewaySide[], database: TestDatabase): Promise<void> {
  for (const node of nodes) await node.end();
  await database.drop();
}

/** Resolves when the nodes hold so many sessions, by the order of their names. */
export async function untilHeld(node: GatewaySide, sessions: readonly number[]): Promise<void> {
  let last = '';
  for (let look = 0; look < LOOKS_AT_MOST; look++) {
    const answer: { nodes: { sessions: number }[] } = JSON.parse(await node.read('/nodes'));
    last = JSON.stringify(answer.nodes.map((one) => one.sessions));
    if (last === JSON.stringify(sessions)) return;
    await wait(LOOK_MS);
  }
  throw new Error(`the nodes hold ${last} sessions and not ${JSON.stringify(sessions)}`);
}
