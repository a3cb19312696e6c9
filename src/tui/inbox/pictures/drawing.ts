import type { Look } from '../../look.js';

/** What pictures depend on besides what they show. */
export interface Drawing {
  look: Look;
  /** Days are called by their distance from it. */
  now: Date;
}
