import type { Server } from '@hapi/hapi';
import { route, shownPath } from '../../route.js';

export const config = route({
  method: 'GET',
  path: '/config',
  owner: 'none',
  description: 'Facts of this run; nothing secret',
  handler({ server }, { facts }) {
    const { startedAt, ...shown } = facts;
    return { ...shown, routes: routeNames(server) };
  },
});

function routeNames(server: Server): string[] {
  return server.table().map((route) => `${route.method.toUpperCase()} ${shownPath(route)}`);
}
