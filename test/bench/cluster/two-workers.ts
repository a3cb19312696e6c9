import type { RouterRole } from '../roles/router.js';
import { untilHeld, withCluster } from '../support/cluster.js';
import type { GatewaySide } from '../support/gateway-side.js';
import type { Lab } from '../support/lab.js';
import type { Comparison, Side } from '../support/measurement.js';
import { detailedSide, type Processes, recordRound, roundOf } from '../support/rounds.js';
import { type Chat, sendTexts } from '../support/send-texts.js';
import { Worker } from '../support/worker.js';

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
