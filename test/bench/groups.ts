import type { Lab } from './support/lab.js';
import type { Comparison, Side } from './support/report.js';
import type { Worker } from './support/worker.js';

/** With the author. */
const MEMBERS = 200;
const IN_FLIGHT = 4;
const WARM_UP = 40;
const COUNT = 40;
const ROUNDS = 5;
/** Groups that each side writes to for the first time. */
const COLD_GROUPS = 3;

const METHOD =
  `${COUNT} sends a round, ${IN_FLIGHT} in flight, to one group of ${MEMBERS} of the side's own, whose members all have the ` +
  `sender's key already. Gateway: POST /send-message, done at the answer 200, which waits for the network's ack; keys and ` +
  `messages are written to SQLite, sealed. Raw: cachedGroupMetadata with the members at hand, keys in memory. CPU with all receipts`;

/** One side, with the groups that it may write to. */
interface Way {
  worker: Pick<Worker<never>, 'idle' | 'cpuMs'>;
  jid: string;
  coldJids: string[];
  /** @returns how many milliseconds it took */
  send(jid: string, count: number): Promise<number>;
  /** As `send`, without waiting for the network's acknowledgement; undefined where that cannot be done. */
  hurl?(jid: string, count: number): Promise<number>;
}

/** Texts per second to a large group, warm; and how long its very first text takes. */
export async function groups(lab: Lab): Promise<Comparison[]> {
  const members: string[] = [];
  while (members.length < MEMBERS - 1) members.push((await lab.person('Member')).number);
  const gateway = await viaGateway(lab, members);
  const raw = await viaLibrary(lab, members);
  const sides = { gateway: emptySide(), raw: emptySide(), hurled: emptySide() };
  const cold = { gateway: emptySide(), raw: emptySide() };
  await firstSends(lab, gateway, raw, cold);
  for (const way of [gateway, raw]) await way.send(way.jid, WARM_UP);
  const rest = () => restOf(lab, [gateway, raw]);
  for (let round = 0; round < ROUNDS; round++) {
    await record(sides.gateway, gateway, rest, () => gateway.send(gateway.jid, COUNT));
    await record(sides.raw, raw, rest, () => raw.send(raw.jid, COUNT));
    await record(sides.hurled, raw, rest, async () => (await raw.hurl?.(raw.jid, COUNT)) ?? Number.NaN);
  }
  return [
    {
      name: `texts to a group of ${MEMBERS}`,
      unit: 'sends/s',
      gateway: sides.gateway,
      raw: sides.raw,
      target: { atLeast: 0.85 },
      method: `${METHOD}; done at the network's ack too.`,
    },
    {
      name: `texts to a group of ${MEMBERS}, raw without waiting for the ack`,
      unit: 'sends/s',
      gateway: sides.gateway,
      raw: sides.hurled,
      method: `${METHOD}; done when sendMessage resolves, which is when the message is written to the socket.`,
    },
    {
      name: `the first text to a group of ${MEMBERS}`,
      unit: 'sends/s',
      gateway: cold.gateway,
      raw: cold.raw,
      method: `As the first, one send to each of ${COLD_GROUPS} groups: the sender's key goes to every member.`,
    },
  ];
}

async function viaGateway(lab: Lab, members: string[]): Promise<Way> {
  const { number } = await lab.person('Author');
  const gateway = await lab.gateway();
  await gateway.link(number);
  const [jid = '', ...coldJids] = await makeGroups(lab, number, members);
  return {
    worker: gateway.worker,
    jid,
    coldJids,
    send: (to, count) => gateway.send(number, to, count, IN_FLIGHT),
  };
}

async function viaLibrary(lab: Lab, members: string[]): Promise<Way> {
  const { number } = await lab.person('Author');
  const raw = await lab.raw();
  await raw.link(number);
  const [jid = '', ...coldJids] = await makeGroups(lab, number, members);
  for (const each of [jid, ...coldJids]) await raw.worker.ask('learnGroup', { number, jid: each });
  const order = { number, parallel: IN_FLIGHT };
  return {
    worker: raw.worker,
    jid,
    coldJids,
    send: (to, count) => raw.worker.ask('sendAcknowledged', { ...order, to, count }),
    hurl: (to, count) => raw.worker.ask('send', { ...order, to, count }),
  };
}

/** One group for the warm sends, and those for the first ones. */
async function makeGroups(lab: Lab, owner: string, participants: string[]): Promise<string[]> {
  const jids: string[] = [];
  while (jids.length <= COLD_GROUPS) {
    const { jid } = await lab.phones.groups.create(owner, { subject: 'Measured', participants });
    jids.push(jid);
  }
  return jids;
}

/** The very first message meets nobody: sessions with all devices are begun. What is measured comes after. */
async function firstSends(
  lab: Lab,
  gateway: Way,
  raw: Way,
  cold: { gateway: Side; raw: Side },
): Promise<void> {
  const rest = () => restOf(lab, [gateway, raw]);
  for (const way of [gateway, raw]) await way.send(way.jid, 1);
  for (let round = 0; round < COLD_GROUPS; round++) {
    await record(cold.gateway, gateway, rest, () => gateway.send(gateway.coldJids[round] ?? '', 1), 1);
    await record(cold.raw, raw, rest, () => raw.send(raw.coldJids[round] ?? '', 1), 1);
  }
}

/** Resolves when nothing of the last round is left to do. */
async function restOf(lab: Lab, ways: readonly Way[]): Promise<void> {
  await lab.sandbox.idle();
  for (const { worker } of ways) await worker.idle();
}

async function record(
  side: Side,
  { worker }: Way,
  rest: () => Promise<void>,
  send: () => Promise<number>,
  count = COUNT,
): Promise<void> {
  await rest();
  const cpuBefore = await worker.cpuMs();
  const tookMs = await send();
  // two hundred receipts for each message come afterwards
  await rest();
  const cpuMs = (await worker.cpuMs()) - cpuBefore;
  side.rounds.push((count / tookMs) * 1_000);
  side.cpuMsPerMessage?.push(cpuMs / count);
}

function emptySide(): Side {
  return { rounds: [], cpuMsPerMessage: [] };
}
