import { randomBytes } from 'node:crypto';
import { MONGODB_URL, makeTestDatabase } from '../gateway/store/support/mongo.js';
import type { FillerRole } from './roles/filler.js';
import { CLIENT_ID, type Filling, messageIdOf, roomIdOf } from './support/inbox-fill.js';
import type { Lab } from './support/lab.js';
import type { Comparison } from './support/report.js';
import { median } from './support/rounds.js';
import type { GatewaySide } from './support/sides.js';
import { Worker } from './support/worker.js';

const ROOMS = 1_000;
/** In each room of the large inbox, and in one room of the small one, whose other rooms have one. */
const MESSAGES = 1_000;
const PAGE = 200;
const ROUNDS = 9;
/** Requests of a round, in turn with those to the other inbox. */
const REQUESTS = 15;
/** The small inbox's room that is as long as those of the large one. */
const FULL_ROOM = 0;
const AT_MOST = 1.3;
const SMALL = ROOMS - 1 + MESSAGES;
const METHOD = `HTTP requests, one after the other, ${REQUESTS} to each inbox in a round, whose median counts; of the large one another room each time. Rooms and answers of the same size.`;

/** One of the routes, and what is asked for of an inbox in the n-th request. */
interface Asked {
  name: string;
  small(): string;
  large(n: number): string;
}

type Sides = Pick<Comparison, 'gateway' | 'raw'>;

const ROUTES: readonly Asked[] = [
  {
    name: 'GET /chatrooms, 1,000 rooms',
    small: () => `/chatrooms?clientId=${CLIENT_ID}`,
    large: () => `/chatrooms?clientId=${CLIENT_ID}`,
  },
  {
    name: `GET /chatrooms/{id}/messages, the newest ${PAGE}`,
    small: () => `/chatrooms/${roomIdOf(FULL_ROOM)}/messages`,
    large: (n) => `/chatrooms/${roomIdOf(roomAt(n))}/messages`,
  },
  {
    name: `GET /chatrooms/{id}/messages?before=, ${PAGE / 2}`,
    small: () => pageBefore(FULL_ROOM, MESSAGES / 2),
    large: (n) => pageBefore(roomAt(n), MESSAGES / 2),
  },
];

/** A store with its two inboxes, each in a daemon and a database of its own. */
interface Inboxes {
  store: string;
  small: GatewaySide;
  large: GatewaySide;
}

/** The list routes of the hosted inbox with 1,000,000 messages against the same with about 2,000, on each store. */
export async function inbox(lab: Lab): Promise<Comparison[]> {
  const databases = MONGODB_URL ? [makeTestDatabase(MONGODB_URL), makeTestDatabase(MONGODB_URL)] : [];
  const [small, large] = databases;
  try {
    const both = await Promise.all([
      filledBoth(lab, 'sqlite', 'sqlite', 'sqlite'),
      ...(small && large ? [filledBoth(lab, 'mongodb', small.url, large.url)] : []),
    ]);
    const results: Comparison[] = [];
    for (const inboxes of both) results.push(...(await measured(inboxes)));
    return results;
  } finally {
    for (const database of databases) await database.drop();
  }
}

async function measured({ store, small, large }: Inboxes): Promise<Comparison[]> {
  const results: Comparison[] = [];
  for (const asked of ROUTES) {
    results.push({
      name: `${asked.name}, ${store}, ${(ROOMS * MESSAGES).toLocaleString('en')} messages`,
      unit: 'ms',
      ...(await compare(asked, small, large)),
      rawIs: `${SMALL.toLocaleString('en')} messages`,
      target: { atMost: AT_MOST },
      method: METHOD,
    });
  }
  return results;
}

async function filledBoth(lab: Lab, store: string, smallUrl: string, largeUrl: string): Promise<Inboxes> {
  const [small, large] = await Promise.all([
    filled(lab, smallUrl, {
      messagesIn: [MESSAGES, ...Array<number>(ROOMS - 1).fill(1)],
      readRooms: [FULL_ROOM],
    }),
    filled(lab, largeUrl, {
      messagesIn: Array<number>(ROOMS).fill(MESSAGES),
      readRooms: Array.from({ length: (ROUNDS + 1) * REQUESTS }, (_, n) => roomAt(n)),
    }),
  ]);
  return { store, small, large };
}

function filled(lab: Lab, url: string, filling: Filling): Promise<GatewaySide> {
  const encryptionKey = randomBytes(32).toString('hex');
  return lab.gateway(async (dataDir) => {
    const filler = new Worker<FillerRole>('filler');
    try {
      await filler.ask('fill', { place: { url, dataDir, encryptionKey }, filling });
    } finally {
      await filler.stop();
    }
    return { store: url, encryptionKey };
  });
}

async function compare(
  { small, large }: Asked,
  smallSide: GatewaySide,
  largeSide: GatewaySide,
): Promise<Sides> {
  const rounds: Sides = { gateway: { rounds: [] }, raw: { rounds: [] } };
  for (let round = 0; round <= ROUNDS; round++) {
    const times: { gateway: number[]; raw: number[] } = { gateway: [], raw: [] };
    for (let request = 0; request < REQUESTS; request++) {
      const asking = [
        async () => times.raw.push(await timed(() => smallSide.read(small()))),
        async () => times.gateway.push(await timed(() => largeSide.read(large(round * REQUESTS + request)))),
      ];
      // whoever comes second finds the machine awake
      for (const ask of request % 2 === 0 ? asking : asking.reverse()) await ask();
    }
    // the first one warms both up
    if (round === 0) continue;
    rounds.raw.rounds.push(median(times.raw));
    rounds.gateway.rounds.push(median(times.gateway));
  }
  return rounds;
}

async function timed(ask: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await ask();
  return performance.now() - startedAt;
}

/** Rooms in no order that a cache could make use of. */
function roomAt(n: number): number {
  return (n * 617) % ROOMS;
}

function pageBefore(room: number, turn: number): string {
  return `/chatrooms/${roomIdOf(room)}/messages?limit=${PAGE / 2}&before=${messageIdOf(room, turn)}`;
}
