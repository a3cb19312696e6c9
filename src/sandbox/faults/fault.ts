import type { Connection } from '../connection.js';
import type { Network } from '../network.js';

/** One way in which the network can be disturbed. */
export interface Fault {
  /** Its name in the control API. */
  kind: string;
  /** What it does, for the documentation. */
  description: string;
  /**
   * What happens to a companion's connection when it strikes. Faults with it strike connected companions at once,
   * and the next logins for as often as is left of their count. Faults without it only change what the network
   * answers, where it asks for them.
   */
  strike?(connection: Connection, network: Network): void;
  /** It strikes a login in place of the success; the others strike right after it. */
  refusesLogin?: true;
  /** It strikes before anybody has said who they are, so it cannot be ordered for a number. */
  isNumberless?: true;
  /** It needs to be told for how many milliseconds. */
  takesTime?: true;
  /** How often it strikes when the order does not say; without it, until it is cleared. */
  defaultCount?: number;
}
