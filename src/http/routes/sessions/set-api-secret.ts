import Joi from 'joi';
import { LIMITS } from '../../../domain/limits.js';
import { route } from '../../route.js';
import { clientId, headerSecret } from '../../schemas.js';

const SECRET_LENGTH = { min: LIMITS.apiSecretMinLength, max: 256 };

interface SetApiSecretBody {
  clientId: string;
  secret: string;
}

export const setApiSecret = route({
  method: 'POST',
  path: '/set-api-secret',
  owner: 'session',
  description: 'Set a token that opens this session only; an empty secret removes it',
  body: Joi.object<SetApiSecretBody>({ clientId, secret: headerSecret(SECRET_LENGTH).required() }),
  async handler({ payload }, { services }) {
    const { clientId, hasSecret } = await services.sessions.setApiSecret(payload.clientId, payload.secret);
    return { clientId, hasSecret };
  },
});
