import type { SessionRow } from '../fleet/wire.js';
import type { ClientRow } from '../wire.js';

/** What is known of a session. */
export interface SessionFacts extends ClientRow {
  /** Undefined when this node does not hold it. */
  health: SessionRow | undefined;
}
