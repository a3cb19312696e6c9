import { startCounter } from './support/counter.js';
import type { GatewaySide } from './support/gateway-side.js';
import type { Lab } from './support/lab.js';
import type { Comparison, Side } from './support/measurement.js';
import type { RawSide } from './support/raw-side.js';

const IN_FLIGHT = 16;
const WARM_UP = 1_000;
const COUNT = 1_000;
const ROUNDS = 5;
const ROUNDS_WITH_WEBHOOK = 3;

/** Texts per second of one session to one recipient that it has written to before. */
export async function sends(lab: Lab): Promise<Comparison[]> {
  const bench = await setUp(lab);
  await bench.viaGateway(WARM_UP);
  await bench.viaLibrary(WARM_UP);
  const gateway = emptySide();
  const raw = emptySide();
  for (let round = 0; round < ROUNDS; round++) {
    await bench.record(gateway, bench.gateway, bench.viaGateway);
    await bench.record(raw, bench.raw, bench.viaLibrary);
  }
  const announced = emptySide();
  const counter = await startCounter();
  await bench.gateway.setWebhook(bench.alice.number, counter.url);
  for (let round = 0; round < ROUNDS_WITH_WEBHOOK; round++) {
    await bench.record(announced, bench.gateway, bench.viaGateway);
  }
  await counter.stop();
  await bench.gateway.end();
  await bench.raw.end();
  return [
    {
      name: 'text sends',
      unit: 'sends/s',
      gateway,
      raw,
      target: { atLeast: 0.85 },
      method:
        `${COUNT} sends a round, ${IN_FLIGHT} in flight, to one warm recipient. Gateway: POST /send-message over ` +
        `kept-alive connections, done at the answer 200, which waits for the network's ack; no webhook. ` +
        `Raw: sendMessage, done when its promise resolves, which does not wait for the ack; keys in memory.`,
    },
    {
      name: 'text sends, each announced to a webhook',
      unit: 'sends/s',
      gateway: announced,
      raw,
      method: `As above, with a webhook that gets the event of every send; raw Baileys announces nothing.`,
    },
  ];
}

async function setUp(lab: Lab) {
  const alice = await lab.person('Alice');
  const bob = await lab.person('Bob');
  const carol = await lab.person('Carol');
  const dave = await lab.person('Dave');
  const gateway = await lab.gateway();
  const raw = await lab.raw();
  await gateway.link(alice.number);
  await raw.link(carol.number);
  const viaGateway = (count: number) => gateway.send(alice.number, bob.number, count, IN_FLIGHT);
  const viaLibrary = (count: number) =>
    raw.worker.ask('send', { number: carol.number, to: dave.lid, count, parallel: IN_FLIGHT });
  const record = async (
    into: Side,
    { worker }: GatewaySide | RawSide,
    send: (count: number) => Promise<number>,
  ) => {
    await settle(lab, gateway, raw);
    const cpuBefore = await worker.cpuMs();
    const tookMs = await send(COUNT);
    const cpuMs = (await worker.cpuMs()) - cpuBefore;
    into.rounds.push((COUNT / tookMs) * 1_000);
    into.cpuMsPerMessage?.push(cpuMs / COUNT);
  };
  return { gateway, raw, alice, viaGateway, viaLibrary, record };
}

/** Nothing of the last round may burden the next one. */
async function settle(lab: Lab, gateway: GatewaySide, raw: RawSide): Promise<void> {
  for (const worker of [lab.sandbox, gateway.worker, raw.worker]) await worker.idle();
}

function emptySide(): Side {
  return { rounds: [], cpuMsPerMessage: [] };
}
