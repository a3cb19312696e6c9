import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { GatewayError } from '../../domain/errors.js';
import type { Services, SpooledFile } from '../services/services.js';
import { type Form, readForm } from './multipart.js';

/** The parts of a request that this file reads. */
interface UploadRequest {
  query: { clientId?: string | undefined };
  raw: { req: IncomingMessage };
}

/**
 * Reads a form with a file, which is on this machine's disk while `work` runs.
 * @throws GatewayError invalid_request, session_unknown, media_too_large
 */
export async function withUpload<Answer>(
  { query: { clientId }, raw }: UploadRequest,
  body: Readable,
  { sessions, sending }: Pick<Services, 'sessions' | 'sending'>,
  work: (form: Form<SpooledFile>) => Promise<Answer>,
): Promise<Answer> {
  if (clientId === undefined) throw invalid('clientId is required in the query too: a form is read last');
  // refuses an unknown session before the upload
  sessions.get(clientId);
  const form = await readForm(body, raw.req.headers, (stream) => sending.spool(clientId, stream));
  try {
    if (form.file.size === 0) throw invalid('file must not be empty');
    return await work(form);
  } finally {
    await form.file.discard();
  }
}

function invalid(message: string): GatewayError {
  return new GatewayError('invalid_request', message);
}
