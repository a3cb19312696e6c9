import Joi from 'joi';
import { LIMITS } from '../domain/limits.js';
import { AMPLE } from './fields.js';
import { operation } from './operation.js';
import {
  clientId,
  count,
  listOf,
  named,
  ok,
  optional,
  record,
  type TypeOf,
  text,
  time,
  workspace,
} from './schema.js';

const DEFAULT_LIMIT = 50;
const PAGES = 1_000_000;

const fileId = Joi.string().max(64).meta(AMPLE).example('7d9f9a1e-5a0c-4f0e-9f43-6b8f0f3f4a51');

export const mediaFile = named('MediaFile', {
  messageId: text.description('Id of the file: a UUID, not the id of a message'),
  clientId,
  mimeType: text,
  mediaType: text,
  fileName: text,
  fileSize: count.description('Bytes'),
  caption: text,
  createdAt: time.description('The time of its message'),
});
export type MediaFile = TypeOf<typeof mediaFile>;

export const media = {
  listMediaFiles: operation({
    method: 'GET',
    path: '/media-files',
    owner: 'any',
    summary: 'List the stored files of a session in its current `orgId`, newest first',
    description: 'For another `orgId` the list is empty.',
    query: record({
      clientId,
      orgId: workspace.description('The present `orgId` of the session'),
      page: Joi.number().integer().min(1).max(PAGES).default(1),
      limit: Joi.number().integer().min(1).max(LIMITS.libraryPage).default(DEFAULT_LIMIT),
    }),
    answer: record({
      ok,
      files: listOf(mediaFile),
      pagination: record({ page: count, limit: count, total: count }),
    }),
    example: {
      ok: true,
      files: [
        {
          messageId: '7d9f9a1e-5a0c-4f0e-9f43-6b8f0f3f4a51',
          clientId: 'acme',
          mimeType: 'application/pdf',
          mediaType: 'document',
          fileName: 'menu.pdf',
          fileSize: 48_213,
          caption: '',
          createdAt: '2026-11-22T10:00:00.000Z',
        },
      ],
      pagination: { page: 1, limit: 50, total: 1 },
    },
    errors: ['session_unknown'],
  }),
  getMediaFileUrl: operation({
    method: 'GET',
    path: '/media-files/{messageId}/url',
    owner: 'any',
    summary: 'Get the permanent link to a stored file, by its id in `/media-files`',
    pathIsSecret: true,
    params: record({
      messageId: fileId.description(
        'The `messageId` of a listed file: a UUID of the file, not the id of a message',
      ),
    }),
    answer: record({ ok, url: text }),
    example: { ok: true, url: 'http://127.0.0.1:3000/media/7d9f9a1e-5a0c-4f0e-9f43-6b8f0f3f4a51/menu.pdf' },
    errors: ['file_unknown'],
  }),
  getMedia: operation({
    method: 'GET',
    path: '/media/{id}/{fileName?}',
    owner: 'any',
    access: 'open',
    summary: 'Download a stored file, whole or in part',
    pathIsSecret: true,
    // accept any query, because mails and pages add parameters to links
    query: Joi.object<object>().unknown(),
    params: record({ id: fileId, fileName: optional(Joi.string().allow('').example('offer.pdf')) }),
    headers: record({
      range: optional(
        Joi.string().allow('').label('Range').description('One range of bytes').example('bytes=0-1023'),
      ),
      'if-range': optional(Joi.string().allow('').label('If-Range')),
    }).unknown(),
    answer: '*/*',
    alsoAnswers: { 206: 'The requested `Range`', 304: 'The copy of the caller is current' },
    errors: ['file_unknown', 'file_not_ready', 'range_unsatisfiable'],
  }),
};
