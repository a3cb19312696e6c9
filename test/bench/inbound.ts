import { type Counter, startCounter } from './support/counter.js';
import type { Lab } from './support/lab.js';
import type { Comparison, Side } from './support/report.js';
import { inFlight } from './support/send-texts.js';

const COUNT = 600;
const WARM_UP = 400;
const ROUNDS = 4;
const WRITERS = 8;
const METHOD =
  `${COUNT} texts a round wait at the network for a device that is offline, so that writing them costs nothing while ` +
  `they arrive. From the login that releases them to the last POST at the receiver. Gateway: sealed journal, event, ` +
  `signed webhook. Raw: every message of messages.upsert POSTed with undici`;

/** One way to receive: a number that can be taken off the network and brought back. */
interface Taker {
  side: Side;
  number: string;
  writer: string;
  leave(): Promise<void>;
  comeBack(): Promise<unknown>;
  cpuMs(): Promise<number>;
}

/** Texts per second from the network to a webhook receiver. */
export async function inbound(lab: Lab): Promise<Comparison[]> {
  const counter = await startCounter();
  const gateway = await takenByGateway(lab, counter);
  const raw = await takenByLibrary(lab, counter, 'memory');
  const kept = await takenByLibrary(lab, counter, 'files');
  const takers = [gateway, raw, kept];
  for (const taker of takers) await measure(lab, counter, taker, WARM_UP);
  for (let round = 0; round < ROUNDS; round++) {
    for (const taker of takers) {
      const { perSecond, cpuMs } = await measure(lab, counter, taker, COUNT);
      taker.side.rounds.push(perSecond);
      taker.side.cpuMsPerMessage?.push(cpuMs);
    }
  }
  await counter.stop();
  return [
    {
      name: 'inbound texts to the webhook',
      unit: 'texts/s',
      gateway: gateway.side,
      raw: raw.side,
      target: { atLeast: 0.75 },
      method: `${METHOD}; keys in memory, lost with the process.`,
    },
    {
      name: 'inbound texts, raw with kept keys',
      unit: 'texts/s',
      gateway: gateway.side,
      raw: kept.side,
      method: `${METHOD}; keys in files by the library's own useMultiFileAuthState, so that a restart resumes.`,
    },
  ];
}

async function takenByGateway(lab: Lab, counter: Counter): Promise<Taker> {
  const [reader, writer] = [await lab.person('Reader'), await lab.person('Writer')];
  const gateway = await lab.gateway();
  await gateway.link(reader.number, counter.url);
  return {
    side: { rounds: [], cpuMsPerMessage: [] },
    number: reader.number,
    writer: writer.number,
    leave: () => gateway.stop(),
    comeBack: () => gateway.start(),
    cpuMs: () => gateway.worker.cpuMs(),
  };
}

async function takenByLibrary(lab: Lab, counter: Counter, keys: 'memory' | 'files'): Promise<Taker> {
  const [reader, writer] = [await lab.person('Reader'), await lab.person('Writer')];
  const { number } = reader;
  const raw = await lab.raw(keys);
  await raw.link(number);
  await raw.worker.ask('forward', { number, url: counter.url });
  return {
    side: { rounds: [], cpuMsPerMessage: [] },
    number,
    writer: writer.number,
    leave: () => raw.worker.ask('disconnect', { number }),
    comeBack: () => raw.worker.ask('connect', { number }),
    cpuMs: () => raw.worker.cpuMs(),
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
