import { untilHeld, withCluster } from '../support/cluster.js';
import type { Lab } from '../support/lab.js';
import type { Comparison } from '../support/measurement.js';
import { detailedSide, recordRound, roundOf } from '../support/rounds.js';

const IN_FLIGHT = 16;
const ROUND_SECONDS = 3;
const ROUNDS = 5;
const METHOD =
  `two nodes on one MongoDB, one session; rounds of about ${ROUND_SECONDS} s and the same number of sends, ${IN_FLIGHT} in flight, to one warm recipient, all to the ` +
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
      node.send(author.number, recipient.number, count, IN_FLIGHT);
    await roundOf(ROUND_SECONDS, (count) => send(foreign, count));
    const count = await roundOf(ROUND_SECONDS, (sends) => send(owner, sends));
    for (let round = 0; round < ROUNDS; round++) {
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
      method: METHOD,
    };
  });
}
