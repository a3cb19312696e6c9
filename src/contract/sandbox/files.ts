import Joi from 'joi';
import { count, optional, record, text } from '../schema.js';
import { MAX_FILE_BYTES } from './contents.js';
import { controlOperation } from './operation.js';

/** The files that people send, and the media host. */
export const files = {
  addFile: controlOperation({
    method: 'POST',
    path: '/files',
    summary: 'Upload a file of any size, to send with `media.file`',
    takesFile: true,
    maxBytes: MAX_FILE_BYTES,
    status: 201,
    answer: record({ file: text.description('SHA-256 in hex'), size: count }),
    example: { file: 'a'.repeat(64), size: 4_096 },
    errors: ['file_too_large'],
  }),
  expireMedia: controlOperation({
    method: 'POST',
    path: '/media/expire',
    summary: 'Drop the file of a message, or all files, from the media host',
    body: record({ messageId: optional(Joi.string()) })
      .empty(null)
      .default({}),
    answer: record({ expired: count }),
    example: { expired: 1 },
    errors: ['message_unknown'],
    client: { takes: ['messageId'] },
  }),
};
