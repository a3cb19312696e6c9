import { startCounter } from './support/counter.js';
import type { Lab } from './support/lab.js';
import type { Comparison, Side } from './support/report.js';
import { sendTexts } from './support/send-texts.js';
import type { Worker } from './support/worker.js';

const IN_FLIGHT = 16;
const WARM_UP = 800;
const COUNT = 800;
const ROUNDS = 5;
const ROUNDS_WITH_WEBHOOK = 3;
const BUSY_ROUND =
  `${COUNT} sends a round, ${IN_FLIGHT} in flight, to one warm recipient. Gateway: POST /send-message over kept-alive ` +
  `connections, done at the answer 200, which waits for the network's ack; everything is written to SQLite, sealed. ` +
  `Raw: sendMessage, done when its promise resolves, which does not wait for the ack`;

/** One way to send. */
interface Way {
  side: Side;
  worker: Pick<Worker<never>, 'idle' | 'cpuMs'>;
  /** @returns how many milliseconds it took */
  send(count: number): Promise<number>;
}

/** Texts per second of one session to one recipient that it has written to before. */
export async function sends(lab: Lab): Promise<Comparison[]> {
  const { gateway, setWebhook } = await viaGateway(lab);
  const raw = await viaLibrary(lab, 'memory');
  const kept = await viaLibrary(lab, 'files');
  const served = await libraryServed(lab);
  const ways = [gateway, raw, kept, served];
  for (const way of ways) await way.send(WARM_UP);
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of ways) await record(lab, way, ways);
  }
  const announced = { ...gateway, side: emptySide() };
  const counter = await startCounter();
  await setWebhook(counter.url);
  for (let round = 0; round < ROUNDS_WITH_WEBHOOK; round++) await record(lab, announced, ways);
  await counter.stop();
  return [
    {
      name: 'text sends',
      unit: 'sends/s',
      gateway: gateway.side,
      raw: raw.side,
      target: { atLeast: 0.65 },
      method: `${BUSY_ROUND}; keys in memory, lost with the process.`,
    },
    {
      name: 'text sends, raw with kept keys',
      unit: 'sends/s',
      gateway: gateway.side,
      raw: kept.side,
      method: `${BUSY_ROUND}; keys in files by the library's own useMultiFileAuthState, so that a restart resumes.`,
    },
    {
      name: 'text sends, raw behind HTTP',
      unit: 'sends/s',
      gateway: gateway.side,
      raw: served.side,
      method:
        `${COUNT} sends a round, ${IN_FLIGHT} in flight, over kept-alive connections on both sides; both answer after the ` +
        'acknowledgement of the network. Raw: sendMessage in a handler of hapi with a body checked by Joi; no authentication, no ' +
        'log, keys in memory, nothing stored.',
    },
    {
      name: 'text sends, announced to a webhook',
      unit: 'sends/s',
      gateway: announced.side,
      raw: raw.side,
      method:
        'As the first, with a webhook that gets the event of every send; raw Baileys announces nothing.',
    },
  ];
}

async function viaGateway(lab: Lab): Promise<{ gateway: Way; setWebhook(url: string): Promise<void> }> {
  const [author, recipient] = [await lab.person('Author'), await lab.person('Recipient')];
  const gateway = await lab.gateway();
  await gateway.link(author.number);
  return {
    gateway: {
      side: emptySide(),
      worker: gateway.worker,
      send: (count) => gateway.send(author.number, recipient.number, count, IN_FLIGHT),
    },
    setWebhook: (url) => gateway.setWebhook(author.number, url),
  };
}

async function viaLibrary(lab: Lab, keys: 'memory' | 'files'): Promise<Way> {
  const [author, recipient] = [await lab.person('Author'), await lab.person('Recipient')];
  const raw = await lab.raw(keys);
  await raw.link(author.number);
  const order = { number: author.number, to: recipient.lid, parallel: IN_FLIGHT };
  return {
    side: emptySide(),
    worker: raw.worker,
    send: (count) => raw.worker.ask('send', { ...order, count }),
  };
}

/** The library in a handler of hapi: the least that a gateway on it can cost. */
async function libraryServed(lab: Lab): Promise<Way> {
  const [author, recipient] = [await lab.person('Author'), await lab.person('Recipient')];
  const raw = await lab.raw();
  await raw.link(author.number);
  const url = await raw.worker.ask('serveSends', { number: author.number, to: recipient.lid });
  const chats = [{ from: author.number, to: recipient.number }];
  return {
    side: emptySide(),
    worker: raw.worker,
    send: (count) => sendTexts({ url, token: '' }, chats, count, IN_FLIGHT),
  };
}

/** One round, once nothing of the last one is left to do. */
async function record(lab: Lab, { side, worker, send }: Way, all: readonly Way[]): Promise<void> {
  await lab.sandbox.idle();
  for (const way of all) await way.worker.idle();
  const cpuBefore = await worker.cpuMs();
  const tookMs = await send(COUNT);
  const cpuMs = (await worker.cpuMs()) - cpuBefore;
  side.rounds.push((COUNT / tookMs) * 1_000);
  side.cpuMsPerMessage?.push(cpuMs / COUNT);
}

function emptySide(): Side {
  return { rounds: [], cpuMsPerMessage: [] };
}
