import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { ObjectSchema } from 'joi';
import type { FileSource, Services } from '../services/services.js';
import { bodyValidator, validated } from './body.js';
import { withUpload } from './upload.js';

/** The parts of a request that this file reads. */
type PictureRequest = Parameters<typeof validated>[0] & {
  payload: unknown;
  query: { clientId?: string | undefined };
  raw: { req: IncomingMessage };
};

/**
 * Reads the body of an operation that sets a picture: JSON with an address, or a form with a file, which is on this
 * machine's disk while `work` runs.
 * @param work gets the validated fields, and no source if the picture must be removed
 * @throws GatewayError invalid_request, session_unknown, media_too_large
 */
export async function withPicture<Fields extends object>(
  request: PictureRequest,
  { body, parts }: { body: ObjectSchema<Fields & { downloadUrl: string }>; parts: ObjectSchema<Fields> },
  services: Services,
  work: (fields: Fields, source: FileSource | undefined) => Promise<void>,
): Promise<void> {
  const { payload } = request;
  if (!(payload instanceof Readable)) {
    const fields = await validated(request, bodyValidator(body), payload);
    const { downloadUrl } = fields;
    return work(fields, downloadUrl ? { downloadUrl } : undefined);
  }
  return withUpload(request, payload, services, async ({ file, fields: texts }) => {
    const fields = await validated(request, bodyValidator(parts), Object.fromEntries(texts));
    await work(fields, { file });
  });
}
