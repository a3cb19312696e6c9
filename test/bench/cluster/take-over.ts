import { setTimeout as wait } from 'node:timers/promises';
import { withCluster } from '../support/cluster.js';
import type { Lab } from '../support/lab.js';
import type { Comparison } from '../support/measurement.js';

const LEASE_SECONDS = 5;
/** Seconds that the others have beyond the lease. */
const GRACE_SECONDS = 5;
const ROUNDS = 4;
const LOOK_MS = 10;
const PATIENCE_MS = 60_000;

/** How long the session of a node that is killed is away from the network. */
export function takeOver(lab: Lab): Promise<Comparison> {
  const settings = { leaseSeconds: LEASE_SECONDS };
  return withCluster(
    lab,
    1,
    async ({ nodes, add }) => {
      const { number } = await lab.person('Author');
      await nodes[0]?.link(number);
      const seconds: number[] = [];
      while (seconds.length < ROUNDS) {
        const [owner, heir] = [nodes.at(-1), await add()];
        // killed at any moment between two renewals
        await wait(Math.random() * (LEASE_SECONDS / 3) * 1_000);
        const killedAt = performance.now();
        await owner?.worker.kill();
        await untilConnected(lab, number, false);
        await untilConnected(lab, number, true);
        seconds.push((performance.now() - killedAt) / 1_000);
        await heir.connected(number);
      }
      return {
        name: 'take-over after SIGKILL',
        unit: 's',
        gateway: { rounds: seconds },
        raw: { rounds: seconds.map(() => LEASE_SECONDS + GRACE_SECONDS) },
        rawIs: `lease of ${LEASE_SECONDS} s + ${GRACE_SECONDS} s`,
        target: { atMost: 1 },
        method: `from the kill of the node that holds a session, at any moment between two renewals of its lease, until the network sees the session's device connected again, by the other node; nobody asks for the session meanwhile. Without the lease: ${seconds.map((all) => (all - LEASE_SECONDS).toFixed(2)).join(' ')} s.`,
      };
    },
    settings,
  );
}

/** Asks the network. */
async function untilConnected(lab: Lab, number: string, wanted: boolean): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const { devices } = await lab.phones.phone(number);
    if (devices.some(({ connected }) => connected) === wanted) return;
    await wait(LOOK_MS);
  }
  throw new Error(`the device of ${number} did not become ${wanted ? 'connected' : 'disconnected'}`);
}
