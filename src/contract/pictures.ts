import Joi from 'joi';
import { LIMITS } from '../domain/limits.js';
import { AMPLE, FILE_URL_LENGTH, FRAMING_BYTES } from './fields.js';
import { httpUrl, record } from './schema.js';

const downloadUrl = httpUrl(FILE_URL_LENGTH)
  .allow('')
  .description(
    'A public https address of a picture, under the rules of [`/send-media-message`](api.md#send-media-message-); `""` removes the picture',
  )
  .meta(AMPLE)
  .example('https://example.com/logo.png');

/** The inputs of an operation that sets a picture: the given fields, which name the owner, and either a URL or a form with a file. */
export function pictureInputs<F extends Record<string, Joi.AnySchema>>(fields: F) {
  return {
    body: record({ ...fields, downloadUrl }),
    /** The parts of a form beside its file. */
    parts: record(fields),
    form: {
      schema: record({ file: Joi.binary().description('The picture, at most 16 MB'), ...fields }),
      maxBytes: LIMITS.pictureUploadBytes + FRAMING_BYTES,
    },
  };
}

export const PICTURE_TEXT =
  'Takes the URL of a picture, or a form with the picture as `file`. The picture becomes a JPEG of 640 by 640 pixels, cut from the ' +
  'middle. 400 (`media_unsupported`) if the file is no JPEG, PNG, WebP, GIF, TIFF or AVIF, 413 (`media_too_large`), 502 ' +
  '(`media_unfetchable`). With a form, `clientId` is also required in the query, because the form is read after the look-up of the session.';

export const pictureErrors = [
  'media_unfetchable',
  'media_too_large',
  'media_unsupported',
  'media_busy',
  'too_many_uploads',
] as const;
