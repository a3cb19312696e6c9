import Joi from 'joi';
import { route } from '../../route.js';

interface DrainBody {
  node: string;
  draining: boolean;
}

const body = Joi.object<DrainBody>({
  node: Joi.string().max(256).required().description('Its name or its nodeId.').example('node-1'),
  draining: Joi.boolean().default(true).description('False ends it.'),
});

export const drainNode = route({
  method: 'POST',
  path: '/nodes/drain',
  owner: 'any',
  masterOnly: true,
  description: 'A node gives its sessions to the others and takes no more, until it is restarted or told so',
  body,
  async handler(request, { services }) {
    const { node, draining } = request.payload;
    return { node: await services.nodes.drain(node, draining) };
  },
});
