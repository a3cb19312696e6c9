import { setTimeout as wait } from 'node:timers/promises';
import type { TenantRole } from './roles/tenant.js';
import type { Lab } from './support/lab.js';
import type { Comparison } from './support/report.js';
import { clientIdOf } from './support/send-texts.js';
import { Worker } from './support/worker.js';

const ROUNDS = 3;
const ROUND_MS = 10_000;
const WARM_UP_MS = 3_000;
const SECRET = 'secret-of-the-hostile-tenant';

/** How much slower the sends of a tenant get while another one does its worst. Gateway, network and both tenants have a process each. */
export async function tenants(lab: Lab): Promise<Comparison[]> {
  const [victim, hostile] = [await lab.person('Victim'), await lab.person('Hostile')];
  const [friend, stranger] = [await lab.person('Friend'), await lab.person('Stranger')];
  const gateway = await lab.gateway();
  for (const { number } of [victim, hostile]) await gateway.link(number);
  await gateway.setSecret(hostile.number, SECRET);
  const { door } = gateway;
  const sender = new Worker<TenantRole>('tenant');
  const attacker = new Worker<TenantRole>('tenant');
  try {
    const chat = { from: victim.number, to: friend.number };
    const send = (ms: number) => sender.ask('send', { door, chat, ms });
    const target = {
      url: door.url,
      secret: SECRET,
      clientId: clientIdOf(hostile.number),
      to: stranger.number,
    };
    await send(WARM_UP_MS);
    const quiet: number[][] = [];
    const attacked: number[][] = [];
    const cpu: { gateway: number[]; network: number[] } = { gateway: [], network: [] };
    let answers = '';
    for (let round = 0; round < ROUNDS; round++) {
      await gateway.worker.idle();
      quiet.push(await send(ROUND_MS));
      await attacker.ask('begin', target);
      const [gatewayBefore, networkBefore] = [await gateway.worker.cpuMs(), await lab.sandbox.cpuMs()];
      attacked.push(await send(ROUND_MS));
      cpu.gateway.push(((await gateway.worker.cpuMs()) - gatewayBefore) / ROUND_MS);
      cpu.network.push(((await lab.sandbox.cpuMs()) - networkBefore) / ROUND_MS);
      answers = JSON.stringify(await attacker.ask('end', {}));
      // its limits are over
      await wait(WARM_UP_MS);
    }
    const method =
      `texts one after another, ${ROUND_MS / 1_000} s a round, quiet and attacked in turn. The attack, with the secret of ` +
      'another session on the same gateway: 160 texts at once, 4 uploads of a film that is slow to read, 64 unread streams, ' +
      '50 endless uploads without a token, wrong tokens. Cores busy under attack: gateway ' +
      `${cpu.gateway.map((cores) => cores.toFixed(2)).join(' ')}, network ${cpu.network.map((cores) => cores.toFixed(2)).join(' ')}. ` +
      `Answers in the last round: ${answers}`;
    return [
      {
        name: "a tenant's sends while another does its worst, slowest but 1 %",
        unit: 'ms',
        gateway: { rounds: attacked.map((took) => quantile(took, 0.99)) },
        raw: { rounds: quiet.map((took) => quantile(took, 0.99)) },
        rawIs: 'quiet',
        target: { atMost: 2 },
        method,
      },
      {
        name: 'the same, the middle one',
        unit: 'ms',
        gateway: { rounds: attacked.map((took) => quantile(took, 0.5)) },
        raw: { rounds: quiet.map((took) => quantile(took, 0.5)) },
        rawIs: 'quiet',
        method,
      },
    ];
  } finally {
    await sender.stop();
    await attacker.stop();
  }
}

function quantile(took: readonly number[], part: number): number {
  const sorted = took.toSorted((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * part) - 1] ?? 0;
}
