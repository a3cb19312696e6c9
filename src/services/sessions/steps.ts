import type { LinkEvent } from '../../link/link.js';

/** What a link tells of itself; everything else is news of the network. */
export type Step = Extract<LinkEvent, { type: 'qr' | 'paired' | 'open' | 'closed' }>;

const STEPS: ReadonlySet<LinkEvent['type']> = new Set(['qr', 'paired', 'open', 'closed']);

export function isStep(event: LinkEvent): event is Step {
  return STEPS.has(event.type);
}
