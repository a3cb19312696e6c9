import { setTimeout as wait } from 'node:timers/promises';
import { startCounter } from './support/counter.js';
import type { Lab } from './support/lab.js';
import { absolute, type Comparison } from './support/report.js';

const PAIRS = 10;
const PER_SECOND = 100;
/** Parts of the time whose rates are compared. */
const PARTS = 4;

/**
 * Steady traffic: ten sessions, each with one person, half of the messages in each direction.
 * @param minutes how long
 */
export function soak(minutes: number): (lab: Lab) => Promise<Comparison[]> {
  return async (lab) => {
    const counter = await startCounter();
    const gateway = await lab.gateway();
    const pairs: { session: string; person: string }[] = [];
    for (let count = 0; count < PAIRS; count++) {
      const [own, other] = [await lab.person(`Own ${count}`), await lab.person(`Other ${count}`)];
      await gateway.link(own.number, counter.url);
      pairs.push({ session: own.number, person: other.number });
    }
    const rates: number[] = [];
    let largest = 0;
    for (let part = 0; part < PARTS; part++) {
      rates.push(
        await steady((minutes * 60) / PARTS, async (index) => {
          const { session, person } = pairs[index % PAIRS] ?? { session: '', person: '' };
          if (Math.floor(index / PAIRS) % 2 === 0) {
            await gateway.sendText(session, person, `message ${index}`);
          } else {
            await lab.phones.write(person, { to: session, text: `answer ${index}` });
          }
        }),
      );
      largest = Math.max(largest, await gateway.worker.ask('residentNowMb', {}));
    }
    await counter.stop();
    const method =
      `${PAIRS} sessions, ${PER_SECOND} messages/s for ${minutes} minutes, half of them sends, each announced to a webhook; ` +
      `the gateway's memory is read ${PARTS} times, without collecting garbage first.`;
    return [
      absolute(
        { name: 'resident memory under steady traffic', unit: 'MB', target: { atMost: 250 }, method },
        largest,
      ),
      {
        name: 'rate of the last quarter, beside the first',
        unit: 'messages/s',
        gateway: { rounds: rates.slice(-1) },
        raw: { rounds: rates.slice(0, 1) },
        rawIs: 'first quarter',
        target: { atLeast: 0.95 },
        method,
      },
    ];
  };
}

/** Starts work at a steady rate, and waits for all of it. @returns how many a second were done */
async function steady(seconds: number, work: (index: number) => Promise<void>): Promise<number> {
  const count = Math.round(seconds * PER_SECOND);
  const startedAt = performance.now();
  const running: Promise<void>[] = [];
  for (let index = 0; index < count; index++) {
    const dueIn = startedAt + (index / PER_SECOND) * 1_000 - performance.now();
    if (dueIn > 0) await wait(dueIn);
    running.push(work(index));
    // what is late holds back what follows, so that a rate that is too high shows
    if (running.length >= PER_SECOND) await Promise.all(running.splice(0));
  }
  await Promise.all(running);
  return count / ((performance.now() - startedAt) / 1_000);
}
