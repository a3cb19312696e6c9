import { isGatewayError } from '../../../domain/errors.js';
import type { Services } from '../../../services/services.js';
import { confinedTo, sessionFilter } from '../../caller.js';
import { cameFromNode } from '../../peers.js';
import { type Parts, route } from '../../route.js';
import { type Known, merged } from './merged.js';
import { ownReport, type Report } from './report.js';
import { type FleetRequest, reportOf } from './report-of-node.js';

export const fleet = route({
  method: 'GET',
  path: '/fleet',
  owner: 'any',
  description: 'Every session that the token can see, and every node, with what an operator looks at',
  async handler(request, parts) {
    const { clientId } = sessionFilter(request);
    const confined = confinedTo(request);
    const own = await ownReport(parts, clientId, confined);
    const at = new Date(parts.now()).toISOString();
    // a node asks: it puts together what all say
    if (cameFromNode(request)) return { at, nodes: [own.node], sessions: own.sessions };
    const known = own.node.store.reachable ? await whatIsKnown(parts.services, clientId) : NOTHING;
    const reports = new Map([[own.node.nodeId, own], ...(await askOthers(known, parts, request, confined))]);
    const [selfId, now, isConfined] = [own.node.nodeId, parts.now(), confined !== undefined];
    return { at, ...merged({ known, reports, selfId, now, isConfined }) };
  },
});

/** Of a store that does not answer: what this node has itself is shown all the same. */
const NOTHING: Known = { nodes: [], leases: [], sessions: [] };

async function whatIsKnown({ nodes, sessions }: Services, clientId?: string): Promise<Known> {
  try {
    const found = await Promise.all([nodes.list(), nodes.leases(clientId), sessions.list(clientId)]);
    return { nodes: found[0], leases: found[1], sessions: found[2] };
  } catch (error) {
    if (isGatewayError(error, 'store_unavailable')) return NOTHING;
    throw error;
  }
}

/** All other nodes at the same time; those that do not answer are left out. */
async function askOthers(
  { nodes }: Known,
  { peers }: Parts,
  request: FleetRequest,
  confined: string | undefined,
): Promise<[nodeId: string, report: Report][]> {
  const others = nodes.filter(({ self }) => !self);
  const reports = await Promise.all(others.map((node) => reportOf(node, peers, request, confined)));
  return reports.flatMap((report) => (report ? [[report.node.nodeId, report]] : []));
}
