import Joi from 'joi';
import { LIMITS } from '../../../domain/limits.js';
import { route } from '../../route.js';
import { clientId } from '../../schemas.js';

const DEFAULT_LIMIT = 50;
const ORG_ID_LENGTH = 128;
const PAGES = 1_000_000;

interface MediaFilesQuery {
  clientId: string;
  orgId: string;
  page: number;
  limit: number;
}

export const mediaFiles = route({
  method: 'GET',
  path: '/media-files',
  owner: 'any',
  description: 'Stored files of a session, newest first; those of its present `orgId`',
  query: Joi.object<MediaFilesQuery>({
    clientId,
    orgId: Joi.string().max(ORG_ID_LENGTH).required().example('workspace1'),
    page: Joi.number().integer().min(1).max(PAGES).default(1),
    limit: Joi.number().integer().min(1).max(LIMITS.libraryPage).default(DEFAULT_LIMIT),
  }),
  async handler({ query }, { services }) {
    const { clientId, orgId, page, limit } = query;
    const { files, total } = await services.library.list(clientId, orgId, { page, limit });
    return { ok: true, files, pagination: { page, limit, total } };
  },
});
