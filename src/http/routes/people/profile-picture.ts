import Joi from 'joi';
import { LIMITS } from '../../../domain/limits.js';
import { route } from '../../route.js';
import { clientId } from '../../schemas.js';

interface ProfilePictureQuery {
  clientId: string;
  jid: string;
  preview: boolean;
  refresh: boolean;
}

export const profilePicture = route({
  method: 'GET',
  path: '/profile-picture',
  owner: 'session',
  description: 'The picture of a person or a group, with a permanent copy',
  query: Joi.object<ProfilePictureQuery>({
    clientId,
    jid: Joi.string().max(LIMITS.addressLength).required().example('+15550000002'),
    preview: Joi.boolean().default(true).description('The small one (96 pixels), or the full one'),
    refresh: Joi.boolean()
      .default(false)
      .description('Asks the network even if it was asked within 24 hours'),
  }),
  handler: ({ query }, { services }) => {
    const { clientId, jid, preview, refresh } = query;
    return services.avatars.picture(clientId, jid, { preview, refresh });
  },
});
