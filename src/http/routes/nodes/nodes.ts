import Joi from 'joi';
import { route } from '../../route.js';
import { clientId } from '../../schemas.js';

interface NodesQuery {
  clientId?: string;
  leases: boolean;
}

const query = Joi.object<NodesQuery>({ clientId: clientId.optional(), leases: Joi.boolean().default(false) });

export const nodes = route<NodesQuery>({
  method: 'GET',
  path: '/nodes',
  owner: 'any',
  masterOnly: true,
  description: 'The nodes that share the store; with leases also which one holds which session',
  query,
  async handler(request, { services }) {
    const { leases, clientId } = request.query;
    const isAsked = leases || clientId !== undefined;
    const [nodes, held] = await Promise.all([
      services.nodes.list(),
      isAsked ? services.nodes.leases(clientId) : [],
    ]);
    return { nodes, ...(isAsked && { leases: held }) };
  },
});
