import type { Lab } from '../lab.js';
import type { Plannable, PlannedFault } from '../plan.js';

/** Requirements of a kind of fault on the drill or the machine. */
export type Need = 'sqlite' | 'mongodb' | 'store-relay' | 'several-nodes' | 'broker' | 'prlimit';

/** Ends a fault. Resolves when the broken part serves again. */
export type Mend = () => Promise<void>;

/** A kind of fault: one row of the table. */
export interface FaultKind extends Plannable {
  /** Summary for people, which completes "the drill …". */
  summary: string;
  needs: readonly Need[];
  /** Begins the fault. */
  break(lab: Lab, fault: PlannedFault): Promise<Mend>;
}
