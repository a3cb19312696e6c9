import type { Broker } from '../brokers.js';
import type { Lab } from '../lab.js';
import type { FaultKind } from './fault.js';

function struck({ brokers }: Lab, draw: number): Broker[] {
  const broker = brokers[draw % brokers.length];
  return broker ? [broker] : [];
}

/** Faults of brokers. */
export const BROKER_FAULTS: readonly FaultKind[] = [
  {
    name: 'broker-kill',
    summary: 'kills a broker (SIGKILL) and starts it again on its data',
    lasts: [0.5, 15],
    needs: ['broker'],
    async break(lab, { draw }) {
      const brokers = struck(lab, draw);
      for (const broker of brokers) await broker.kill();
      return async () => {
        for (const broker of brokers) await broker.up();
      };
    },
  },
  {
    name: 'broker-freeze',
    summary: 'freezes a broker (SIGSTOP) and lets it go on (SIGCONT)',
    lasts: [2, 25],
    needs: ['broker'],
    async break(lab, { draw }) {
      const brokers = struck(lab, draw);
      for (const broker of brokers) broker.freeze();
      return async () => {
        for (const broker of brokers) broker.wake();
      };
    },
  },
  {
    name: 'broker-disk-full',
    summary: 'lets every write of a broker to a file fail (RLIMIT_FSIZE); starts it again if it ends by that',
    lasts: [1, 10],
    needs: ['broker', 'prlimit'],
    async break(lab, { draw }) {
      const brokers = struck(lab, draw);
      for (const broker of brokers) await broker.refuseFiles(true);
      return async () => {
        for (const broker of brokers) {
          await broker.refuseFiles(false);
          await broker.up();
        }
      };
    },
  },
];
