import type { Lab } from './support/lab.js';
import type { Comparison, Side } from './support/report.js';
import { inFlight } from './support/send-texts.js';
import type { GatewaySide, RawSide } from './support/sides.js';

const SESSIONS = 50;
const PAIRING_AT_ONCE = 4;
const ROUNDS = 3;

/** Resident memory of each idle connected session. */
export async function memory(lab: Lab): Promise<Comparison[]> {
  const numbers: string[] = [];
  for (let count = 0; count < SESSIONS; count++) {
    numbers.push((await lab.person(`Person ${count}`)).number);
  }
  const fromOne: Record<'gateway' | 'raw', Side> = { gateway: { rounds: [] }, raw: { rounds: [] } };
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of ['gateway', 'raw'] as const) {
      const side = await lab[name]();
      const { one, all } = await grow(side, numbers);
      fromOne[name].rounds.push((all - one) / (SESSIONS - 1));
      await side.end();
    }
  }
  const conditions = `after garbage collection, in a fresh process each round, just after the pairing; raw: keys in memory.`;
  return [
    {
      name: `memory per further idle session, ${SESSIONS} sessions`,
      unit: 'MB',
      ...fromOne,
      target: { atMost: 1.25 },
      method: `(RSS with ${SESSIONS} - RSS with one) / ${SESSIONS - 1}: the first one loads the library; ${conditions}`,
    },
  ];
}

/** Links the numbers. @returns resident megabytes with one and with all of them */
async function grow(
  side: GatewaySide | RawSide,
  numbers: readonly string[],
): Promise<{ one: number; all: number }> {
  const resident = async () => {
    await side.worker.idle();
    return side.worker.residentMb();
  };
  const [first = '', ...rest] = numbers;
  await side.link(first);
  const one = await resident();
  await inFlight(rest.length, PAIRING_AT_ONCE, async (index) => {
    await side.link(rest[index] ?? '');
  });
  return { one, all: await resident() };
}
