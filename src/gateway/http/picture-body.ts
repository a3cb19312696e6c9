import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { ObjectSchema } from 'joi';
import { GatewayError } from '../../domain/errors.js';
import type { FileSource, Services } from '../services/services.js';
import { bodyValidator, validated } from './body.js';
import { readForm } from './multipart.js';

/** The parts of a request that this file reads. */
type PictureRequest = Parameters<typeof validated>[0] & {
  payload: unknown;
  query: { clientId?: string | undefined };
  raw: { req: IncomingMessage };
};

/**
 * Reads the body of an operation that takes a picture: JSON with an address, or a form with a file, which is on this
 * machine's disk while `work` runs.
 * @param work gets the validated fields, and no source if there is no address
 * @throws GatewayError invalid_request, session_unknown, media_too_large
 */
export async function withPicture<Fields extends object, Result>(
  request: PictureRequest,
  { body, parts }: { body: ObjectSchema<Fields & { downloadUrl: string }>; parts: ObjectSchema<Fields> },
  { sessions, sending }: Services,
  work: (fields: Fields, source: FileSource | undefined) => Promise<Result>,
): Promise<Result> {
  const { payload } = request;
  if (!(payload instanceof Readable)) {
    const fields = await validated(request, bodyValidator(body), payload);
    const { downloadUrl } = fields;
    return work(fields, downloadUrl ? { downloadUrl } : undefined);
  }
  const { clientId } = request.query;
  if (clientId === undefined) throw invalid('clientId is required in the query too: a form is read last');
  // refuses an unknown session before the upload
  sessions.get(clientId);
  const form = await readForm(payload, request.raw.req.headers, (stream) => sending.spool(clientId, stream));
  try {
    const fields = await validated(request, bodyValidator(parts), Object.fromEntries(form.fields));
    if (form.file.size === 0) throw invalid('file must not be empty');
    return await work(fields, { file: form.file });
  } finally {
    await form.file.discard();
  }
}

function invalid(message: string): GatewayError {
  return new GatewayError('invalid_request', message);
}
