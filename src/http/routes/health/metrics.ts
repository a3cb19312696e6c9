import { route } from '../../route.js';

export const metrics = route({
  method: 'GET',
  path: '/metrics',
  owner: 'none',
  masterOnly: true,
  description: 'Metrics for Prometheus',
  async handler(_request, { registry }, h) {
    return h.response(await registry.metrics()).header('content-type', registry.contentType);
  },
});
