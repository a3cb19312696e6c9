import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { MONGODB_URL, makeTestDatabase, type TestDatabase } from '../gateway/store/support/mongo.js';
import type { RouterRole } from './roles/router.js';
import type { Lab } from './support/lab.js';
import type { Comparison, Side } from './support/report.js';
import { detailedSide, type Processes, recordRound, roundOf } from './support/rounds.js';
import { type Chat, sendTexts } from './support/send-texts.js';
import type { GatewaySide } from './support/sides.js';
import { Worker } from './support/worker.js';

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

const FOREIGN_IN_FLIGHT = 16;
const FOREIGN_ROUND_SECONDS = 3;
const FOREIGN_ROUNDS = 5;
const FOREIGN_METHOD =
  `two nodes on one MongoDB, one session; rounds of about ${FOREIGN_ROUND_SECONDS} s and the same number of sends, ${FOREIGN_IN_FLIGHT} in flight, to one warm recipient, all to the ` +
  'node that does not hold the session, or all to the one that does; POST /send-message over kept-alive connections, done at ' +
  "the answer 200, which waits for the network's ack. CPU of every process for each message; all else is MongoDB and whatever runs beside";

/** Texts per second through a node that passes them on, against those on the node that holds the session. */
export function foreignSends(lab: Lab): Promise<Comparison> {
  return withCluster(lab, 2, async ({ nodes: [owner, foreign] }) => {
    if (!owner || !foreign) throw new Error('there are no two nodes');
    const [author, recipient] = [await lab.person('Author'), await lab.person('Recipient')];
    await owner.link(author.number);
    await untilHeld(owner, [1, 0]);
    const processes = { owner: owner.worker, 'other node': foreign.worker, sandbox: lab.sandbox };
    const ways = [
      { node: foreign, side: detailedSide() },
      { node: owner, side: detailedSide() },
    ] as const;
    const send = (node: typeof owner, count: number) =>
      node.send(author.number, recipient.number, count, FOREIGN_IN_FLIGHT);
    await roundOf(FOREIGN_ROUND_SECONDS, (count) => send(foreign, count));
    const count = await roundOf(FOREIGN_ROUND_SECONDS, (sends) => send(owner, sends));
    for (let round = 0; round < FOREIGN_ROUNDS; round++) {
      for (const { node, side } of ways) {
        await recordRound(side, { count, processes, send: (sends) => send(node, sends) });
      }
    }
    await untilHeld(owner, [1, 0]);
    return {
      name: 'text sends through a foreign node',
      unit: 'sends/s',
      gateway: ways[0].side,
      raw: ways[1].side,
      rawIs: 'on the owner',
      target: { atLeast: 0.8 },
      method: FOREIGN_METHOD,
    };
  });
}

const SESSIONS = 8;
const IN_FLIGHT = 32;
const ROUND_SECONDS = 4;
const ROUNDS = 4;
const TARGET = { atLeast: 1.4 };
const RAW = 'one process';
const METHOD =
  `${SESSIONS} sessions, each with a warm recipient, on MongoDB; rounds of about ${ROUND_SECONDS} s and the same number of sends, ${IN_FLIGHT} in flight over as many ` +
  'kept-alive connections, to the sessions in turn. Two workers: behind the router, which knows nothing of sessions, so that ' +
  'half of the sends are passed on to the other worker';

/** One way to serve the sessions. */
interface Way {
  side: ReturnType<typeof detailedSide>;
  /** The processes that belong to it. */
  own: Processes;
  send(count: number): Promise<number>;
}

/** Texts per second of several sessions on two workers behind the router, against one process. */
export function twoWorkers(lab: Lab): Promise<Comparison[]> {
  return withCluster(lab, 1, ({ nodes: [single] }) =>
    withCluster(lab, 2, async ({ nodes: [first, second] }) => {
      const router = new Worker<RouterRole>('router');
      try {
        if (!single || !first || !second) throw new Error('a node is missing');
        const two = await behindRouter(lab, [first, second], router);
        const one = await alone(lab, single);
        await measure(lab, two, one);
        return compare(two, one);
      } finally {
        await router.stop();
      }
    }),
  );
}

async function alone(lab: Lab, node: GatewaySide): Promise<Way> {
  const chats = await link(lab, [node]);
  return {
    side: detailedSide(),
    own: { process: node.worker },
    send: (count) => sendTexts(node.door, chats, count, IN_FLIGHT),
  };
}

async function behindRouter(
  lab: Lab,
  nodes: readonly [GatewaySide, GatewaySide],
  router: Worker<RouterRole>,
): Promise<Way> {
  const [first, second] = nodes;
  const chats = await link(lab, nodes);
  await untilHeld(first, [SESSIONS / 2, SESSIONS / 2]);
  const url = await router.ask('start', { urls: nodes.map(({ door }) => door.url) });
  return {
    side: detailedSide(),
    own: { 'worker 1': first.worker, 'worker 2': second.worker, router },
    send: (count) => sendTexts({ ...first.door, url }, chats, count, IN_FLIGHT),
  };
}

