import { Readable } from 'node:stream';
import type { Request } from '@hapi/hapi';
import { GatewayError } from '../../../domain/errors.js';
import { LIMITS } from '../../../domain/limits.js';
import type { FilePayload, SendAnswer, Services, SpooledFile } from '../../../services/services.js';
import { bodyValidator, validated } from '../../body.js';
import { type Form, readForm } from '../../multipart.js';
import { type Inputs, route } from '../../route.js';
import type { ClientQuery } from '../../schemas.js';
import { filledParts, mediaBody, mediaForm, mediaParts } from './media-inputs.js';
import { type SendHeaders, sendHeaders } from './send.js';

/** Bytes of a form beside its file. */
const FRAMING_BYTES = 1024 * 1024;
/** What a part without a Content-Type counts as: it says nothing then that the file's name would not say better. */
const UNTOLD_TYPE = 'text/plain';

/** A form is a stream; JSON was read, and not validated. */
type MediaRequest = Request<Inputs<ClientQuery, object, object, SendHeaders>>;

const validateBody = bodyValidator(mediaBody);
const validateParts = bodyValidator(mediaParts);

export const sendMedia = route<ClientQuery, object, object, SendHeaders>({
  method: 'POST',
  path: '/send-media-message',
  owner: 'session',
  description:
    'Send a file, by its address or uploaded in a form; a form names the clientId in the query too',
  headers: sendHeaders,
  upload: { maxBytes: LIMITS.uploadBytes + FRAMING_BYTES, inputs: { body: mediaBody, form: mediaForm } },
  handler(request, { services }) {
    const { payload } = request;
    return payload instanceof Readable
      ? sendUploaded(request, payload, services)
      : sendByUrl(request, services);
  },
});

async function sendByUrl(request: MediaRequest, { sending }: Services): Promise<SendAnswer> {
  const body = await validated(request, validateBody, request.payload);
  const { downloadUrl, sendAudioAsVoice, ...payload } = body;
  const wishes = { ...payload, asVoice: sendAudioAsVoice };
  return sending.sendFile(wishes, { downloadUrl }, request.headers['idempotency-key']);
}

async function sendUploaded(
  request: MediaRequest,
  body: Readable,
  { sessions, sending }: Services,
): Promise<SendAnswer> {
  const { clientId } = request.query;
  if (clientId === undefined) throw invalid('clientId is required in the query too: a form is read last');
  // nothing is taken for a session that does not exist
  sessions.get(clientId);
  const form = await readForm(body, request.raw.req.headers, (stream) => sending.spool(stream));
  try {
    const payload = await payloadOf(request, form);
    if (form.file.size === 0) throw invalid('file must not be empty');
    return await sending.sendFile(payload, { file: form.file }, request.headers['idempotency-key']);
  } finally {
    await form.file.discard();
  }
}

async function payloadOf(request: MediaRequest, form: Form<SpooledFile>): Promise<FilePayload> {
  const { fileName, mimeType } = form;
  const parts = await validated(request, validateParts, filledParts(form.fields));
  const { sendAudioAsVoice, asSticker, ...payload } = parts;
  return {
    ...payload,
    fileName,
    mimeType: mimeType === UNTOLD_TYPE && fileName.includes('.') ? '' : mimeType,
    asVoice: sendAudioAsVoice === 'true',
    asSticker: asSticker === 'true',
  };
}

function invalid(message: string): GatewayError {
  return new GatewayError('invalid_request', message);
}
