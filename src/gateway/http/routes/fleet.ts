import { fleet } from '../../../contract/fleet.js';
import { confinedTo, sessionFilter } from '../caller.js';
import { mergedFleet } from '../fleet-merge.js';
import { ownReport } from '../fleet-report.js';
import { cameFromNode } from '../peers.js';
import { type Route, route } from '../route.js';

export const fleetRoutes: readonly Route[] = [
  route(fleet.getFleet, async (request, parts, h) => {
    const { auth, url } = request;
    const { clientId: only } = sessionFilter(request);
    const confined = confinedTo(request) && only;
    const own = await ownReport(parts, only, confined);
    const at = new Date(parts.now()).toISOString();
    // another node asks, which merges the reports of all nodes
    if (cameFromNode(request)) return h.response({ at, nodes: [own.node], sessions: own.sessions });
    return { at, ...(await mergedFleet(own, parts, { auth, url, only, confined })) };
  }),
  route(fleet.listNodes, async ({ query: { leases, clientId } }, { services }) => {
    const isAsked = leases || clientId !== undefined;
    const [nodes, held] = await Promise.all([
      services.nodes.list(),
      isAsked ? services.nodes.leases(clientId) : [],
    ]);
    return { nodes, leases: isAsked ? held : undefined };
  }),
  route(fleet.drainNode, async ({ payload: { node, draining } }, { services }) => ({
    node: await services.nodes.drain(node, draining),
  })),
];