/** Links the sessions, on each node in turn. @returns whom each of them writes to */
async function link(lab: Lab, nodes: readonly GatewaySide[]): Promise<Chat[]> {
  const chats: Chat[] = [];
  while (chats.length < SESSIONS) {
    const [author, recipient] = [await lab.person('Author'), await lab.person('Recipient')];
    await nodes[chats.length % nodes.length]?.link(author.number);
    chats.push({ from: author.number, to: recipient.number });
  }
  return chats;
}

async function measure(lab: Lab, two: Way, one: Way): Promise<void> {
  await roundOf(ROUND_SECONDS, two.send);
  const count = await roundOf(ROUND_SECONDS, one.send);
  for (let round = 0; round < ROUNDS; round++) {
    for (const { side, own, send } of [two, one]) {
      await recordRound(side, { count, processes: { ...own, sandbox: lab.sandbox }, send });
    }
  }
}

function compare(two: Way, one: Way): Comparison[] {
  const common = { unit: 'sends/s', rawIs: RAW, target: TARGET };
  return [
    {
      ...common,
      name: `text sends of ${SESSIONS} sessions, two workers`,
      gateway: two.side,
      raw: one.side,
      method: `${METHOD}. CPU of every process for each message; all else is MongoDB and whatever runs beside. The bound holds where two cores are free for the workers.`,
    },
    {
      ...common,
      name: 'the same, if each process had a core of its own',
      gateway: atOwnCores(two),
      raw: atOwnCores(one),
      method:
        'computed: 1,000 ms by the CPU for each message, of the process that takes the most of it, in the rounds above.',
    },
  ];
}

/** What the busiest process of each round would get done in a second of CPU. */
function atOwnCores({ side, own }: Way): Side {
  return {
    rounds: side.rounds.map(
      (_, round) =>
        1_000 / Math.max(...Object.keys(own).map((name) => side.cpuMsOf[name]?.[round] ?? Number.NaN)),
    ),
  };
}

const LEASE_SECONDS = 5;
/** Seconds that the others have beyond the lease. */
const GRACE_SECONDS = 5;
const TAKE_OVERS = 4;
const TAKE_OVER_LOOK_MS = 10;
const PATIENCE_MS = 60_000;

/** How long the session of a node that is killed is away from the network. */
export function takeOver(lab: Lab): Promise<Comparison> {
  const settings = { leaseSeconds: LEASE_SECONDS };
  return withCluster(
    lab,
    1,
    async ({ nodes, add }) => {
      const { number } = await lab.person('Author');
      await nodes[0]?.link(number);
      const seconds: number[] = [];
      while (seconds.length < TAKE_OVERS) {
        const [owner, heir] = [nodes.at(-1), await add()];
        // killed at any moment between two renewals
        await wait(Math.random() * (LEASE_SECONDS / 3) * 1_000);
        const killedAt = performance.now();
        await owner?.worker.kill();
        await untilConnected(lab, number, false);
        await untilConnected(lab, number, true);
        seconds.push((performance.now() - killedAt) / 1_000);
        await heir.connected(number);
      }
      return {
        name: 'take-over after SIGKILL',
        unit: 's',
        gateway: { rounds: seconds },
        raw: { rounds: seconds.map(() => LEASE_SECONDS + GRACE_SECONDS) },
        rawIs: `lease of ${LEASE_SECONDS} s + ${GRACE_SECONDS} s`,
        target: { atMost: 1 },
        method: `from the kill of the node that holds a session, at any moment between two renewals of its lease, until the network sees the session's device connected again, by the other node; nobody asks for the session meanwhile. Without the lease: ${seconds.map((all) => (all - LEASE_SECONDS).toFixed(2)).join(' ')} s.`,
      };
    },
    settings,
  );
}

/** Asks the network. */
async function untilConnected(lab: Lab, number: string, wanted: boolean): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const { devices } = await lab.phones.phone(number);
    if (devices.some(({ connected }) => connected) === wanted) return;
    await wait(TAKE_OVER_LOOK_MS);
  }
  throw new Error(`the device of ${number} did not become ${wanted ? 'connected' : 'disconnected'}`);
}

/** Several nodes on one MongoDB: what passing on costs, what a second worker brings, how long a take-over takes. */
export async function cluster(lab: Lab): Promise<Comparison[]> {
  if (!MONGODB_URL) {
    console.error('  left out: it needs a MongoDB server, named by SWITCHBOARD_TEST_MONGODB');
    return [];
  }
  return [await foreignSends(lab), ...(await twoWorkers(lab)), await takeOver(lab)];
}
