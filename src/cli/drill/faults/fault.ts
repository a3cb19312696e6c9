import type { Lab } from '../lab.js';
import type { Plannable, PlannedFault } from '../plan.js';

/** What a kind of fault needs of a drill or of the machine. */
export type Need = 'sqlite' | 'mongodb' | 'store-relay' | 'several-nodes' | 'broker' | 'prlimit';

/** Ends a fault. Resolves when what was broken serves again. */
export type Mend = () => Promise<void>;

/** A kind of fault: one row of the table. */
export interface FaultKind extends Plannable {
  /** For people: completes "the drill …". */
  summary: string;
  needs: readonly Need[];
  /** Begins the fault. */
  break(lab: Lab, fault: PlannedFault): Promise<Mend>;
}
