import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lab } from './support/lab.js';
import type { Comparison } from './support/report.js';
import { clientIdOf } from './support/send-texts.js';

const IN_FLIGHT = 16;
const WARM_UP = 400;
/** Short rounds in turns: what else the machine does meets all three alike. */
const COUNT = 60;
const ROUNDS = 48;

/** Every rule that counts, with limits that no round reaches. */
const RULES = `
    newChatsPerDay: 1000
    newChatGap: 1ms
    messagesPerHour: 1000000
    messagesPerDay: 1000000
    quietHours: { from: "00:00", to: "00:01", timeZone: Europe/Berlin }
    deny: ["+15559999999"]
    sameText: { people: 1000, within: 1h }
    stopAtWarning: true`;

/** What a policy costs a send: CPU of the daemon, of sessions with and without one, in turns in the same process. */
export async function policy(lab: Lab): Promise<Comparison[]> {
  const people = [await lab.person('Without'), await lab.person('Observed'), await lab.person('Enforced')];
  const recipient = await lab.person('Recipient');
  const [without, observed, enforced] = people.map(({ number }) => number);
  if (!without || !observed || !enforced) throw new Error('there are three sessions');
  const gateway = await lab.gateway(async (dataDir) => {
    const path = join(dataDir, 'policy.yaml');
    const policies = `policies:\n  watch:\n    mode: observe${RULES}\n  hold:\n    mode: enforce${RULES}\n`;
    const sessions = `sessions: { "${clientIdOf(observed)}": watch, "${clientIdOf(enforced)}": hold }\n`;
    await writeFile(path, policies + sessions);
    return { policy: path };
  });
  const rounds = new Map<string, number[]>();
  for (const number of [without, observed, enforced]) {
    await gateway.link(number);
    await gateway.send(number, recipient.number, WARM_UP, IN_FLIGHT);
    rounds.set(number, []);
  }
  for (let round = 0; round < ROUNDS; round++) {
    // each begins a round as often as the others
    const order = [0, 1, 2].map((place) => people[(place + round) % people.length]?.number ?? '');
    for (const number of order) {
      await lab.sandbox.idle();
      await gateway.worker.idle();
      const before = await gateway.worker.cpuMs();
      await gateway.send(number, recipient.number, COUNT, IN_FLIGHT);
      rounds.get(number)?.push(((await gateway.worker.cpuMs()) - before) / COUNT);
    }
  }
  const method =
    `${COUNT} sends a round, ${IN_FLIGHT} in flight, to one person, ${ROUNDS} rounds of each session in turns in one daemon; ` +
    'CPU of the daemon for each send. The policy has every rule that counts, and reaches no limit';
  const compared = (number: string, mode: string, atMost: number): Comparison => ({
    name: `a send under a policy that ${mode}`,
    unit: 'ms CPU',
    gateway: { rounds: rounds.get(number) ?? [] },
    raw: { rounds: rounds.get(without) ?? [] },
    rawIs: 'a session without a policy',
    target: { atMost },
    method,
  });
  return [compared(observed, 'observes', 1.03), compared(enforced, 'is enforced', 1.05)];
}
