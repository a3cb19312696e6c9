import Joi from 'joi';
import { route } from '../../route.js';
import { clientId } from '../../schemas.js';

interface RefreshAvatarsBody {
  clientId: string;
  force: boolean;
}

export const refreshAvatars = route({
  method: 'POST',
  path: '/refresh-avatars',
  owner: 'session',
  description: 'Gives the hosted rooms their pictures, about seven a second; answers when all are through',
  body: Joi.object<RefreshAvatarsBody>({
    clientId,
    force: Joi.boolean().default(false).description('Checks rooms too that have a picture'),
  }),
  handler: ({ payload }, { services }) => services.avatars.refreshAll(payload.clientId, payload.force),
});
