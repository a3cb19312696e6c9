import { route } from '../../route.js';
import { requiredClient } from '../../schemas.js';

export const chatrooms = route({
  method: 'GET',
  path: '/chatrooms',
  owner: 'any',
  description: 'Chat rooms of the hosted inbox, newest activity first',
  query: requiredClient,
  async handler({ query }, { services }) {
    return { chatRooms: await services.inbox.rooms(query.clientId) };
  },
});
