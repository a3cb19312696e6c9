import Joi from 'joi';
import { GatewayError } from '../../../domain/errors.js';
import { requireOwn } from '../../caller.js';
import { route } from '../../route.js';

interface FileParams {
  messageId: string;
}

export const mediaFileUrl = route({
  method: 'GET',
  path: '/media-files/{messageId}/url',
  owner: 'any',
  description: 'The permanent link to a stored file, by its id in `/media-files`',
  pathIsSecret: true,
  params: Joi.object<FileParams>({
    messageId: Joi.string().max(64).required().example('7d9f9a1e-5a0c-4f0e-9f43-6b8f0f3f4a51'),
  }),
  async handler(request, { services }) {
    const { params, query } = request;
    const { clientId, url } = await services.library.urlOf(params.messageId);
    requireOwn(request, { clientId });
    if (query.clientId !== undefined && query.clientId !== clientId) {
      throw new GatewayError('invalid_request', `clientId: the file is not one of ${query.clientId}`);
    }
    return { ok: true, url };
  },
});
