import { spanText } from '../../fleet/ages.js';
import { type LeaseView, type NodeView, sessionCount } from '../../nodes.js';
import { fine, type GeneralCheck, wrong } from '../check.js';
import { isSilent } from './nodes.js';

/** Leases are renewed while two thirds of their time are left. */
const OVERDUE_PART = 1 / 3;

/** Do the nodes that hold sessions keep hold of them? */
export const leases: GeneralCheck = {
  id: 'leases',
  needs: ['nodes'],
  async look(room) {
    const { nodes, leases = [] } = await room.nodes();
    const facts = { held: leases.length };
    const longest = Math.max(0, ...leases.map(({ leftSeconds }) => leftSeconds));
    const least = Math.max(1, longest * OVERDUE_PART);
    const overdue = leases.filter((lease) => isOverdue(lease, nodes, least));
    if (overdue.length > 0) {
      const last = Math.max(...overdue.map(({ leftSeconds }) => leftSeconds));
      const detail = `${sessionCount(overdue.length)} of ${holders(overdue)}: not renewed, over in ${last} s at most`;
      const advice =
        'other nodes take them then, unless all are draining; see why their node does not renew them: its log, ' +
        'its connection to the store, and whether its machine was paused';
      return wrong('leases-overdue', detail, advice, { ...facts, overdue: overdue.length });
    }
    if (leases.length === 0) return fine('no node holds any session', facts);
    const oldest = Math.max(...leases.map(({ ageSeconds }) => ageSeconds));
    return fine(`${sessionCount(leases.length)} held, the first for ${spanText(oldest * 1_000)}`, facts);
  },
};

/** @param least seconds that are left of every lease that is renewed */
function isOverdue({ nodeId, leftSeconds }: LeaseView, nodes: readonly NodeView[], least: number): boolean {
  const node = nodes.find((one) => one.nodeId === nodeId);
  return node === undefined || isSilent(node) || leftSeconds < least;
}

function holders(leases: readonly LeaseView[]): string {
  return [...new Set(leases.map(({ podName }) => podName || 'nodes that are gone'))].join(', ');
}
