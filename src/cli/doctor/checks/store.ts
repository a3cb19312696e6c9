import { parseObject } from '../../json-api.js';
import type { ReadyAnswer } from '../../wire.js';
import { fine, type GeneralCheck, wrong } from '../check.js';
import { ownNode, type Room } from '../room.js';

/** One slow answer may be chance. */
const ROUNDS = 3;

/** Does the daemon's store answer, and soon? */
export const store: GeneralCheck = {
  id: 'store',
  needs: ['daemon'],
  async look(room) {
    const { answer } = await room.probe('/health/ready');
    if (!parseObject<ReadyAnswer>(answer.text)?.database) {
      const advice =
        'with MongoDB, look whether the server runs and lets the daemon in; with SQLite, look at the disk; ' +
        "the daemon's log says why";
      const facts = { status: answer.status };
      return wrong('store-unreachable', 'the daemon cannot reach its store', advice, facts);
    }
    const ms = await quickest(room);
    if (ms === undefined) return fine('answers the daemon; how soon is told only to the master token');
    const facts = { ms };
    if (ms > room.options.limits.slowStoreMs) {
      const advice = 'put the store nearer to the daemon, or look at what keeps its server or its disk busy';
      return wrong('store-slow', `takes ${ms} ms to answer the daemon`, advice, facts);
    }
    return fine(`answers the daemon within ${ms} ms`, facts);
  },
};

/** Milliseconds that the store takes, as the daemon measures it; undefined when it does not tell us. */
async function quickest(room: Room): Promise<number | undefined> {
  let best: number | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    const ms = await storeMs(room);
    if (ms === undefined) return best;
    best = Math.min(best ?? ms, ms);
    if (best <= room.options.limits.slowStoreMs) return best;
  }
  return best;
}

async function storeMs(room: Room): Promise<number | undefined> {
  return room.askFleet().then(
    (fleet) => ownNode(fleet)?.store?.ms,
    () => undefined,
  );
}
