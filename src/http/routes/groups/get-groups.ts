import { route } from '../../route.js';
import { requiredClient } from '../../schemas.js';

export const getGroups = route({
  method: 'POST',
  path: '/get-groups',
  owner: 'session',
  description: 'All groups that the number belongs to',
  body: requiredClient,
  handler: async ({ payload }, { services }) => ({ groups: await services.groups.list(payload.clientId) }),
});
