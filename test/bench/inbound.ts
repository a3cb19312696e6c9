import { type Counter, startCounter } from './support/counter.js';
import { inFlight } from './support/in-flight.js';
import type { Lab } from './support/lab.js';
import type { Comparison, Side } from './support/measurement.js';

const COUNT = 800;
const WARM_UP = 300;
const ROUNDS = 4;
const WRITERS = 8;

/** One way to receive: a number that can be taken off the network and brought back. */
interface Taker {
  number: string;
  writer: string;
  leave(): Promise<void>;
  comeBack(): Promise<unknown>;
  cpuMs(): Promise<number>;
}

/** Texts per second from the network to a webhook receiver. */
export async function inbound(lab: Lab): Promise<Comparison[]> {
  const counter = await startCounter();
  const { takers, end } = await setUp(lab, counter);
  for (const taker of takers) await measure(lab, counter, taker, WARM_UP);
  const sides = takers.map((): Side => ({ rounds: [], cpuMsPerMessage: [] }));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, taker] of takers.entries()) {
      const { perSecond, cpuMs } = await measure(lab, counter, taker, COUNT);
      sides[index]?.rounds.push(perSecond);
      sides[index]?.cpuMsPerMessage?.push(cpuMs);
    }
  }
  await end();
  await counter.stop();
  const [gateway, raw] = sides;
  if (!gateway || !raw) throw new Error('two sides are measured');
  return [
    {
      name: 'inbound texts to the webhook',
      unit: 'texts/s',
      gateway,
      raw,
      target: { atLeast: 0.85 },
      method:
        `${COUNT} texts a round wait at the network for a device that is offline, so that writing them costs nothing ` +
        `while they arrive. From the login that releases them to the last POST at the receiver. ` +
        `Gateway: journal, event, signed webhook. Raw: every message of messages.upsert POSTed with undici; keys in memory.`,
    },
  ];
}

async function setUp(lab: Lab, counter: Counter): Promise<{ takers: Taker[]; end(): Promise<void> }> {
  const [alice, carol] = [await lab.person('Alice'), await lab.person('Carol')];
  const [bob, dave] = [await lab.person('Bob'), await lab.person('Dave')];
  const gateway = await lab.gateway();
  const raw = await lab.raw();
  await gateway.link(alice.number, counter.url);
  await raw.link(carol.number);
  const { number } = carol;
  await raw.worker.ask('forward', { number, url: counter.url });
  const viaGateway: Taker = {
    number: alice.number,
    writer: bob.number,
    leave: () => gateway.stop(),
    comeBack: () => gateway.start(),
    cpuMs: () => gateway.worker.cpuMs(),
  };
  const viaLibrary: Taker = {
    number,
    writer: dave.number,
    leave: () => raw.worker.ask('disconnect', { number }),
    comeBack: () => raw.worker.ask('connect', { number }),
    cpuMs: () => raw.worker.cpuMs(),
  };
  return {
    takers: [viaGateway, viaLibrary],
    async end() {
      await gateway.end();
      await raw.end();
    },
  };
}

async function measure(
  lab: Lab,
  counter: Counter,
  taker: Taker,
  count: number,
): Promise<{ perSecond: number; cpuMs: number }> {
  await taker.leave();
  await inFlight(count, WRITERS, async (index) => {
    await lab.phones.write(taker.writer, { to: taker.number, text: `message ${index}` });
  });
  await lab.sandbox.idle();
  const arrived = counter.messages(count);
  const released = loginOf(lab, taker.number);
  await released.watching;
  const cpuBefore = await taker.cpuMs();
  await taker.comeBack();
  const releasedAt = await released.at;
  const { lastAt } = await arrived;
  const cpuMs = ((await taker.cpuMs()) - cpuBefore) / count;
  return { perSecond: (count / (lastAt - releasedAt)) * 1_000, cpuMs };
}

/** When a number's device logs in, as the network tells it. */
function loginOf(lab: Lab, number: string): { watching: Promise<void>; at: Promise<number> } {
  let watch: () => void = () => undefined;
  const watching = new Promise<void>((resolve) => {
    watch = resolve;
  });
  const at = lab.phones
    .waitFor(
      (event) => event.type === 'device' && event.number === number && event.change === 'connected',
      undefined,
      async () => {
        watch();
        return undefined;
      },
    )
    .then(() => performance.now());
  return { watching, at };
}
