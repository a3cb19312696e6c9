import Joi from 'joi';
import { LIMITS } from '../../../domain/limits.js';
import { route } from '../../route.js';
import { clientId } from '../../schemas.js';

interface UserInfoBody {
  clientId: string;
  jid: string;
}

export const userInfo = route({
  method: 'POST',
  path: '/user-info',
  owner: 'session',
  description: 'Who a person is',
  body: Joi.object<UserInfoBody>({
    clientId,
    jid: Joi.string().max(LIMITS.addressLength).required().example('+15550000002'),
  }),
  handler: ({ payload }, { services }) => services.people.userInfo(payload.clientId, payload.jid),
});
