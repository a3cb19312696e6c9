import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { ObjectSchema } from 'joi';
import type { FileSource, Services } from '../services/services.js';
import { bodyValidator, validated } from './body.js';
import { withUpload } from './upload.js';

/** The parts of a request that this file reads. */
type FileRequest = Parameters<typeof validated>[0] & {
  payload: unknown;
  query: { clientId?: string | undefined };
  raw: { req: IncomingMessage };
};

/**
 * Reads the body of an operation that takes a file: JSON with an address, or a form with a file, which is on this
 * machine's disk while `work` runs.
 * @param work gets the validated fields, and no source if there is no address
 * @throws GatewayError invalid_request, session_unknown, media_too_large
 */
export async function withFile<Fields extends object, Result>(
  request: FileRequest,
  {
    body,
    parts,
  }: { body: ObjectSchema<Fields & { downloadUrl?: string | undefined }>; parts: ObjectSchema<Fields> },
  services: Services,
  work: (fields: Fields, source: FileSource | undefined) => Promise<Result>,
): Promise<Result> {
  const { payload } = request;
  if (!(payload instanceof Readable)) {
    const fields = await validated(request, bodyValidator(body), payload);
    const { downloadUrl } = fields;
    return work(fields, downloadUrl ? { downloadUrl } : undefined);
  }
  return withUpload(request, payload, services, async ({ file, fields: texts }) => {
    const fields = await validated(request, bodyValidator(parts), Object.fromEntries(texts));
    return work(fields, { file });
  });
}
