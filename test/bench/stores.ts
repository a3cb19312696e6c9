import { MONGODB_URL } from '../gateway/store/support/mongo.js';
import { withCluster } from './cluster.js';
import { type Counter, startCounter } from './support/counter.js';
import type { Lab } from './support/lab.js';
import type { Comparison } from './support/report.js';
import { inFlight } from './support/send-texts.js';
import type { GatewaySide } from './support/sides.js';

const SENDS = 300;
const TEXTS = 300;
const IN_FLIGHT = 16;
const ROUNDS = 4;
const METHOD =
  `CPU of the gateway's own process; one session, ${IN_FLIGHT} in flight, rounds in turns, no hosted inbox. The gateway on ` +
  'MongoDB also renews its leases meanwhile.';

/** One gateway, with a session and somebody who writes and is written to. */
interface Way {
  gateway: GatewaySide;
  number: string;
  friend: string;
  sends: number[];
  texts: number[];
}

/** The processor time of a message with MongoDB as the store, beside that with SQLite. Nothing where no MongoDB is named. */
export async function stores(lab: Lab): Promise<Comparison[]> {
  if (!MONGODB_URL) return [];
  return withCluster(lab, 1, async ({ nodes: [node] }) => {
    if (!node) throw new Error('there is no node');
    const counter = await startCounter();
    const mongodb = await prepare(lab, node);
    const sqlite = await prepare(lab, await lab.gateway());
    const ways = [mongodb, sqlite];
    for (let round = 0; round <= ROUNDS; round++) {
      for (const way of ways) {
        await measure(lab, way, counter);
        // the first round warms up
        if (round === 0) [way.sends, way.texts] = [[], []];
      }
    }
    await counter.stop();
    return (['sends', 'texts'] as const).map((kind) => ({
      name: kind === 'sends' ? 'CPU of a send on MongoDB' : 'CPU of an inbound text on MongoDB',
      unit: 'ms CPU',
      gateway: { rounds: mongodb[kind] },
      raw: { rounds: sqlite[kind] },
      rawIs: 'on SQLite',
      target: { atMost: 2 },
      method:
        kind === 'sends' ? METHOD : `${METHOD} Each text is announced to a webhook; the device is online.`,
    }));
  });
}

async function prepare(lab: Lab, gateway: GatewaySide): Promise<Way> {
  const [{ number }, friend] = [await lab.person('Author'), await lab.person('Friend')];
  await gateway.link(number);
  return { gateway, number, friend: friend.number, sends: [], texts: [] };
}

/** A round of sends and one of texts that come in. */
async function measure(lab: Lab, way: Way, counter: Counter): Promise<void> {
  const { gateway, number, friend } = way;
  way.sends.push((await cpuOf(lab, gateway, () => gateway.send(number, friend, SENDS, IN_FLIGHT))) / SENDS);
  await gateway.setWebhook(number, counter.url);
  const write = async () => {
    const arrived = counter.messages(TEXTS);
    await inFlight(TEXTS, IN_FLIGHT, async (index) => {
      await lab.phones.write(friend, { to: number, text: `text ${index}` });
    });
    await arrived;
  };
  way.texts.push((await cpuOf(lab, gateway, write)) / TEXTS);
  await gateway.setWebhook(number, '');
}

/** Milliseconds of the gateway's CPU, until it is at rest again. */
async function cpuOf(lab: Lab, { worker }: GatewaySide, work: () => Promise<unknown>): Promise<number> {
  await lab.sandbox.idle();
  await worker.idle();
  const before = await worker.cpuMs();
  await work();
  await worker.idle();
  return (await worker.cpuMs()) - before;
}
