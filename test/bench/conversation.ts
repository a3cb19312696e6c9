import { makeKeyStore } from '../../src/gateway/link/baileys/keys.js';
import { MemoryLinkKeys } from '../support/memory-link-keys.js';
import { linkRecords, Party } from '../support/signal-party.js';
import { absolute, type Comparison } from './support/report.js';

/** A message on its way. */
type Written = Awaited<ReturnType<Party['writes']>>;

const EARLY = 100;
const LATE = 20_000;
/** Rounds that are measured, and turns of each. */
const ROUNDS = 5;
const WINDOW = 100;
/** Turns of another conversation before, after which the code is compiled. */
const WARM_UP = 1_000;
/** One question in so many comes late, by so many turns. */
const LATE_EVERY = 10;
const LATE_BY = 10;
const LARGEST_RECORD_KB = 8;

/** CPU of a turn of a conversation, early and late: one message read and one written, with the keys in memory. */
export async function conversation(): Promise<Comparison[]> {
  await talk(WARM_UP);
  const { spent, largestRecord } = await talk(LATE + ROUNDS * WINDOW);
  const method =
    `one message read and one written through the link's key store, with libsignal on the other side; one question in ${LATE_EVERY} comes ` +
    `${LATE_BY} turns late; mean of ${WINDOW} turns in each round, after ${WARM_UP} turns of another conversation.`;
  return [
    {
      name: `a turn of a conversation, at turn ${LATE.toLocaleString('en')}`,
      unit: 'ms CPU',
      gateway: { rounds: roundsFrom(spent, LATE) },
      raw: { rounds: roundsFrom(spent, EARLY) },
      rawIs: `turn ${EARLY}`,
      target: { atMost: 1.1 },
      method,
    },
    absolute(
      { name: 'largest Signal record', unit: 'KB', target: { atMost: LARGEST_RECORD_KB }, method },
      largestRecord / 1_024,
    ),
  ];
}

/** @returns milliseconds of CPU of each turn, and the bytes of the largest record of either side */
async function talk(turns: number): Promise<{ spent: number[]; largestRecord: number }> {
  let largestRecord = 0;
  const memory = () => {
    const keys = new MemoryLinkKeys();
    keys.onCommit = ({ keys: changes = [] }) => {
      for (const { value } of changes) largestRecord = Math.max(largestRecord, value?.length ?? 0);
      // the history of commits would grow
      keys.commits.length = 0;
    };
    return makeKeyStore(keys, () => undefined);
  };
  const link = new Party(linkRecords(memory()));
  const contact = new Party(linkRecords(memory()));
  await contact.meet(link);
  const spent: number[] = [];
  const onTheWay: { due: number; message: Written }[] = [];
  for (let turn = 0; turn < turns; turn++) {
    if (turn % LATE_EVERY === 0) {
      onTheWay.push({ due: turn + LATE_BY, message: await contact.writes(`late question ${turn}`) });
    }
    const question = await contact.writes(`question ${turn}`);
    const before = process.cpuUsage();
    await link.reads(question);
    const answer = await link.writes(`answer ${turn}`);
    const arrived = onTheWay[0]?.due === turn && onTheWay.shift();
    if (arrived) await link.reads(arrived.message);
    const { user, system } = process.cpuUsage(before);
    await contact.reads(answer);
    spent.push((user + system) / 1_000);
  }
  return { spent, largestRecord };
}

/** The mean CPU of a turn, by round. */
function roundsFrom(spent: readonly number[], start: number): number[] {
  return Array.from({ length: ROUNDS }, (_, round) => {
    const turns = spent.slice(start + round * WINDOW, start + (round + 1) * WINDOW);
    return turns.reduce((sum, ms) => sum + ms, 0) / turns.length;
  });
}
