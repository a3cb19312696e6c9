import { isTerminal } from '../../../domain/session.js';
import { route } from '../../route.js';
import { probeQuery } from './ready.js';

export const healthClients = route({
  method: 'GET',
  path: '/health/clients',
  owner: 'none',
  open: true,
  description: 'Every session of this node; failedCount counts those that wait for an operator',
  query: probeQuery,
  handler(_request, { services, facts }) {
    const clients = services.sessions.health();
    const failedCount = clients.filter(({ status }) => isTerminal(status)).length;
    return { podName: facts.podName, failedCount, clients };
  },
});
