import { systemClock, wait } from '../../../domain/clock.js';
import type { Lab } from '../lab.js';
import type { DrillNode } from '../node.js';
import type { FaultKind } from './fault.js';

/** Offsets of a node's clock in milliseconds, one of which is drawn. */
const CLOCK_SHIFTS_MS = [45_000, -45_000, 20_000, -20_000];
/** Milliseconds for a drained node to hold no session. */
const DRAIN_MS = 60_000;
const LOOK_MS = 250;

/** Faults of daemons. */
export const PROCESS_FAULTS: readonly FaultKind[] = [
  {
    name: 'kill',
    summary: 'kills a daemon (SIGKILL) and starts it again seconds later',
    lasts: [0.2, 4],
    needs: [],
    async break(lab, { draw }) {
      const node = lab.node(draw);
      await node.kill();
      return () => node.start();
    },
  },
  {
    name: 'freeze',
    summary: 'freezes a daemon (SIGSTOP) and lets it go on (SIGCONT)',
    lasts: [2, 15],
    needs: [],
    async break(lab, { draw }) {
      const node = lab.node(draw);
      node.freeze();
      return async () => node.wake();
    },
  },
  {
    name: 'freeze-past-lease',
    summary: 'freezes a daemon for longer than its lease: others take its sessions over, then it wakes up',
    lasts: [8, 30],
    needs: ['several-nodes'],
    async break(lab, { draw, forMs }) {
      const node = lab.node(draw);
      node.freeze();
      return async () => {
        await wait(systemClock, Math.max(0, lab.leaseMs * 1.5 - forMs));
        node.wake();
      };
    },
  },
  {
    name: 'node-lost',
    summary: 'kills one of several daemons (SIGKILL), which stays away until others have its sessions',
    lasts: [8, 30],
    needs: ['several-nodes'],
    async break(lab, { draw, forMs }) {
      const node = lab.node(draw);
      await node.kill();
      return async () => {
        await wait(systemClock, Math.max(0, lab.leaseMs * 1.5 - forMs));
        await node.start();
      };
    },
  },
  {
    name: 'restart',
    summary: 'stops each daemon in order (SIGTERM) and starts it again, one after the other',
    lasts: [0.5, 2],
    needs: [],
    async break(lab) {
      const [first, ...others] = lab.nodes;
      await first?.stop();
      return async () => {
        await first?.start();
        for (const node of others) {
          await node.stop();
          await node.start();
        }
      };
    },
  },
  {
    name: 'drain',
    summary: 'drains one of several daemons, so that its sessions move, and lets it take sessions again',
    lasts: [3, 10],
    needs: ['several-nodes'],
    async break(lab, { draw }) {
      const node = lab.node(draw);
      await drain(lab, node, true);
      return () => drain(lab, node, false);
    },
  },
  {
    name: 'clock',
    summary: 'restarts a daemon with a wall clock that is up to 45 seconds wrong, later with the right one',
    lasts: [5, 15],
    needs: [],
    async break(lab, { draw }) {
      const node = lab.node(draw);
      await node.stop();
      await node.start(CLOCK_SHIFTS_MS[draw % CLOCK_SHIFTS_MS.length]);
      return async () => {
        await node.stop();
        await node.start();
      };
    },
  },
];

/**
 * Starts or ends the drain of a node; waits until it holds no session.
 * @throws Error if sessions are left after a minute; the drain is ended then
 */
export async function drain(lab: Lab, node: DrillNode, isDraining: boolean): Promise<void> {
  const client = lab.clientBeside(node);
  await client.drainNode({ node: node.name, draining: isDraining });
  const deadline = performance.now() + DRAIN_MS;
  while (isDraining) {
    const { nodes } = await client.listNodes();
    const left = nodes.find(({ podName }) => podName === node.name)?.sessions ?? 0;
    if (left === 0) return;
    if (performance.now() > deadline) {
      await drain(lab, node, false);
      throw new Error(`${node.name} still holds ${left} sessions after ${DRAIN_MS / 1_000} s`);
    }
    await wait(systemClock, LOOK_MS);
  }
}
