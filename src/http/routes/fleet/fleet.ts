import { isGatewayError } from '../../../domain/errors.js';
import { confinedTo, sessionFilter } from '../../caller.js';
import { cameFromNode } from '../../peers.js';
import { route } from '../../route.js';
import { askAll, type Told, toldByOne } from './ask-all.js';
import { merged } from './merged.js';
import { ownReport } from './report.js';

export const fleet = route({
  method: 'GET',
  path: '/fleet',
  owner: 'any',
  description: 'Every session that the token can see, and every node, with what an operator looks at',
  async handler(request, parts) {
    const { headers, url } = request;
    const { clientId: only } = sessionFilter(request);
    const confined = confinedTo(request);
    const own = await ownReport(parts, only, confined);
    const now = parts.now();
    const at = new Date(now).toISOString();
    // a node asks: it puts together what all say
    if (cameFromNode(request)) return { at, nodes: [own.node], sessions: own.sessions };
    const told = own.node.store.reachable
      ? await unlessStoreIsAway(askAll(own, parts, { headers, url, only, confined }), toldByOne(own))
      : toldByOne(own);
    return { at, ...merged({ ...told, selfId: own.node.nodeId, now, isConfined: confined !== undefined }) };
  },
});

/** Of a store that does not answer: what this node has itself is shown all the same. */
async function unlessStoreIsAway(asking: Promise<Told>, without: Told): Promise<Told> {
  try {
    return await asking;
  } catch (error) {
    if (isGatewayError(error, 'store_unavailable')) return without;
    throw error;
  }
}
